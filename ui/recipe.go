package ui

import (
	"strconv"
	"strings"

	"electop/model"
	"electop/model/znode"
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

// codeLines is how many lines that takes, barLines the comparison below it, and
// storyLines what mostly is said of what happens.
const (
	codeLines  = 11
	barLines   = 3
	storyLines = 4
)

// drawRecipe draws what the candidates do, the lines that are being done, and
// a sentence on what is happening. Where leaders have workers, what is believed
// and what is true comes in its place, or below it on a tall screen.
func (d *dashboard) drawRecipe(f *frame, r rect) {
	s := d.shown()
	if s.Work.Rules.Workers {
		below := r
		if r.h >= codeLines+2+beliefLines {
			below.h = max(beliefLines, r.h/2)
			below.y += r.h - below.h
			r.h -= below.h
		}
		d.drawBelief(f, below)
		if below == r {
			return
		}
	}
	if di := foreign(s); di != nil {
		d.drawForeign(f, r, di)
		return
	}
	herd := fansIn(s)
	tail := d.paceSpans()
	if herd {
		tail = append(tail, span{styleTrouble, "herd", 0})
	}
	a := f.box(r, "Recipe", d.focus == panelRecipe, trimSpans(tail)...)
	active := d.steps(f)

	now := d.sentence(f)
	var story []string
	for _, line := range now.lines {
		story = append(story, wrap(line, a.width()-2)...)
	}
	// The numbers come before the sentence, and where both rules were compared
	// before what is not about a handoff.
	parts := code(herd, s.Ack.Path)
	room, bars := a.height()-codeLines, len(s.Queue) > 1
	if c := countedIn(s); bars && (herd || len(c.herd) > 0) {
		for _, i := range []int{0, len(parts) - 1} {
			if room < barLines {
				room += 1 + len(parts[i].lines)
				parts[i].lines = nil
			}
		}
	}
	pace := wrap(d.paceLine(), a.width()-2)
	pace = pace[:max(0, min(len(pace), room))]
	room -= len(pace)
	if bars = bars && room >= barLines; bars {
		room -= barLines
	}
	story = story[:max(0, min(len(story), room))]
	room -= len(story)
	// What is left over goes between things: before the story, before the
	// bars, and between the parts, or not there at all. Then come the handoffs
	// before that were counted, of which one line is worth more than blanks.
	// The room of a longer story is kept, so that the code does not jump when
	// one comes.
	kept := max(0, min(room, storyLines-len(story)))
	room -= kept
	take := func(n int) bool {
		if room < n {
			return false
		}
		room -= n
		return true
	}
	aside := wrap(now.aside, a.width()-2)
	if len(aside) > 0 && kept+room > len(aside) {
		story = append(story, aside...)
		room -= max(0, len(aside)-kept)
	}
	before := 0
	if bars && moreCounted(s) && take(1) {
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
		a.pen(y).gap(1).text(styleHeading, p.heading)
		y++
		for j, text := range p.lines {
			step := p.first + model.Step(j)
			off := herd && (step == model.StepWatch || step == model.StepWatchAgain)
			d.drawStep(f, a, y, step, text, off, active[step])
			y++
		}
	}
	if bars {
		if beforeBars {
			y++
		}
		y = d.drawHerdBars(f, a, y, herd, before)
	}
	if beforeStory {
		y++
	}
	for _, line := range pace {
		a.pen(y).gap(1).text(styleYou, line)
		y++
	}
	for _, line := range story {
		a.pen(y).gap(1).text(now.style, line)
		y++
	}
}

// drawStep draws one line of the code: with what it is done, and by whom,
// while it is.
func (d *dashboard) drawStep(f *frame, a area, y int, step model.Step, text string, off bool, now taking) {
	p := a.pen(y).gap(1)
	number, line := styleMuted, styleMuted
	if off {
		line = styleTrouble
	}
	mark := " "
	if len(now.names) > 0 {
		mark, number, line = f.th.glyph.Step, styleStrong, styleStrong
		if off {
			line = styleAlarm
		}
		if now.detail != "" {
			text = now.detail
		}
	}
	p.text(styleLead, mark).gap(1).text(number, strconv.Itoa(int(step))).gap(1)
	names := fitNames(now.names, max(8, p.room()-1-width(text)-2))
	if names != "" {
		// Who does it says more than the end of the line.
		room := p.room() - 1 - width(names) - 2
		p.text(line, cut(text, room)).gap(2).text(styleLead, names)
		return
	}
	p.fit(p.room()-1, line, text)
}

// drawDoing draws the lines that are being done, where there is no code to
// mark: at most n from y on. It returns the line after them.
func (d *dashboard) drawDoing(f *frame, a area, y, n int) int {
	for step, now := range d.steps(f) {
		if len(now.names) == 0 || n <= 0 {
			continue
		}
		text := now.detail
		for _, p := range code(fansIn(d.shown()), d.shown().Ack.Path) {
			if i := step - int(p.first); text == "" && i >= 0 && i < len(p.lines) {
				text = p.lines[i]
			}
		}
		d.drawStep(f, a, y, model.Step(step), text, false, now)
		y, n = y+1, n-1
	}
	return y
}

// trimSpans takes the blanks from the end of the last span.
func trimSpans(spans []span) []span {
	if n := len(spans); n > 0 {
		spans[n-1].text = strings.TrimRight(spans[n-1].text, " ")
	}
	return spans
}

// fitNames lists as many names as fit into w cells, three at most, and counts
// the others.
func fitNames(names []string, w int) string {
	for n := min(len(names), 3); n > 0; n-- {
		text := strings.Join(names[:n], ", ")
		if more := len(names) - n; more > 0 {
			text += " +" + strconv.Itoa(more)
		}
		if width(text) <= w {
			return text
		}
	}
	if len(names) == 0 {
		return ""
	}
	return cut(names[0], w)
}
