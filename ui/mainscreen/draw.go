package mainscreen

import (
	"fmt"
	"slices"

	"electop/ui/layout"
	"electop/ui/recipe"
	"electop/ui/term"
)

// Draw draws what was settled. It changes nothing but the canvas.
func (x *Screen) Draw(f *term.Frame) {
	if x.TooSmall() {
		drawTooSmall(f)
		return
	}
	x.Bar.Draw(f, x.At.Header)
	a, s := &x.At, x.State
	if r := a.Panel[layout.Candidates]; !r.Empty() {
		x.Candidates.Draw(f)
	}
	if r := a.Panel[layout.Recipe]; !r.Empty() {
		p := recipe.Panel{State: s, Focused: x.Focus == layout.Recipe, Held: x.Candidates.Rows.Held, Since: x.Lesson.Since()}
		p.Draw(f, r)
	}
	believed := x.belief()
	if !a.Belief.Empty() {
		believed.Draw(f, a.Belief)
	}
	if !a.Brief.Empty() {
		believed.DrawBrief(f, a.Brief)
	}
	if !a.Panel[layout.Lesson].Empty() {
		x.Lesson.Draw(f, x.Focus == layout.Lesson)
	}
	if !a.Panel[layout.Handoffs].Empty() {
		x.Handoffs.Draw(f)
	}
	if !a.Panel[layout.Messages].Empty() {
		x.Messages.Draw(f)
	}
	for p := layout.Selected; p < layout.Panels; p++ {
		if !a.Panel[p].Empty() {
			x.text(p).Draw(f)
		}
	}
	fades := append(slices.Delete(slices.Clone(a.Panel[:]), int(layout.Lesson), int(layout.Selected)), a.Belief, a.Brief)
	if x.Stale() {
		for _, r := range fades {
			f.Restyle(r.Inner(), term.Fade)
		}
	}
}

// drawTooSmall says what is missing, in the middle of what there is.
func drawTooSmall(f *term.Frame) {
	text := fmt.Sprintf("electop needs %dx%d, this terminal is %dx%d", layout.MinWidth, layout.MinHeight, f.W, f.H)
	lines := term.Wrap(text, f.W)
	lines = slices.Clip(lines[:min(len(lines), f.H)])
	y := (f.H - len(lines)) / 2
	for i, line := range lines {
		f.Put(max(0, (f.W-term.Width(line))/2), y+i, f.W, term.Text, line)
	}
}
