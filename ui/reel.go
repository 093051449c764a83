package ui

import (
	"strconv"

	"electop/model/znode"
)

// reel is the recording that is played, nil for what is live.
func (d *dashboard) reel() Reel {
	if r, ok := d.o.Past.(Reel); ok && d.o.Mode == ModeReplay {
		return r
	}
	return nil
}

// reelSpans say where in a recording the screen is: REPLAY 12:04:31 / 12:34:00 x4.
func (d *dashboard) reelSpans(f *frame, p Playing) []span {
	at := f.now
	if d.past.on {
		at = d.since
	}
	st, text := styleLead, " "+znode.Safe(d.o.Mode, 16)+" "+f.clock(at)
	if d.past.on {
		st = styleBadgeCut
	}
	out := []span{{styleText, " ", 7}, {st, text, 9}}
	if !p.Last.IsZero() {
		out = append(out, span{st, " / " + f.clock(p.Last), 8})
	}
	if p.Speed > 0 && p.Speed != 1 {
		out = append(out, span{st, " x" + strconv.FormatFloat(p.Speed, 'g', 4, 64), 6})
	}
	out = append(out, span{st, " ", 9})
	switch {
	case p.Ended && !d.past.on:
		out = append(out, span{styleYou, " ended", 7})
	case p.Stopped && !d.past.on:
		out = append(out, span{styleYou, " stopped", 7})
	}
	return out
}
