package leadership

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

const (
	BeliefLines = 20              // the minimum height of this panel if it is below the recipe; includes the border
	writesShown = 5 * time.Second // time for which a worker's write is recent
)

// Belief is the panel that compares what candidates believe with who leads.
type Belief struct {
	State   *doctor.State
	Focused bool
	Wide    bool
}

type body struct {
	w     int
	lines [][]term.Span
}

func (b *body) roomy() bool { return b.w >= 50 }

func (b *body) add(line ...term.Span) { b.lines = append(b.lines, line) }

func (b *body) row(name, joint string, parts ...[]term.Span) {
	line := []term.Span{{Style: term.Muted, Text: name + term.Blanks(10-len(name))}}
	for i, part := range parts {
		switch {
		case i == 0:
		case b.roomy():
			line = append(line, term.Span{Style: term.Text, Text: joint})
		default:
			b.add(line...)
			line = []term.Span{{Text: term.Blanks(10)}}
		}
		line = append(line, part...)
	}
	b.add(line...)
}

// Draw draws the panel.
func (v *Belief) Draw(f *term.Frame, r term.Rect) {
	s := v.State
	a := f.Box(r, "Belief and truth", v.Focused, guardSpan(s))
	out := body{w: a.Width() - 2}
	text := func(words string) []term.Span { return []term.Span{{Style: term.Text, Text: words}} }
	all := v.addBelievers(&out, f, a.Height())
	out.add()
	out.row("counter", "", counterSpans(s, out.roomy()))
	highest, counted := "highest "+znode.Zxid(s.Work.Highest), tries(s.Work.Tokens)
	if out.roomy() {
		out.row("tokens", ": ", text(highest), counted)
	} else {
		out.row("tokens", "", counted, text(highest))
	}
	out.add()
	p, vacant := v.properties(f)
	out.row("safety", "", append([]term.Span{safety(&f.Theme.Glyph, s)}, text(" "+units.Count(stale(s), "stale write", "stale writes")+" accepted")...))
	doubles := "2 believers: " + times(p.Doubles)
	if p.Doubles > 0 {
		doubles += ", " + units.Took(p.DoubleFor.Round(time.Millisecond))
	}
	awake := text("2 awake: " + times(p.AwakeDoubles))
	if p.AwakeDoubles > 0 {
		awake[0].Style = term.Alarm
	}
	out.row("", "; ", text(doubles), awake)
	led := wording.Share(p.Working, p.Observed) + " with a leader"
	if p.Observed == 0 {
		led = "not measured yet"
	}
	longest := text("longest gap " + gap(p.LongestVacancy))
	if vacant > 0 {
		longest = append(longest, term.Span{Style: term.Alarm, Text: ", now " + units.Tenths(vacant)})
	}
	out.row("liveness", ", ", text(led), longest)
	out.add()
	st, words := v.explain(all)
	for _, part := range term.Lines(words, out.w) {
		out.add(term.Span{Style: st, Text: part})
	}
	drawLines(a, out.lines)
}

// DrawBrief draws the beliefs and the writes, with [Belief.PropertySpans] in the title.
func (v *Belief) DrawBrief(f *term.Frame, r term.Rect) {
	s := v.State
	a := f.Box(r, "Belief", false, append([]term.Span{guardSpan(s)}, v.PropertySpans(f)...)...)
	out := body{w: a.Width() - 2}
	v.addBelievers(&out, f, a.Height())
	out.row("counter", "", counterSpans(s, out.roomy()))
	out.row("tokens", "", tries(s.Work.Tokens))
	drawLines(a, out.lines)
}

func drawLines(a term.Area, lines [][]term.Span) {
	spare := a.Height() - len(lines)
	y := 0
	for _, line := range lines {
		if len(line) == 0 && spare < 0 {
			spare++
			continue
		}
		p := a.Pen(y).Gap(1)
		p.Limit(p.Room() - 1)
		for _, part := range line {
			p.Text(part.Style, term.Cut(part.Text, p.Room()))
		}
		y++
	}
}

func guardSpan(s *doctor.State) term.Span {
	if s.Work.Rules.Fenced {
		return term.Span{Style: term.Good, Text: "guard on", Keep: 9}
	}
	return term.Span{Style: term.Trouble, Text: "guard off", Keep: 9}
}

func counterSpans(s *doctor.State, roomy bool) []term.Span {
	value := strconv.FormatInt(s.Work.Value, 10)
	if m := s.MemberByID(s.Work.Writer); m != nil && roomy {
		value += " by " + znode.Safe(m.Name, 12)
	}
	return append([]term.Span{{Style: term.Text, Text: value + ": "}}, tries(s.Work.Counter)...)
}

func times(n int) string {
	if n == 0 {
		return "never"
	}
	return units.Count(n, "time", "times")
}

func tries(t model.Tries) []term.Span {
	if t.Accepted+t.Refused == 0 {
		return []term.Span{{Style: term.Muted, Text: "no write yet"}}
	}
	out := []term.Span{{Style: term.Muted, Text: strconv.Itoa(t.Accepted) + " ok, " + strconv.Itoa(t.Refused) + " refused"}}
	if t.Stale > 0 {
		out = append(out, term.Span{Style: term.Alarm, Text: ", " + strconv.Itoa(t.Stale) + " stale"})
	}
	return out
}

func (v *Belief) explain(all []believer) (term.Style, string) {
	fenced := v.State.Work.Rules.Fenced
	for _, b := range all {
		if !b.wrong {
			continue
		}
		name := b.name()
		if b.candidate != nil && b.position == 0 {
			return term.Trouble, name + " believes that it leads, and its znode is the first, but " + name + " is not known to lead."
		}
		if b.candidate != nil {
			return term.Trouble, name + " believes that it leads, but its znode is not the first: " + name + " acts on its last read."
		}
		if fenced {
			return term.Text, "ZooKeeper refuses writes from an expired session. The worker of " + name + " has its own session, but each write is multi(check " +
				wording.ShortZnode(b.member.Znode) + ", set): that znode is gone, so the write is refused. The outside resource refuses a token lower than its highest."
		}
		return term.Trouble, "ZooKeeper refuses writes from an expired session. But the worker of " + name + " has its own session, and ZooKeeper accepts a plain set from any live session: the guard (w) prevents that."
	}
	if fenced {
		return term.Muted, "Each write is multi(check the leader's znode, set): both or neither. Freeze the leader (f) until its session expires, and see what its worker can still do."
	}
	return term.Muted, "Each leader has a worker with its own session; the worker writes for the leader. Freeze the leader (f) until its session expires, and see who writes."
}

// believer is a candidate that leads or may lead, that believes it leads, or whose worker wrote recently.
type believer struct {
	member    *model.Member      // nil for a third-party candidate
	candidate *dialect.Candidate // its znode, nil for none
	position  int                // 0: first in the queue; above 0: behind the first; -1: not in the queue
	wrong     bool               // wrongly believes that it leads: see [model.WrongAfter]
}

func (v *Belief) believers(f *term.Frame) []believer {
	s := v.State
	const most = 4
	var out []believer
	add := func(m *model.Member) {
		if m == nil || slices.ContainsFunc(out, func(b believer) bool { return b.member != nil && b.member.ID == m.ID }) || len(out) >= most {
			return
		}
		b := believer{member: m, position: -1, wrong: wording.Wrong(f, s, m)}
		if m.Session != 0 {
			i := s.Queue.Index(func(c *dialect.Candidate) bool { return c.Session == m.Session && (m.Znode == "" || c.Name == m.Znode) })
			if i >= 0 {
				b.candidate, b.position = s.Queue.At(i), i
			}
		}
		out = append(out, b)
	}
	leaders := []*dialect.Candidate{s.Leader()}
	if s.NoLeader() == model.MixedClients {
		leaders[0] = s.First()
		for _, r := range s.Rivals {
			leaders = append(leaders, r.Candidate)
		}
	}
	for i, c := range leaders {
		if m := s.Member(c); m != nil {
			add(m)
		} else if c != nil && len(out) < most {
			out = append(out, believer{candidate: c, position: i})
		}
	}
	for _, id := range s.Properties.Believers {
		add(s.MemberByID(id))
	}
	for _, t := range slices.Backward(s.Work.Last) {
		if f.Picture.Sub(t.At) > writesShown {
			break
		}
		f.At(t.At.Add(writesShown + time.Millisecond))
		add(s.MemberByID(t.Member))
	}
	return out
}

func (b believer) name() string {
	if b.member != nil {
		return znode.Safe(b.member.Name, znode.NameMax)
	}
	return b.candidate.Label()
}

func (v *Belief) addBelievers(out *body, f *term.Frame, h int) []believer {
	all, width := v.believers(f), 6
	for _, b := range all {
		width = min(max(width, term.Width(b.name())), max(6, out.w-32))
	}
	if h > 2*len(all)+2 { // the lines below are more important than the heading
		out.add(term.Span{Style: term.Heading, Text: term.Blanks(2+width) + "  " + term.Fitted("believes", 11) + "in truth"})
	}
	for _, b := range all {
		v.addBeliever(out, f, b, width)
	}
	return all
}

func (v *Belief) addBeliever(out *body, f *term.Frame, b believer, nameWidth int) {
	g, m := &f.Theme.Glyph, b.member
	sign, st := " ", term.Text
	switch {
	case b.wrong:
		sign, st = g.LeaderLost, term.Alarm
	case b.position == 0:
		sign, st = g.Leader, term.Lead
	}
	believes := "unknown"
	if m == nil && v.State.NoLeader() == model.MixedClients {
		believes = "leads " + g.Inferred
	}
	if m != nil {
		believes = znode.Safe(string(m.Belief), znode.NameMax)
		if m.Belief == model.Leading {
			believes = "leads"
		}
		if fault := wording.FaultGlyph(g, m); fault != "" {
			believes += " " + fault
		}
	}
	truth := term.Span{Style: term.Trouble, Text: "has no znode"}
	switch {
	case b.position == 0:
		truth = term.Span{Style: term.Text, Text: "first: " + phrase.Brief(b.candidate)}
	case m == nil:
		truth = term.Span{Style: term.Alarm, Text: "beside: " + phrase.Brief(b.candidate)}
	case b.position > 0:
		truth = term.Span{Style: term.Text, Text: "waits: " + phrase.Brief(b.candidate)}
	case m.Znode != "":
		truth.Text = wording.ShortZnode(m.Znode) + " is deleted"
	}
	out.add(term.Span{Style: st, Text: sign + " " + term.Fitted(b.name(), nameWidth) + "  "}, term.Span{Style: st, Text: term.Fitted(believes, 11)}, truth)
	if m == nil {
		return
	}
	counter, token := v.lastWrite(m.ID, model.Counter), v.lastWrite(m.ID, model.Tokens)
	if counter == nil && token == nil {
		out.add(term.Span{Style: term.Muted, Text: "  its worker has not written"})
		return
	}
	line := []term.Span{{Style: term.Muted, Text: "  "}}
	if out.roomy() {
		line[0].Text = "  its worker: "
	}
	if counter != nil {
		words := "set " + strconv.FormatInt(counter.Value, 10)
		if counter.Refused {
			words = "set"
		}
		line = append(line, term.Span{Style: term.Text, Text: words + " "}, outcome(g, counter), term.Span{Style: term.Text, Text: "  "})
	}
	if token != nil {
		line = append(line, term.Span{Style: term.Text, Text: "token " + znode.Zxid(token.Token) + " "}, outcome(g, token))
	}
	if n := len(line) - 3; counter != nil && token != nil && term.SpansWidth(line) > out.w {
		line[n].Text = " "
		if term.SpansWidth(line) > out.w { // a hexadecimal number can only be the token
			line[n+1].Text = strings.TrimPrefix(line[n+1].Text, "token ")
		}
	}
	out.add(line...)
}

func outcome(g *term.Glyphs, t *model.Tried) term.Span {
	switch {
	case t.Refused:
		return term.Span{Style: term.Trouble, Text: g.Killed + " refused"}
	case t.Stale:
		return term.Span{Style: term.Alarm, Text: g.Yes + " stale"}
	}
	return term.Span{Style: term.Good, Text: g.Yes}
}

func (v *Belief) lastWrite(member string, to model.Resource) *model.Tried {
	for i, t := range slices.Backward(v.State.Work.Last) {
		if t.Member == member && t.Resource == to {
			return &v.State.Work.Last[i]
		}
	}
	return nil
}

// properties also returns the length of the present vacancy, 0 for none or an unknown one.
func (v *Belief) properties(f *term.Frame) (p model.Properties, vacant time.Duration) {
	s := v.State
	p = s.Properties
	counts := s.Phase == model.Live && s.Link.Link == model.Connected && !s.NoLeader().Unknown()
	if more := f.Calm().Sub(s.At); more > 0 && !f.Held && counts && p.Observed > 0 {
		p.Observed += more
		if p.VacantSince.IsZero() {
			p.Working += more
		}
	}
	if !p.VacantSince.IsZero() && counts {
		vacant = max(0, f.Busy().Sub(p.VacantSince))
		p.LongestVacancy = max(p.LongestVacancy, vacant)
	}
	return p, vacant
}

func beliefs(s *doctor.State) (visible, hidden bool) {
	hidden = s.Queue.Index(func(c *dialect.Candidate) bool { return s.Member(c) == nil }) >= 0
	return len(s.Members) > 0 || s.Member(s.Leader()) != nil || s.Queue.Len() == 0 && len(s.Steps) > 0, hidden
}

func stale(s *doctor.State) int { return s.Work.Counter.Stale + s.Work.Tokens.Stale }

func safety(g *term.Glyphs, s *doctor.State) term.Span {
	if p := s.Properties; p.Doubles+p.Contested > 0 && p.AwakeDoubles == 0 && stale(s) == 0 {
		st, sign, _ := wording.Severity(g, doctor.Warning)
		return term.Span{Style: st, Text: sign, Keep: 8}
	}
	return checkSign(g, s.Properties.Doubles == 0 && stale(s) == 0)
}

func checkSign(g *term.Glyphs, good bool) term.Span {
	if good {
		return term.Span{Style: term.Good, Text: g.Yes, Keep: 8}
	}
	return term.Span{Style: term.Alarm, Text: g.Killed, Keep: 8}
}

// PropertySpans returns the measured properties for a title, nil if nothing was measured yet.
func (v *Belief) PropertySpans(f *term.Frame) []term.Span {
	s := v.State
	if s.Properties.Observed == 0 {
		return nil
	}
	p, vacant := v.properties(f)
	out := make([]term.Span, 0, 4)
	add := func(keep int, st term.Style, text string) {
		out = append(out, term.Span{Style: st, Text: text, Keep: keep})
	}
	led := "   liveness "
	visible, hidden := beliefs(s)
	if !visible {
		led = "   liveness (queue) "
		if s.Dialect != nil && s.Dialect.Foreign() && s.AckPath() != "" {
			led = "   liveness (ack) "
		}
	}
	if chaos := s.Work.Rules.Chaos; chaos != "" {
		add(3, term.Trouble, "   chaos "+znode.Safe(chaos, 24))
		out = append(out, v.invariantSpans(f)...)
	} else if !visible {
		add(6, term.Muted, "   beliefs not visible")
	} else {
		add(8, term.Muted, "   safety ")
		out = append(out, safety(&f.Theme.Glyph, s))
		words := ""
		if n := s.Work.Counter.Accepted + s.Work.Tokens.Accepted; n > 0 {
			words = " " + strconv.Itoa(stale(s)) + " stale,"
		}
		add(3, term.Text, words+" "+units.Count(p.Doubles, "double", "doubles"))
		if len(s.Members) > 0 && hidden {
			add(1, term.Muted, " (electop's)")
		}
		if p.Contested > 0 {
			add(4, term.Trouble, ", "+strconv.Itoa(p.Contested)+" inferred")
		}
		if p.AwakeDoubles > 0 {
			add(4, term.Alarm, ", "+strconv.Itoa(p.AwakeDoubles)+" awake")
		}
	}
	add(7, term.Text, led+wording.Share(p.Working, p.Observed))
	if vacant == 0 || vacant+term.TickBusy < p.LongestVacancy { // the present gap is not the longest
		add(2, term.Muted, ", longest gap "+gap(p.LongestVacancy))
	}
	if vacant > 0 {
		add(4, term.Trouble, ", gap now "+units.Tenths(vacant))
	}
	return out
}

func (v *Belief) invariantSpans(f *term.Frame) []term.Span {
	s := v.State
	if broken := s.Broken(); len(broken) > 0 {
		return []term.Span{{Style: term.Muted, Text: "  ", Keep: 8}, checkSign(&f.Theme.Glyph, false), {Style: term.Alarm, Text: " " + znode.Safe(strings.Join(broken, ", "), 80), Keep: 8}}
	}
	if s.Properties.Contested > 0 {
		return []term.Span{{Style: term.Muted, Text: "  one leader ", Keep: 8}, safety(&f.Theme.Glyph, s)}
	}
	if !v.Wide {
		return []term.Span{{Style: term.Muted, Text: "  invariants ", Keep: 8}, checkSign(&f.Theme.Glyph, true)}
	}
	var out []term.Span
	for _, what := range []string{"one leader ", "nothing lost ", "no ghost "} {
		out = append(out, term.Span{Style: term.Muted, Text: "  " + what, Keep: 8}, checkSign(&f.Theme.Glyph, true))
	}
	return out
}

func gap(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return units.Took(d.Round(time.Millisecond))
}
