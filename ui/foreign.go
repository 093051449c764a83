package ui

import (
	"strconv"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// drawForeign draws how another system elects: what its dialect says, instead
// of the recipe's lines, whose steps only our own candidates tell.
func (d *dashboard) drawForeign(f *frame, r rect, di *dialect.Dialect) {
	s := d.shown()
	var tail []span
	if fansIn(s) || di.ChildWatch {
		tail = append(tail, span{styleTrouble, "herd", 0})
	}
	a := f.box(r, "Recipe", d.focus == panelRecipe, tail...)
	const names = 9
	y := 0
	heading := func(text string) {
		if y > 0 && a.height() > 16 {
			y++
		}
		for _, part := range wrap(text, a.width()-2) {
			a.pen(y).gap(1).text(styleHeading, part)
			y++
		}
	}
	line := func(name string, st style, text string) {
		for i, part := range wrap(text, a.width()-names-6) {
			if i > 0 {
				name = ""
			}
			a.pen(y).gap(3).fit(names, styleMuted, name).gap(1).text(st, part)
			y++
		}
	}
	w := wordsOf(s)
	heading(system(s))
	for _, x := range d.dialectLines(di, w) {
		line(x.name, x.style, x.text)
	}
	heading(map[bool]string{false: "When the " + w.holder + " goes", true: "When the znode is deleted"}[di.Single])
	line("then", styleText, then(s, di, w))
	if n := holders(s); !di.Single && n < len(s.Queue) {
		text := strconv.Itoa(s.Recipe.Notified(s.Queue, 0)) + " of the " + strconv.Itoa(len(s.Queue)-1) + " others"
		if n > 1 && s.Recipe.Notified(s.Queue, 0) == 0 {
			text = "nobody yet: others hold on"
		}
		line("wakes", styleText, text)
	}
	if len(s.Members) > 0 { // those of our own tell their steps here as well
		y = d.drawDoing(f, a, y, min(3, a.height()-y-4))
	}
	now := d.sentence(f)
	if y < a.height()-1 {
		y++
	}
	for _, text := range now.lines {
		for _, part := range wrap(text, a.width()-2) {
			a.pen(y).gap(1).text(now.style, part)
			y++
		}
	}
}

// dialectLines are what a dialect says of itself.
func (d *dashboard) dialectLines(di *dialect.Dialect, w roleWords) []fact {
	s := d.shown()
	var out []fact
	add := func(name, text string) { out = append(out, fact{name: name, style: styleText, text: text}) }
	switch {
	case di.Single:
		add(w.has, "whoever creates "+znode.Safe(s.Path, 60)+": it is ephemeral, and goes with its session")
	case holders(s) > 1:
		add(w.has, "the first "+strconv.Itoa(holders(s))+" of the queue, together")
	default:
		add(w.has, "the first of the queue")
	}
	if di.Watches != "" {
		add("watches", znode.Safe(di.Watches, 0))
	}
	switch ack := di.AckPath(s.Path); {
	case ack != "":
		add("ack", znode.Safe(ack, 80))
	case !locks(s):
		add("ack", "none: its leader does not say so by a znode")
	}
	return out
}

// then says what follows when the role gets free.
func then(s *doctor.State, di *dialect.Dialect, w roleWords) string {
	switch {
	case di.Single:
		return "the others race to create it again. There is no queue: who waits cannot be seen, nor who is next."
	case di.ChildWatch:
		return "all who wait are woken, list the children again, and look whether they are first."
	}
	return "who watched it lists the children again, and " + w.has + " if it is first."
}
