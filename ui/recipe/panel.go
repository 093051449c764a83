package recipe

import (
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/term"
	"electop/ui/wording"
)

// part is a heading of the recipe with its lines.
type part struct {
	heading string
	first   model.Step
	lines   []string
}

// code is the recipe as pseudo code. The numbers are those of [model.Step].
func code(herd bool, ack string) []part {
	watch, again := "watch n_j, the largest j < i in C", "otherwise watch the new n_j"
	if herd {
		watch, again = "watch the smallest: the leader", "otherwise watch the new leader"
	}
	lead := "acknowledge: create ELECTION-leader"
	if ack != "" {
		lead = "acknowledge: create " + znode.Safe(znode.Base(ack), 20)
	}
	return []part{
		{"To volunteer", model.StepCreate, []string{"create guid-n_  SEQUENCE|EPHEMERAL", "C := getChildren, i := my number", watch}},
		{"When the watched znode is deleted", model.StepListAgain, []string{"C := getChildren", "mine is the smallest: I lead", again}},
		{"When leading", model.StepLead, []string{"run the leader procedure", lead}},
	}
}

// Lines is the height of the code, barLines that of the comparison below it, and
// storyLines the usual height of the sentence about the situation.
const (
	Lines      = 11
	barLines   = 3
	storyLines = 4
)

// Panel is the panel of the recipe.
type Panel struct {
	State   *doctor.State
	Focused bool
	Held    map[uint64]*model.Message // the next message held for each session
	// Since is when the lesson began that is on, zero for none: what was before, as the
	// candidates of another lesson that left, is not told.
	Since time.Time
}

// Draw draws the code with the lines that run now, the comparison of both rules, and
// a sentence about the situation.
func (v *Panel) Draw(f *term.Frame, r term.Rect) {
	s := v.State
	if di := wording.Foreign(s); di != nil {
		v.drawForeign(f, r, di)
		return
	}
	herd := wording.FansIn(s)
	tail := wording.PaceSpans(s)
	if herd {
		tail = append(tail, term.Span{Style: term.Trouble, Text: "herd"})
	}
	a := f.Box(r, "Recipe", v.Focused, term.TrimSpans(tail)...)
	active := v.steps(f)

	now := v.sentence(f)
	var story []string
	for _, line := range now.lines {
		story = append(story, term.Wrap(line, a.Width()-2)...)
	}
	// The numbers are more important than the sentence and, if both rules were counted,
	// than the parts that are not about a handoff.
	parts := code(herd, s.Ack.Path)
	room, bars := a.Height()-Lines, s.Queue.Len() > 1
	c := s.Costs(v.Since)
	if bars && (herd || len(c.Herd) > 0) {
		for _, i := range []int{0, len(parts) - 1} {
			if room < barLines {
				room += 1 + len(parts[i].lines)
				parts[i].lines = nil
			}
		}
	}
	pace := term.Wrap(wording.PaceLine(s), a.Width()-2)
	pace = pace[:max(0, min(len(pace), room))]
	room -= len(pace)
	if bars = bars && room >= barLines; bars {
		room -= barLines
	}
	story = story[:max(0, min(len(story), room))]
	room -= len(story)
	// The rest of the room is used, in this order, for one line of earlier handoffs,
	// for blank lines before the story, before the bars and between the parts, and for
	// more earlier handoffs. The room of a longer story stays free, so that the code
	// does not jump when one comes.
	kept := max(0, min(room, storyLines-len(story)))
	room -= kept
	take := func(n int) bool {
		if room < n {
			return false
		}
		room -= n
		return true
	}
	aside := term.Wrap(now.aside, a.Width()-2)
	if len(aside) > 0 && kept+room > len(aside) {
		story = append(story, aside...)
		room -= max(0, len(aside)-kept)
	}
	before := 0
	if bars && (len(c.Chain) > 1 || len(c.Herd) > 1) && take(1) {
		before = 1
	}
	beforeStory := len(story)+len(pace) > 0 && take(1)
	beforeBars := bars && take(1)
	between := take(2)
	if before > 0 {
		before += room
	}
	y := 0
	for _, p := range parts {
		if p.lines == nil {
			continue
		}
		if y > 0 && between {
			y++
		}
		a.Pen(y).Gap(1).Text(term.Heading, p.heading)
		y++
		for j, text := range p.lines {
			step := p.first + model.Step(j)
			off := herd && (step == model.StepWatch || step == model.StepWatchAgain)
			v.drawStep(f, a, y, step, text, off, active[step])
			y++
		}
	}
	if bars {
		if beforeBars {
			y++
		}
		y = v.drawHerdBars(f, a, y, herd, c, before)
	}
	if beforeStory {
		y++
	}
	for _, line := range pace {
		a.Pen(y).Gap(1).Text(term.You, line)
		y++
	}
	for _, line := range story {
		a.Pen(y).Gap(1).Text(now.style, line)
		y++
	}
}

// drawStep draws one line of the code. While it runs it shows the values and the
// candidates.
func (v *Panel) drawStep(f *term.Frame, a term.Area, y int, step model.Step, text string, off bool, now activity) {
	p := a.Pen(y).Gap(1)
	number, line := term.Muted, term.Muted
	if off {
		line = term.Trouble
	}
	mark := " "
	if len(now.names) > 0 {
		mark, number, line = f.Theme.Glyph.Step, term.Strong, term.Strong
		if off {
			line = term.Alarm
		}
		if now.detail != "" {
			text = now.detail
		}
	}
	p.Text(term.Lead, mark).Gap(1).Text(number, strconv.Itoa(int(step))).Gap(1)
	names := fitNames(now.names, max(8, p.Room()-1-term.Width(text)-2))
	if names != "" {
		// The names are more useful than the end of the line.
		room := p.Room() - 1 - term.Width(names) - 2
		p.Text(line, term.Cut(text, room)).Gap(2).Text(term.Lead, names)
		return
	}
	p.Fit(p.Room()-1, line, text)
}

// drawDoing draws only the lines that run now: at most n from y on. It returns the
// line after them.
func (v *Panel) drawDoing(f *term.Frame, a term.Area, y, n int) int {
	for step, now := range v.steps(f) {
		if len(now.names) == 0 || n <= 0 {
			continue
		}
		text := now.detail
		for _, p := range code(wording.FansIn(v.State), v.State.Ack.Path) {
			if i := step - int(p.first); text == "" && i >= 0 && i < len(p.lines) {
				text = p.lines[i]
			}
		}
		v.drawStep(f, a, y, model.Step(step), text, false, now)
		y, n = y+1, n-1
	}
	return y
}

// fitNames lists as many names as fit into w cells, at most three, and counts the
// others.
func fitNames(names []string, w int) string {
	for n := min(len(names), 3); n > 0; n-- {
		text := strings.Join(names[:n], ", ")
		if more := len(names) - n; more > 0 {
			text += " +" + strconv.Itoa(more)
		}
		if term.Width(text) <= w {
			return text
		}
	}
	if len(names) == 0 {
		return ""
	}
	return term.Cut(names[0], w)
}
