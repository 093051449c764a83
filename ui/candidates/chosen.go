package candidates

import (
	"strconv"

	"electop/model"
	"electop/model/phrase"
	"electop/model/units"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// drawChosen says in a line who is selected.
func (v *Panel) drawChosen(f *term.Frame, p *term.Pen, w *wave) {
	s := v.State
	r := v.Rows.At(v.Index)
	if r.Ref() == (rows.Ref{}) {
		return
	}
	p.Text(term.Strong, term.Cut(r.Name(), p.Room()-1))
	if r.Candidate == nil {
		fate := wording.FateOf(s, r.Member)
		p.Text(term.Muted, "  "+fate.Text()+fate.Truth)
		return
	}
	words := "  " + phrase.Brief(r.Candidate)
	if standing := phrase.Standing(s, r.Position).Row; r.Position > 0 && r.Position < wording.Holders(s) {
		words += ", " + phrase.RoleOf(s).Has
	} else if r.Position < wording.Holders(s) {
		words += ": " + phrase.RoleHolders(s, phrase.Label)
	} else if standing != "" {
		words += ", " + standing
	} else {
		words += ", waits at position " + strconv.Itoa(r.Position+1) + " of " + strconv.Itoa(s.Queue.Len())
	}
	switch w.phaseIn(r.Candidate.Session) {
	case notified:
		words += ", notified"
	case reading:
		words += ", reads the list again"
	case done:
		words += ", done"
	default:
		if n := s.Notified(r.Candidate.Session); n > 0 {
			words += ", notified " + timesOf(n)
		}
	}
	if to := wording.Target(s, r.Position); to != nil {
		words += ", behind " + to.Label()
	}
	if r.Member != nil && r.Member.Fault != model.NoFault {
		words += ", " + string(r.Member.Fault)
	}
	old, exact := r.Candidate.Age(f.Calm())
	if !exact {
		words += ", " + f.Theme.Glyph.Inferred + units.Age(old)
	} else {
		words += ", " + units.Age(old)
	}
	p.Fit(p.Room()-1, term.Muted, words)
}
