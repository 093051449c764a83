package mainscreen

import (
	"fmt"
	"slices"

	"electop/ui/findings"
	"electop/ui/inspect"
	"electop/ui/layout"
	"electop/ui/recipe"
	"electop/ui/servers"
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
	if !a.About.Empty() {
		v := inspect.Panel{State: s, Row: x.Candidates.Row()}
		v.Draw(f, a.About)
	}
	if !a.Doctor.Empty() {
		findings.Draw(f, a.Doctor, s, x.AsOf(f), x.Unasked)
	}
	if !a.Servers.Empty() {
		v := x.Ensemble()
		v.Draw(f, a.Servers)
	}
	fades := append(a.Panel[:layout.Lesson:layout.Lesson], a.Belief, a.Brief, a.About, a.Doctor, a.Servers)
	if x.Stale() {
		for _, r := range fades {
			f.Restyle(r.Inner(), term.Fade)
		}
	}
}

// Ensemble is the panel of the servers.
func (x *Screen) Ensemble() servers.Panel {
	return servers.Panel{State: x.State, Asking: x.Asking, Why: x.Unasked}
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
