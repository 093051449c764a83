package ui

import (
	"fmt"
	"slices"

	"electop/model/units"
	"electop/ui/header"
	"electop/ui/layout"
	"electop/ui/term"
)

// header is what the first line says now.
func (d *dashboard) header() header.Bar {
	b := header.Bar{
		State: d.shown(), Number: slices.Index(d.views, d.view) + 1, Watched: len(d.views), Wide: d.w >= layout.WideFrom, Roomy: d.w >= layout.AsideFrom,
		Cluster: d.o.Cluster, Role: d.o.Role, Badge: d.o.Mode,
		Since: d.past.since(), Stopped: d.past.stopped, Ended: d.ended, Replay: d.o.Mode == ModeReplay,
	}
	switch {
	case d.past.journey.On:
		b.Held = header.Past
	case d.paused != nil:
		b.Held, b.Waiting = header.Paused, d.waiting()
	}
	if reel := d.past.reel(); reel != nil {
		playing := reel.Playing()
		b.Playing = &playing
	}
	return b
}

// asOf says how old a stale picture is, "" for a current one.
func (d *dashboard) asOf(f *term.Frame) string {
	if !d.stale() {
		return ""
	}
	if d.past.journey.On {
		return "as of " + f.Clock(d.shown().DownSince) + ", there is no connection"
	}
	f.Ticks(term.TickCalm)
	return "as of " + f.Clock(f.Picture) + ", " + units.Seconds(f.Now.Truncate(term.TickCalm).Sub(f.Picture)) + " ago"
}

// tooSmall says what size is needed.
func tooSmall(w, h int) string {
	return fmt.Sprintf("electop needs %dx%d, this terminal is %dx%d", layout.MinWidth, layout.MinHeight, w, h)
}
