// Package travel finds earlier moments of an election and describes what happened at them.
// A [Journey] follows the user's moves from moment to moment, [Words] describes a moment, and
// [Playback] shows the position in a recording.
package travel

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/ui/input"
	"electop/ui/term"
)

// Journey is the user's time travel. At most one search of a journey runs at a time; the next makes all wanted moves.
type Journey struct {
	On    bool
	Known bool // whether a search has set Found
	Found
	Shown    time.Time // the time on the screen, which playback moves past the moment
	Whole    Whole
	Selected model.Ref // may not exist at the moment that is shown

	in        Past
	path      string
	searching bool
	wanted    []move    // the moves of the next search
	playTo    time.Time // the next search plays up to this time if wanted is empty; zero: none set
	playback  playback
	gen       uint64 // number of the journey; [Journey.Arrive] rejects arrivals of older journeys
	leaving   bool   // the journey ends after the running search
}

// Whole is the latest state at the time At. It includes what came after Shown.
type Whole struct {
	State *doctor.State
	At    time.Time
}

// A Search finds a moment. It is slow, so it runs outside the event loop.
type Search func(context.Context) Arrival

// Arrival is the result of a search. Found is not OK if no moment is known.
type Arrival struct {
	gen uint64
	Found
	Err error // why the playback could not be stopped
}

// Begin starts a journey at the last moment or, in a recording, at the moment on the screen. stop stops the playback.
func (j *Journey) Begin(in Past, path string, selected model.Ref, stop func(context.Context) error) Search {
	*j = Journey{On: true, in: in, path: path, gen: j.gen + 1, searching: true, Selected: selected, playback: playback{speed: j.playback.speed}}
	gen := j.gen
	return func(ctx context.Context) Arrival {
		n, to := uint64(0), history.MoveToLast
		if recording, ok := in.(Recording); ok {
			if now := recording.Playing(); !now.Stopped && !now.Ended {
				if err := stop(ctx); err != nil {
					return Arrival{gen: gen, Err: err}
				}
			}
			n, to = recording.Playing().N, history.MoveTo
		}
		return Arrival{gen: gen, Found: withBefore(in, path, seek(to)(ctx, in, path, Found{At: history.Moment{N: n}}))}
	}
}

// End ends the journey, but keeps the playback speed.
func (j *Journey) End() { *j = Journey{gen: j.gen + 1, playback: playback{speed: j.playback.speed}} }

// Go stops the playback and adds a move; the search is nil while another runs.
func (j *Journey) Go(m history.Move) Search {
	if m == history.MoveToFirst || m == history.MoveToLast {
		j.wanted = nil // the earlier moves have no effect
	}
	j.Stop()
	j.wanted, j.playTo = append(j.wanted, seek(m)), time.Time{}
	return j.next()
}

// GoTo is [Journey.Go] with a move to the time t, and discards the other wanted moves.
func (j *Journey) GoTo(t time.Time) Search {
	j.Stop()
	j.wanted, j.playTo = []move{momentAt(t)}, time.Time{}
	return j.next()
}

// PlayTo moves on, not past t and over at most 256 moments. The search is nil if none is needed or another runs.
func (j *Journey) PlayTo(t time.Time) Search {
	if !j.Known || j.At.Last || !j.After.IsZero() && t.Before(j.After) {
		return nil
	}
	j.playTo = t
	return j.next()
}

// Plays reports whether the playback is on.
func (j *Journey) Plays() bool { return j.playback.on }

// PlayWords returns the playback's sign, and its speed unless that is 1; "" without playback.
func (j *Journey) PlayWords(g *term.Glyphs) string {
	switch p := &j.playback; {
	case !p.on:
		return ""
	case p.rate() == 1:
		return g.Play
	default:
		return g.Play + " x" + strconv.FormatFloat(p.rate(), 'g', 3, 64)
	}
}

// Play starts the playback at the time that is shown.
func (j *Journey) Play(now time.Time) {
	p := &j.playback
	p.on, p.from, p.began = true, j.Shown, now
}

// Stop stops the playback.
func (j *Journey) Stop() { j.playback.on = false }

// PlayOn updates Shown during playback, and returns the search to run, nil for none.
func (j *Journey) PlayOn(now time.Time) Search {
	if !j.playback.on || !j.On {
		return nil
	}
	j.Shown = j.playback.at(now)
	return j.PlayTo(j.Shown)
}

// ScaleSpeed multiplies the speed of the playback, within bounds, and returns the new speed.
func (j *Journey) ScaleSpeed(by float64, now time.Time) float64 {
	p := &j.playback
	if p.on {
		p.from, p.began = p.at(now), now
	}
	p.speed = max(slowest, min(fastest, p.rate()*by))
	return p.speed
}

// Leave reports whether the journey can end now. Otherwise it ends after the running search.
func (j *Journey) Leave() bool {
	j.leaving = j.searching
	return !j.searching
}

// Arrive ends a search, and stores the moment if it was found. It reports whether the search belongs to this journey.
func (j *Journey) Arrive(a Arrival) bool {
	if !j.On || a.gen != j.gen {
		return false
	}
	j.searching = false
	if a.OK && a.At.State != nil {
		j.Found, j.Known = a.Found, true
	}
	return true
}

// Show sets the time on the screen. If the moment is the last one, Show stores latest in Whole and stops the playback.
func (j *Journey) Show(latest *doctor.State, now time.Time) {
	j.Shown = j.At.At
	if j.At.Last {
		j.Whole, j.playback.on = Whole{latest, now}, false
	}
	if at := j.playback.at(now); j.playback.on && at.After(j.Shown) {
		j.Shown = at
	}
}

// Next returns the search to run, nil for none. If leave is set, the journey must end.
func (j *Journey) Next() (next Search, leave bool) {
	if j.leaving {
		return nil, true
	}
	return j.next(), false
}

func (j *Journey) next() Search {
	gen, in, path, here, moves := j.gen, j.in, j.path, j.Found, j.wanted
	if len(moves) == 0 && !j.playTo.IsZero() {
		moves = []move{playTo(j.playTo)}
	}
	if j.searching || len(moves) == 0 {
		return nil
	}
	j.searching, j.wanted, j.playTo = true, nil, time.Time{}
	return func(ctx context.Context) Arrival {
		for _, m := range moves {
			if ctx.Err() == nil {
				here = m(ctx, in, path, here)
			}
		}
		return Arrival{gen: gen, Found: withBefore(in, path, here)}
	}
}

// playback plays the past of a running election. A recording has a playback of its own.
type playback struct {
	on    bool
	from  time.Time // the playback's time at began
	began time.Time // the real time of the last start or change of speed
	speed float64   // 1 is real time; 0 means 1
}

const (
	slowest = 1. / 16
	fastest = 256.
)

func (p *playback) at(now time.Time) time.Time {
	return p.from.Add(time.Duration(float64(now.Sub(p.began)) * p.rate()))
}

func (p *playback) rate() float64 { return cmp.Or(p.speed, 1) }

// Past finds earlier moments of the watched elections.
type Past interface {
	// Seek returns the moment to which m leads from moment n; ok is false without moments.
	// Seek is slow, so call it outside the event loop.
	Seek(path string, n uint64, m history.Move) (at history.Moment, ok bool)
}

// Recording is the past of a recording. Its Seek stops the playback at the returned moment.
type Recording interface {
	Past
	// Playing returns the state of the playback; it is called for each frame.
	Playing() Playing
}

// Playing is the state of a recording's playback.
type Playing struct {
	N           uint64    // number of the moment that is shown; 0: none yet
	First, Last time.Time // time of the first moment that is kept, and the latest time read so far
	Speed       float64   // playback speed, 1 is real time; 0: unknown
	Stopped     bool
	Ended       bool
	Whole       *doctor.State // state at the end of the recording, nil until the end was read
}

// Found is the moment that a search found.
type Found struct {
	At     history.Moment
	Before *doctor.State // the state one moment earlier, nil if it is unknown or not needed
	After  time.Time     // the time of the moment after At, zero: unknown
	OK     bool
}

type move func(ctx context.Context, in Past, path string, here Found) Found

func seek(m history.Move) move {
	return func(_ context.Context, in Past, path string, here Found) Found {
		if at, ok := in.Seek(path, here.At.N, m); ok {
			return Found{At: at, OK: true}
		}
		return here
	}
}

func withBefore(in Past, path string, m Found) Found {
	if !m.OK || m.Before != nil || m.At.First || !needsBefore(m.At.Events) {
		return m
	}
	if at, ok := in.Seek(path, m.At.N, history.MoveBack); ok && at.N != m.At.N {
		m.Before = at.State
	}
	if _, ok := in.(Recording); ok {
		in.Seek(path, m.At.N, history.MoveTo) // moves the playback back to m
	}
	return m
}

func needsBefore(events []model.Event) bool {
	return len(events) == 0 || slices.ContainsFunc(events, func(e model.Event) bool {
		switch e.Body.(type) {
		case model.Joined, model.Left, model.Handoff:
			return true
		}
		return false
	})
}

func playTo(t time.Time) move {
	return func(ctx context.Context, in Past, path string, here Found) Found {
		for range 256 {
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
}

// momentAt returns a move to the last moment not later than t, or to the first if all are later.
func momentAt(t time.Time) move {
	return func(ctx context.Context, in Past, path string, here Found) Found {
		first, ok := in.Seek(path, 0, history.MoveToFirst)
		last, _ := in.Seek(path, 0, history.MoveToLast)
		lo, hi := first.N, last.N
		switch {
		case !ok || first.At.After(t):
			hi = lo
		case !last.At.After(t):
			lo = hi
		}
		for hi-lo > 1 && ctx.Err() == nil { // lo is not later than t, hi is later
			mid := lo + (hi-lo)/2
			at, ok := in.Seek(path, mid, history.MoveTo)
			switch {
			case !ok || at.N <= lo || at.N >= hi: // no moment before hi is kept
				hi = lo
			case at.At.After(t):
				hi = at.N
			default:
				lo = at.N
			}
		}
		here.At.N = lo
		return seek(history.MoveTo)(ctx, in, path, here)
	}
}

// MoveOf returns the move that a command makes, if any.
func MoveOf(do input.Command) (m history.Move, ok bool) {
	m, ok = map[input.Command]history.Move{
		input.CmdEarlier: history.MoveBackToEvent, input.CmdLater: history.MoveToEvent,
		input.CmdStepOn:   history.MoveOn,
		input.CmdHandBack: history.MoveBackToHandoff, input.CmdHandOn: history.MoveToHandoff,
		input.CmdEarliest: history.MoveToFirst, input.CmdLatest: history.MoveToLast,
	}[do]
	return m, ok
}
