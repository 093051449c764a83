package mainscreen

import (
	"electop/model"
	"electop/model/units"
	"electop/ui/belief"
	"electop/ui/candidates"
	"electop/ui/detail"
	"electop/ui/handoffs"
	"electop/ui/header"
	"electop/ui/layout"
	"electop/ui/pager"
	"electop/ui/term"
	"electop/ui/wording"
)

// Stale reports whether the picture may be wrong by now.
func (x *Shown) Stale() bool {
	s := x.State
	return x.Ended && !x.Replay && x.Held != header.Past || !s.DownSince.IsZero() && s.Link.Link != model.Connected
}

// AsOf says how old a stale picture is, "" for a current one.
func (x *Shown) AsOf(f *term.Frame) string {
	if !x.Stale() {
		return ""
	}
	if x.Held == header.Past {
		return "as of " + f.Clock(x.State.DownSince) + ", there is no connection"
	}
	f.Ticks(term.TickCalm)
	return "as of " + f.Clock(f.Picture) + ", " + units.Seconds(f.Now.Truncate(term.TickCalm).Sub(f.Picture)) + " ago"
}

// candidates is what the panel of candidates shows. It says how slowly
// the server answers where the recipe is not beside it.
func (x *Screen) candidates(f *term.Frame) candidates.Shown {
	s, focused := x.State, x.Focus == layout.Candidates
	return candidates.Shown{
		State: s, Focused: focused, Zoomed: x.Zoomed && focused,
		Pace: !x.Wide || x.Zoomed || s.Work.Rules.Workers || wording.Foreign(s) != nil,
		AsOf: x.AsOf(f), Why: candidates.Explain(f, s, x.Cluster, x.Spawns, x.Campaigns),
		PointedAt: x.Lesson.Target(), Since: x.Lesson.Since(), Moment: x.Held == header.Past,
	}
}

// belief is the panel of what is believed and what is so.
func (x *Screen) belief() belief.Panel {
	return belief.Panel{State: x.State, Focused: x.Focus == layout.Recipe, Wide: x.Wide}
}

// content is what a text says, on lines of w cells.
func (x *Screen) content(f *term.Frame, p layout.Panel, w int) (text pager.Text) {
	v := detail.Panel{
		State: x.State, Row: x.Candidates.Row(), ReadAt: x.Reread, Stale: x.AsOf(f), Asking: x.Asking, Why: x.Unasked,
	}
	key := ""
	switch p {
	case layout.Selected:
		text, key = v.Candidate(f, w), "enter"
	case layout.Doctor:
		text, key = v.Doctor(f, w), "!"
	default:
		text, key = v.Servers(f, w), "S"
	}
	if x.Focus != p {
		text.Key = key
	}
	return text
}

// handoffs is what the panel of handoffs shows: what came after the moment that is on
// the screen, too.
func (x *Screen) handoffs(f *term.Frame) handoffs.Shown {
	believed := x.belief()
	out := handoffs.Shown{
		State: x.State, Focused: x.Focus == layout.Handoffs, Properties: believed.PropertySpans(f),
		Zoomed: x.Zoomed, Now: f.Calm(), Selected: x.Candidates.Row().Ref(),
	}
	if x.Held == header.Live {
		out.Came = x.Came
	}
	switch reel, j := x.Playing, x.Journey; {
	case reel != nil:
		out.Head, out.Whole, out.First, out.Last = f.Picture, reel.Whole, reel.First, reel.Last
		if !reel.Stopped && !reel.Ended {
			out.Playing = f.Theme.Glyph.Play
		}
	case j.On && j.Known:
		out.Playing = j.PlayWords(&f.Theme.Glyph)
		out.Head, out.Whole, out.Now = j.Shown, j.Whole.State, j.Whole.At.Truncate(term.TickCalm)
	}
	return out
}
