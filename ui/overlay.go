package ui

import "fmt"

// fact is a line of a text in front of the panels: what, and how it is.
// Longer ones are wrapped.
type fact struct {
	name  string
	style style // of the text
	text  string
	label style // of the name; styleText stands for styleMuted
}

// factNames is the width of the names.
const factNames = 12

// drawFacts draws a text in front of the panels.
func (d *dashboard) drawFacts(f *frame, title string, facts []fact) {
	const wide = 100
	inside := min(d.w-4, wide) - 2 - factNames - 3
	var lines []fact
	for _, ft := range facts {
		if ft.label == styleText {
			ft.label = styleMuted
		}
		for i, line := range orBlank(wrap(ft.text, inside)) {
			if i > 0 {
				ft.name = ""
			}
			ft.text = line
			lines = append(lines, ft)
		}
	}
	d.drawOverlay(f, title, wide, len(lines), func(p *pen, i int) {
		l := lines[i]
		if l.text == "" && width(l.name) > factNames {
			p.gap(1).fit(p.room()-1, l.label, l.name)
			return
		}
		p.gap(1).fit(factNames, l.label, l.name).gap(1).text(l.style, l.text)
	})
}

// drawOverlay draws n lines in front of the panels, as many as there is room
// for.
func (d *dashboard) drawOverlay(f *frame, title string, w, n int, line func(p *pen, i int)) {
	r := overlay(d.w, d.h, w, n)
	f.blank(r)
	d.over.lines, d.over.pageful = n, r.h-2
	top := d.scrolled()
	*top = max(0, min(*top, n-d.over.pageful))
	var tail []span
	if n > d.over.pageful {
		tail = append(tail, span{styleMuted, fmt.Sprintf("%d-%d of %d, j k scroll", *top+1, min(n, *top+d.over.pageful), n), 0})
	}
	a := f.box(r, title, true, tail...)
	for i := range min(n-*top, a.height()) {
		line(a.pen(i), *top+i)
	}
}
