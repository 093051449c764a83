package belief

import (
	"strconv"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// writesShown is how long a worker's last write is shown if its leader no longer
// believes that it leads. Workers write a few times a second: one that continues stays
// in view, and one that stopped disappears.
const writesShown = 5 * time.Second

// Lines is the least height of the panel, with its border.
const Lines = 20

// roomyFrom is the width from which there is room for less important details.
const roomyFrom = 50

// Panel is the panel of belief and truth.
type Panel struct {
	State   *doctor.State
	Focused bool
	Wide    bool // the screen is
}

// Draw draws, side by side, who believes that it leads and who does, what their
// workers write, and whether that was safe.
func (v *Panel) Draw(f *term.Frame, r term.Rect) {
	s := v.State
	a := f.Box(r, "Belief and truth", v.Focused, guardSpan(s))
	w := a.Width() - 2
	var lines [][]term.Span // empty ones are left out if there is no room
	add := func(line ...term.Span) { lines = append(lines, line) }
	row := func(name string, line ...term.Span) {
		add(append([]term.Span{{Style: term.Muted, Text: name + term.Blanks(10-len(name))}}, line...)...)
	}

	roomy := w >= roomyFrom
	all := v.believers(f)
	nameWidth := nameWidthOf(all, w)
	add(believerHeads(nameWidth))
	for _, b := range all {
		v.addBeliever(f, b, nameWidth, w, add)
	}
	add()
	row("counter", counterSpans(s, roomy)...)
	highest := term.Span{Style: term.Text, Text: "highest " + znode.Zxid(s.Work.Highest)}
	if roomy {
		highest.Text += ": "
		row("tokens", append([]term.Span{highest}, tries(s.Work.Tokens)...)...)
	} else {
		row("tokens", tries(s.Work.Tokens)...)
		row("", highest)
	}
	add()
	p, vacant := v.properties(f)
	row("safety", safety(&f.Theme.Glyph, s), term.Span{Style: term.Text, Text: " " + units.Count(stale(s), "stale write", "stale writes") + " accepted"})
	doubles := term.Span{Style: term.Text, Text: "2 believers: " + times(p.Doubles)}
	if p.Doubles > 0 {
		doubles.Text += ", " + units.Took(p.DoubleFor.Round(time.Millisecond))
	}
	awake := term.Span{Style: term.Text, Text: "2 awake: " + times(p.AwakeDoubles)}
	if p.AwakeDoubles > 0 {
		awake.Style = term.Alarm
	}
	led := term.Span{Style: term.Text, Text: wording.Share(p.Working, p.Observed) + " with a leader"}
	if p.Observed == 0 {
		led.Text = "nobody led yet"
	}
	longest := []term.Span{{Style: term.Text, Text: "longest gap " + gap(p.LongestVacancy)}}
	if vacant > 0 {
		longest = append(longest, term.Span{Style: term.Alarm, Text: ", now " + units.Tenths(vacant)})
	}
	if roomy {
		row("", doubles, term.Span{Style: term.Text, Text: "; "}, awake)
		row("liveness", append([]term.Span{led, {Style: term.Text, Text: ", "}}, longest...)...)
	} else {
		row("", doubles)
		row("", awake)
		row("liveness", led)
		row("", longest...)
	}
	add()
	st, text := v.explain(all)
	for _, part := range term.Lines(text, w) {
		add(term.Span{Style: st, Text: part})
	}

	drawLines(a, lines)
}

// drawLines draws lines of spans. If there are too many, empty ones are left out.
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

// guardSpan says whether the workers' writes are guarded.
func guardSpan(s *doctor.State) term.Span {
	if s.Work.Rules.Fenced {
		return term.Span{Style: term.Good, Text: "guard on", Keep: 9}
	}
	return term.Span{Style: term.Trouble, Text: "guard off", Keep: 9}
}

// nameWidthOf is the width of the names in a panel of w cells.
func nameWidthOf(all []believer, w int) int {
	n := 6
	for _, b := range all {
		n = min(max(n, term.Width(b.name())), max(6, w-32))
	}
	return n
}

func believerHeads(nameWidth int) term.Span {
	return term.Span{Style: term.Heading, Text: term.Fitted("", 2) + term.Fitted("", nameWidth) + "  " + term.Fitted("believes", 11) + "in truth"}
}

// counterSpans are the counter's value and the results of the attempts to set it.
func counterSpans(s *doctor.State, roomy bool) []term.Span {
	value := strconv.FormatInt(s.Work.Value, 10)
	if m := rows.Member(s, s.Work.Writer); m != nil && roomy {
		value += " by " + znode.Safe(m.Name, 12)
	}
	return append([]term.Span{{Style: term.Text, Text: value + ": "}}, tries(s.Work.Counter)...)
}

// times formats a count: never, 1 time, 3 times.
func times(n int) string {
	if n == 0 {
		return "never"
	}
	return units.Count(n, "time", "times")
}

// tries counts the results of attempts to write.
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

// explain says what happens, and why.
func (v *Panel) explain(all []believer) (term.Style, string) {
	fenced := v.State.Work.Rules.Fenced
	for _, b := range all {
		if !b.wrong() {
			continue
		}
		name := b.name()
		if b.candidate != nil {
			return term.Trouble, name + " believes that it leads, and its znode is not the first: it acts on what it last read."
		}
		if fenced {
			return term.Text, "ZooKeeper refuses what " + name + " writes itself: its session has expired. Its worker has its own session, but each write is multi(check " +
				wording.ShortZnode(b.member.Znode) + ", set), and that znode is gone, so the write is refused. The outside resource has seen a higher token."
		}
		return term.Trouble, "ZooKeeper refuses what " + name + " writes itself: its session has expired. But its worker has its own session, and ZooKeeper accepts a plain set from any session: the guard (w) prevents that."
	}
	if fenced {
		return term.Muted, "Each write is multi(check the leader's znode, set): both or neither. Freeze the leader (f) until its session expires, and see what its worker can still do."
	}
	return term.Muted, "Each leader has a worker with its own session, which writes for it. Freeze the leader (f) until its session expires, and see who writes."
}
