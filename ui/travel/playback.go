package travel

import (
	"strconv"
	"time"

	"electop/model/znode"
	"electop/ui/term"
)

// Playback shows the position in a recording: REPLAY 12:04:31 / 12:34:00 x4. held
// means that the picture is paused.
func Playback(f *term.Frame, mode string, p Playing, at time.Time, held bool) []term.Span {
	st, text := term.Lead, " "+znode.Safe(mode, 16)+" "+f.Clock(at)
	if held {
		st = term.BadgeCut
	}
	out := []term.Span{{Style: term.Text, Text: " ", Keep: 7}, {Style: st, Text: text, Keep: 9}}
	if !p.Last.IsZero() {
		out = append(out, term.Span{Style: st, Text: " / " + f.Clock(p.Last), Keep: 8})
	}
	if p.Speed > 0 && p.Speed != 1 {
		out = append(out, term.Span{Style: st, Text: " x" + strconv.FormatFloat(p.Speed, 'g', 4, 64), Keep: 6})
	}
	out = append(out, term.Span{Style: st, Text: " ", Keep: 9})
	switch {
	case p.Ended && !held:
		out = append(out, term.Span{Style: term.You, Text: " ended", Keep: 7})
	case p.Stopped && !held:
		out = append(out, term.Span{Style: term.You, Text: " stopped", Keep: 7})
	}
	return out
}
