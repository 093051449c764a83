package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// beliefLines is the least height of the panel, with its border.
const beliefLines = 20

// roomyFrom is the width from which there is room for what is worth knowing
// and can be done without.
const roomyFrom = 50

// believer is who believes that it leads, or who leads in truth, or whose
// worker still writes.
type believer struct {
	member    *model.Member      // nil: none of ours
	candidate *dialect.Candidate // its znode; nil: it is gone
	position  int                // of that, -1 without one
}

// drawBelief draws, side by side, who believes that it leads and who does,
// what their workers write, and whether that was safe.
func (d *dashboard) drawBelief(f *frame, r rect) {
	s := d.shown()
	a := f.box(r, "Belief and truth", d.focus == panelRecipe, fenceSpan(s))
	w := a.width() - 2
	var lines [][]span // an empty one may be left out
	add := func(line ...span) { lines = append(lines, line) }
	said := func(name string, line ...span) {
		add(append([]span{{styleMuted, name + blanks(10-len(name)), 0}}, line...)...)
	}

	roomy := w >= roomyFrom
	all := d.believers(f)
	nameWidth := nameWidthOf(all, w)
	add(believerHeads(nameWidth))
	for _, b := range all {
		d.addBeliever(f, b, nameWidth, w, add)
	}
	add()
	said("counter", counterSpans(s, roomy)...)
	highest := span{styleText, "highest " + znode.Zxid(s.Work.Highest), 0}
	if roomy {
		highest.text += ": "
		said("tokens", append([]span{highest}, tries(s.Work.Tokens)...)...)
	} else {
		said("tokens", tries(s.Work.Tokens)...)
		said("", highest)
	}
	add()
	p, vacant := d.properties(f)
	said("safety", f.verdictSign(safe(s)), span{styleText, " " + units.Count(stale(s), "stale write", "stale writes") + " accepted", 0})
	doubles := span{styleText, "2 believers: " + times(p.Doubles), 0}
	if p.Doubles > 0 {
		doubles.text += ", " + units.Took(p.DoubleFor.Round(time.Millisecond))
	}
	awake := span{styleText, "2 awake: " + times(p.AwakeDoubles), 0}
	if p.AwakeDoubles > 0 {
		awake.style = styleAlarm
	}
	led := span{styleText, share(p.Working, p.Observed) + " with a leader", 0}
	if p.Observed == 0 {
		led.text = "nobody led yet"
	}
	longest := []span{{styleText, "longest gap " + gap(p.LongestVacancy), 0}}
	if vacant > 0 {
		longest = append(longest, span{styleAlarm, ", now " + units.Tenths(vacant), 0})
	}
	if roomy {
		said("", doubles, span{styleText, "; ", 0}, awake)
		said("liveness", append([]span{led, {styleText, ", ", 0}}, longest...)...)
	} else {
		said("", doubles)
		said("", awake)
		said("liveness", led)
		said("", longest...)
	}
	add()
	st, text := d.beliefStory(all)
	for _, part := range wrap(text, w) {
		add(span{st, part, 0})
	}

	drawLines(a, lines)
}

// drawLines draws lines of spans. Where they are too many, empty ones are left
// out.
func drawLines(a area, lines [][]span) {
	spare := a.height() - len(lines)
	y := 0
	for _, line := range lines {
		if len(line) == 0 && spare < 0 {
			spare++
			continue
		}
		p := a.pen(y).gap(1)
		p.end--
		for _, part := range line {
			p.text(part.style, cut(part.text, p.room()))
		}
		y++
	}
}

// fenceSpan says whether workers write fenced.
func fenceSpan(s *doctor.State) span {
	if s.Work.Rules.Fenced {
		return span{styleGood, "fence on", 9}
	}
	return span{styleTrouble, "fence off", 9}
}

// nameWidthOf is how wide their names are, in a panel of w cells.
func nameWidthOf(all []believer, w int) int {
	n := 6
	for _, b := range all {
		n = min(max(n, width(b.name())), max(6, w-32))
	}
	return n
}

func believerHeads(nameWidth int) span {
	return span{styleHeading, fitted("", 2) + fitted("", nameWidth) + "  " + fitted("believes", 11) + "in truth", 0}
}

// counterSpans are the counter's value and how the attempts to set it ended.
func counterSpans(s *doctor.State, roomy bool) []span {
	value := strconv.FormatInt(s.Work.Value, 10)
	if m := memberNamed(s, s.Work.Writer); m != nil && roomy {
		value += " by " + znode.Safe(m.Name, 12)
	}
	return append([]span{{styleText, value + ": ", 0}}, tries(s.Work.Counter)...)
}

// times counts in words: never, 1 time, 3 times.
func times(n int) string {
	if n == 0 {
		return "never"
	}
	return units.Count(n, "time", "times")
}

func blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// fitted is s in exactly w cells.
func fitted(s string, w int) string {
	s = cut(s, w)
	return s + blanks(w-width(s))
}

// tries says how attempts to write ended.
func tries(t model.Tries) []span {
	if t.Accepted+t.Refused == 0 {
		return []span{{styleMuted, "no write yet", 0}}
	}
	out := []span{{styleMuted, strconv.Itoa(t.Accepted) + " ok, " + strconv.Itoa(t.Refused) + " refused", 0}}
	if t.Stale > 0 {
		out = append(out, span{styleAlarm, ", " + strconv.Itoa(t.Stale) + " stale", 0})
	}
	return out
}

// believers are who leads in truth, then who else believes so, then those whose
// workers still write.
func (d *dashboard) believers(f *frame) []believer {
	s := d.shown()
	const most = 4
	var out []believer
	add := func(m *model.Member) {
		if m == nil || slices.ContainsFunc(out, func(b believer) bool { return b.member != nil && b.member.ID == m.ID }) || len(out) >= most {
			return
		}
		b := believer{member: m, position: -1}
		if m.Session != 0 {
			i := slices.IndexFunc(s.Queue, func(c *dialect.Candidate) bool { return c.Session == m.Session && (m.Znode == "" || c.Name == m.Znode) })
			if i >= 0 {
				b.candidate, b.position = s.Queue[i], i
			}
		}
		out = append(out, b)
	}
	if l := s.Leader(); l != nil {
		if m := s.Member(l); m != nil && !d.haunts(row{l, m, 0}) {
			add(m)
		} else {
			out = append(out, believer{nil, l, 0})
		}
	}
	for _, id := range s.Properties.Believers {
		add(memberNamed(s, id))
	}
	for i := len(s.Work.Last) - 1; i >= 0; i-- {
		t := s.Work.Last[i]
		if f.picture.Sub(t.At) > writesShown {
			break
		}
		f.at(t.At.Add(writesShown + time.Millisecond))
		add(memberNamed(s, t.Member))
	}
	return out
}

func (b believer) name() string {
	if b.member != nil {
		return znode.Safe(b.member.Name, nameMax)
	}
	return b.candidate.Label()
}

// wrong reports who believes that it leads, and does not.
func (b believer) wrong() bool {
	return b.member != nil && b.position != 0 && b.member.Fault != model.Killed && b.member.Belief == model.Leading
}

// addBeliever adds the lines of one: what it believes and what is true, and
// what its worker wrote last.
func (d *dashboard) addBeliever(f *frame, b believer, nameWidth, w int, add func(...span)) {
	g := &f.th.glyph
	sign, st := " ", styleText
	switch {
	case b.wrong():
		sign, st = g.LeaderLost, styleAlarm
	case b.position == 0:
		sign, st = g.Leader, styleLead
	}
	believes := "unknown"
	if b.member != nil {
		believes = znode.Safe(string(b.member.Belief), nameMax)
		if b.member.Belief == model.Leading {
			believes = "leads"
		}
		if fault := f.faultGlyph(b.member); fault != "" {
			believes += " " + fault
		}
	}
	truth := span{styleText, "", 0}
	switch {
	case b.position == 0:
		truth.text = "first: " + brief(b.candidate)
	case b.position > 0:
		truth.text = "waits: " + brief(b.candidate)
	case b.member.Znode != "":
		truth = span{styleTrouble, shortZnode(b.member.Znode) + " is deleted", 0}
	default:
		truth = span{styleTrouble, "has no znode", 0}
	}
	add(span{st, sign + " " + fitted(b.name(), nameWidth) + "  ", 0}, span{st, fitted(believes, 11), 0}, truth)
	if b.member == nil {
		return
	}
	counter, token := d.lastWrite(b.member.ID, model.Counter), d.lastWrite(b.member.ID, model.Tokens)
	if counter == nil && token == nil {
		add(span{styleMuted, "  its worker has not written", 0})
		return
	}
	line := []span{{styleMuted, "  ", 0}}
	if w >= roomyFrom {
		line[0].text = "  its worker: "
	}
	if counter != nil {
		words := "set " + strconv.FormatInt(counter.Value, 10)
		if counter.Refused {
			words = "set"
		}
		line = append(line, span{styleText, words + " ", 0}, f.outcome(counter), span{styleText, "  ", 0})
	}
	if token != nil {
		line = append(line, span{styleText, "token " + znode.Zxid(token.Token) + " ", 0}, f.outcome(token))
	}
	if n := len(line) - 3; counter != nil && token != nil && spansWidth(line) > w {
		line[n].text = " "
	}
	add(line...)
}

// outcome says how an attempt ended, with a sign.
func (f *frame) outcome(t *model.Tried) span {
	switch {
	case t.Refused:
		return span{styleTrouble, f.th.glyph.Killed + " refused", 0}
	case t.Stale:
		return span{styleAlarm, f.th.glyph.Yes + " stale", 0}
	}
	return span{styleGood, f.th.glyph.Yes, 0}
}

// lastWrite is the last attempt of a member's worker at a resource, nil where
// none is remembered.
func (d *dashboard) lastWrite(member string, to model.Resource) *model.Tried {
	last := d.shown().Work.Last
	for i := len(last) - 1; i >= 0; i-- {
		if last[i].Member == member && last[i].Resource == to {
			return &last[i]
		}
	}
	return nil
}

// shortZnode is a znode's name as the recipe writes it.
func shortZnode(name string) string {
	if n, ok := znode.Sequence(name); ok {
		return "n_" + strconv.FormatInt(n, 10)
	}
	return znode.Safe(name, 16)
}

// beliefStory says what is happening, and why.
func (d *dashboard) beliefStory(all []believer) (style, string) {
	fenced := d.shown().Work.Rules.Fenced
	for _, b := range all {
		if !b.wrong() {
			continue
		}
		name := b.name()
		if b.candidate != nil {
			return styleTrouble, name + " believes that it leads, and its znode is not the first: it goes by what it last read."
		}
		if fenced {
			return styleText, "ZooKeeper refuses what " + name + " writes itself: its session has expired. Its worker has a session of its own, but each write is multi(check " +
				shortZnode(b.member.Znode) + ", set), and that znode is gone: neither is done. The outside resource has seen a higher token."
		}
		return styleTrouble, "ZooKeeper refuses what " + name + " writes itself: its session has expired. But its worker has a session of its own, and a plain set is taken from whoever sends it: that is what the fence is for (F)."
	}
	if fenced {
		return styleMuted, "Each write is multi(check the leader's znode, set): both or neither. Freeze the leader (f) until its session expires, and see what its worker can still do."
	}
	return styleMuted, "Each leader has a worker, with a session of its own, that writes as it was told. Freeze the leader (f) until its session expires, and see who writes."
}
