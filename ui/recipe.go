package ui

import (
	"slices"
	"strconv"
	"strings"

	"electop/model"
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
		lead = "acknowledge: create " + model.Safe(model.Base(ack), 20)
	}
	return []part{
		{"To volunteer", model.StepCreate, []string{"create guid-n_  SEQUENCE|EPHEMERAL", "C := getChildren, i := my number", watch}},
		{"When the watched znode is deleted", model.StepListAgain, []string{"C := getChildren", "mine is the smallest: I lead", again}},
		{"When leading", model.StepLead, []string{"run the leader procedure", lead}},
	}
}

// drawRecipe draws what the candidates do, the line that is being done, and a
// sentence on what is happening.
func (d *dashboard) drawRecipe(f *frame, r rect) {
	s := d.shown()
	if di := foreign(s); di != nil {
		d.drawForeign(f, r, di)
		return
	}
	herd := fansIn(s)
	name := "Recipe"
	var tail []span
	if herd {
		tail = append(tail, span{styleTrouble, "herd", 0})
	}
	a := f.box(r, name, d.focus == panelRecipe, tail...)
	active, fresh := d.steps(f)

	now := d.sentence(f)
	var story []string
	for _, line := range now.lines {
		story = append(story, wrap(line, a.width()-2)...)
	}
	const codeLines = 11
	room := a.height() - codeLines
	detail := ""
	if fresh != nil && fresh.Detail != "" {
		detail = model.Safe(fresh.Name, nameMax) + ": " + model.Safe(fresh.Detail, 0)
	}
	if len(story) > room {
		story = story[:max(0, room)]
	}
	room -= len(story)
	bars := len(s.Queue) > 1 && room >= 4
	if bars {
		room -= 3
	}
	// What is left over goes between things: before the story, before the
	// bars, and between the parts, or not there at all.
	take := func(n int) bool {
		if room < n {
			return false
		}
		room -= n
		return true
	}
	beforeStory := len(story) > 0 && take(1)
	beforeBars := bars && take(1)
	between := take(2)
	y := 0
	for i, p := range code(herd, s.Ack.Path) {
		if i > 0 && between {
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
		y = d.drawHerdBars(f, a, y, herd)
	}
	if beforeStory {
		y++
	}
	for _, line := range story {
		a.pen(y).gap(1).text(now.style, line)
		y++
	}
	if detail != "" && y < a.height() {
		p := a.pen(a.height() - 1).gap(1)
		p.fit(p.room()-1, styleGold, f.th.glyph.Step+" "+detail)
	}
}

// drawStep draws one line of the code. who is doing it now.
func (d *dashboard) drawStep(f *frame, a area, y int, step model.Step, text string, off bool, who []string) {
	p := a.pen(y).gap(1)
	number, line := styleMuted, styleMuted
	if off {
		line = styleTrouble
	}
	mark := " "
	if len(who) > 0 {
		mark, number, line = f.th.glyph.Step, styleStrong, styleStrong
		if off {
			line = styleAlarm
		}
	}
	p.text(styleLead, mark).gap(1).text(number, strconv.Itoa(int(step))).gap(1)
	names := fitNames(who, max(8, p.room()-1-width(text)-2))
	if names != "" {
		// Who does it says more than the end of the line.
		room := p.room() - 1 - width(names) - 2
		p.text(line, cut(text, room)).gap(2).text(styleLead, names)
		return
	}
	p.fit(p.room()-1, line, text)
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

// steps returns who does which step now, newest first; and the member that took the newest step.
func (d *dashboard) steps(f *frame) (map[model.Step][]string, *model.Member) {
	var recent []*model.Member
	for _, m := range d.shown().Members {
		if m.Step == model.StepNone || m.StepAt.IsZero() {
			continue
		}
		// A clock that runs a little behind must not hide a step.
		if ago := f.picture.Sub(m.StepAt); ago < stepShown && ago > -stepShown {
			recent = append(recent, m)
			f.every(tickBusy)
			f.at(m.StepAt.Add(stepShown))
		}
	}
	if recent == nil {
		return nil, nil
	}
	slices.SortStableFunc(recent, func(a, b *model.Member) int { return b.StepAt.Compare(a.StepAt) })
	who := make(map[model.Step][]string)
	for _, m := range recent {
		who[m.Step] = append(who[m.Step], model.Safe(m.Name, nameMax))
	}
	return who, recent[0]
}

// drawHerdBars compares how many the next handoff wakes: by the rule, and if
// all watched the leader.
func (d *dashboard) drawHerdBars(f *frame, a area, y int, herd bool) int {
	s := d.shown()
	chain := model.Election().Notified(s.Queue, 0)
	all := model.Herd().Notified(s.Queue, 0)
	a.pen(y).gap(1).text(styleMuted, "per handoff  ").
		text(styleText, strconv.Itoa(s.Recipe.Notified(s.Queue, 0))+" notified")
	y++
	room := max(4, min(20, a.width()-26))
	for _, bar := range []struct {
		name string
		n    int
		st   style
		on   bool
	}{{"chain", chain, styleWatch, !herd}, {"herd ", all, styleTrouble, herd}} {
		cells := bar.n
		if all > room {
			cells = max(1, bar.n*room/all)
		}
		p := a.pen(y).gap(1)
		st := styleMuted
		if bar.on {
			st = styleText
		}
		start := p.x
		p.text(st, bar.name+" ").text(bar.st, strings.Repeat(f.th.glyph.Block, min(cells, room)))
		p.gap(start+7+min(all, room)-p.x).gap(1).text(st, strconv.Itoa(bar.n))
		if !bar.on {
			remark := "  by the rule"
			if !herd {
				remark = "  if all watched the leader"
			}
			if width(remark) < p.room() {
				p.text(styleMuted, remark)
			}
		}
		y++
	}
	return y
}
