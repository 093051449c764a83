package travel

import (
	"context"
	"slices"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/ui/input"
)

// Past can show earlier moments of the elections watched.
type Past interface {
	// Seek returns the moment to which a move leads from moment n of the election at
	// path. It may take tens of milliseconds and is called outside the event loop.
	// ok is false if no moment is kept.
	Seek(path string, n uint64, m history.Move) (at history.Moment, ok bool)
}

// Reel is the Past of a recording that is being played. Seek stops the
// playback at the moment that it returns.
type Reel interface {
	Past
	// Playing returns how it is being played. It is called for each frame, so it
	// must be quick.
	Playing() Playing
}

// Playing is how a recording is played.
type Playing struct {
	N           uint64    // number of the moment that is shown; 0: none yet
	First, Last time.Time // moments of the recording, as far as it was read
	Speed       float64   // playback speed, 1 is real time; 0: unknown
	Stopped     bool
	Ended       bool // it is at its end
	// Whole is the election at the end of the recording, nil until it was read that far.
	Whole *doctor.State
}

// Found is the moment that a search found.
type Found struct {
	At history.Moment
	// Before is the state at the moment before, nil if there is none.
	Before *doctor.State
	After  time.Time // when the next moment was, zero: not looked for
	OK     bool
}

// seek goes from moment n where the moves lead, one after the other.
func seek(ctx context.Context, in Past, path string, n uint64, moves ...history.Move) (m Found) {
	for _, move := range moves {
		if ctx.Err() != nil {
			return m
		}
		if at, ok := in.Seek(path, n, move); ok {
			m.At, m.OK, n = at, true, at.N
		}
	}
	if !m.OK || m.At.First || !needsBefore(m.At.Events) {
		return m
	}
	if at, ok := in.Seek(path, n, history.MoveBack); ok && at.N != n {
		m.Before = at.State
	}
	if _, ok := in.(Reel); ok {
		in.Seek(path, n, history.MoveTo) // where to continue playing
	}
	return m
}

// needsBefore reports whether the events of a moment do not say all that happened: there are
// none, or the queue changed, and with it who leads.
func needsBefore(events []model.Event) bool {
	return len(events) == 0 || slices.ContainsFunc(events, func(e model.Event) bool {
		switch e.Body.(type) {
		case model.Joined, model.Left, model.Handoff:
			return true
		}
		return false
	})
}

// playedMax is how many moments a search plays at most: the next one goes on.
const playedMax = 256

// playTo goes on from a moment to the last one that is not later than t.
func playTo(ctx context.Context, in Past, path string, here Found, t time.Time) Found {
	for range playedMax {
		next, ok := in.Seek(path, here.At.N, history.MoveOn)
		if ctx.Err() != nil || !ok || next.N == here.At.N {
			break
		}
		if next.At.After(t) {
			here.After = next.At
			break
		}
		here = Found{OK: true, At: next, Before: here.At.State}
	}
	return here
}

// momentAt is the number of the last moment that is not later than t, or of the first one
// that is kept; 0 if none is.
func momentAt(ctx context.Context, in Past, path string, t time.Time) uint64 {
	first, ok := in.Seek(path, 0, history.MoveToFirst)
	if !ok || first.At.After(t) {
		return first.N
	}
	last, ok := in.Seek(path, 0, history.MoveToLast)
	if !ok || !last.At.After(t) {
		return last.N
	}
	lo, hi := first.N, last.N // lo is not later than t, hi is
	for hi-lo > 1 && ctx.Err() == nil {
		mid := lo + (hi-lo)/2
		at, ok := in.Seek(path, mid, history.MoveTo)
		switch {
		case !ok || at.N <= lo || at.N >= hi: // it is not kept any more
			return lo
		case at.At.After(t):
			hi = at.N
		default:
			lo = at.N
		}
	}
	return lo
}

// MoveOf is the move that a key makes.
func MoveOf(do input.Command) (m history.Move, ok bool) {
	m, ok = map[input.Command]history.Move{
		input.CmdEarlier: history.MoveBackToEvent, input.CmdLater: history.MoveToEvent,
		input.CmdStepOn:   history.MoveOn,
		input.CmdHandBack: history.MoveBackToHandoff, input.CmdHandOn: history.MoveToHandoff,
		input.CmdEarliest: history.MoveToFirst, input.CmdLatest: history.MoveToLast,
	}[do]
	return m, ok
}

// also adds a move to those that wait. One that undoes the last takes it back,
// and one to an end makes those before it needless.
func also(wanted []history.Move, m history.Move) []history.Move {
	undoes := map[history.Move]history.Move{
		history.MoveBackToEvent: history.MoveToEvent, history.MoveToEvent: history.MoveBackToEvent,
		history.MoveBackToHandoff: history.MoveToHandoff, history.MoveToHandoff: history.MoveBackToHandoff,
	}
	n := len(wanted)
	switch {
	case m == history.MoveToFirst || m == history.MoveToLast:
		return append(wanted[:0:0], m)
	case n > 0 && undoes[wanted[n-1]] == m:
		return wanted[:n-1]
	}
	return append(wanted, m)
}
