// Package travel finds other moments of an election and says what happened at
// them. A [Journey] follows the user's moves from moment to moment; [Words] says what
// happened at one, and [Playback] shows the position in a recording.
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

// Journey is a journey through the past. While it is on, the picture of one election is
// held at an earlier moment. One search is under way at a time; the
// moves that the user makes meanwhile are the next one.
type Journey struct {
	On    bool
	Known bool // Found is the moment that is shown; otherwise it is being searched for
	Found
	// Shown is the time that is shown: of the moment, or after it while time passes.
	Shown time.Time
	Whole Whole
	// Selected is the user's choice, also at moments at which it does not exist.
	Selected model.Ref

	in      Past
	path    string
	moving  bool      // a search is under way
	wanted  []move    // of the next one
	played  time.Time // the time up to which the moments are played then if no move is wanted; zero: they are not
	play    play
	gen     uint64 // an answer to an older journey is late
	leaving bool   // the playback continues as soon as the search is over
}

// Whole is the election as it was when the user went back in time, or to the last moment:
// with what came after the moment that is shown.
type Whole struct {
	State *doctor.State
	At    time.Time
}

// A Search finds a moment. It takes a while and runs outside the event loop.
type Search func(context.Context) Arrival

// Arrival is the moment that a search found.
type Arrival struct {
	gen uint64
	Found
	Err error // the playback could not be stopped
}

// Begin starts a journey in the election at path: first to the moment that is
// shown now. stop stops the playback of a recording.
func (j *Journey) Begin(in Past, path string, selected model.Ref, stop func(context.Context) error) Search {
	*j = Journey{On: true, in: in, path: path, gen: j.gen + 1, moving: true, Selected: selected, play: play{speed: j.play.speed}}
	gen := j.gen
	return func(ctx context.Context) Arrival {
		n, to := uint64(0), history.MoveToLast
		if reel, ok := in.(Reel); ok {
			if now := reel.Playing(); !now.Stopped && !now.Ended {
				if err := stop(ctx); err != nil {
					return Arrival{gen: gen, Err: err}
				}
			}
			n, to = reel.Playing().N, history.MoveTo
		}
		return Arrival{gen: gen, Found: withBefore(in, path, seek(to)(ctx, in, path, Found{At: history.Moment{N: n}}))}
	}
}

// End returns to the present.
func (j *Journey) End() { *j = Journey{gen: j.gen + 1, play: play{speed: j.play.speed}} }

// Go adds a move and returns the search for it, nil while one is under way.
func (j *Journey) Go(m history.Move) Search {
	if m == history.MoveToFirst || m == history.MoveToLast {
		j.wanted = nil // needless
	}
	j.Stop()
	j.wanted, j.played = append(j.wanted, seek(m)), time.Time{}
	return j.next()
}

// GoTo goes to a time, instead of the moves that wait, and returns the search for it, nil
// while one is under way.
func (j *Journey) GoTo(t time.Time) Search {
	j.Stop()
	j.wanted, j.played = []move{momentAt(t)}, time.Time{}
	return j.next()
}

// PlayTo goes on to the last moment that is not later than t, and returns the search for
// it, nil while one is under way, or if that is the moment which is shown.
func (j *Journey) PlayTo(t time.Time) Search {
	if !j.Known || j.At.Last || !j.After.IsZero() && t.Before(j.After) {
		return nil
	}
	j.played = t
	return j.next()
}

// Plays reports whether time passes in the past.
func (j *Journey) Plays() bool { return j.play.on }

// PlayWords say how time passes, with the sign for it; "" if it does not.
func (j *Journey) PlayWords(g *term.Glyphs) string {
	switch p := &j.play; {
	case !p.on:
		return ""
	case p.rate() == 1:
		return g.Play
	default:
		return g.Play + " x" + strconv.FormatFloat(p.rate(), 'g', 3, 64)
	}
}

// Play lets time pass from the moment that is shown.
func (j *Journey) Play(now time.Time) { j.play.on, j.play.from, j.play.began = true, j.Shown, now }

// Stop holds the moment that is shown.
func (j *Journey) Stop() { j.play.on = false }

// PlayOn continues the playback, and returns the search for its moment, nil for none.
func (j *Journey) PlayOn(now time.Time) Search {
	if !j.play.on || !j.On {
		return nil
	}
	j.Shown = j.play.at(now)
	return j.PlayTo(j.Shown)
}

// Pace makes the playback faster by that factor, and returns its speed.
func (j *Journey) Pace(by float64, now time.Time) float64 {
	if p := &j.play; p.on {
		p.from, p.began = p.at(now), now
	}
	j.play.speed = max(slowest, min(fastest, j.play.rate()*by))
	return j.play.speed
}

// Leave reports whether the journey can end now. If not, it ends with the search
// that is under way, which would stop the playback again.
func (j *Journey) Leave() bool {
	j.leaving = j.moving
	return !j.moving
}

// Arrive takes what a search found, and reports whether it belongs to this
// journey.
func (j *Journey) Arrive(a Arrival) bool {
	if !j.On || a.gen != j.gen {
		return false
	}
	j.moving = false
	if a.OK && a.At.State != nil {
		j.Found, j.Known = a.Found, true
	}
	return true
}

// Show shows the moment that was found. latest is the newest state of the election.
func (j *Journey) Show(latest *doctor.State, now time.Time) {
	j.Shown = j.At.At
	if j.At.Last {
		j.Whole, j.play.on = Whole{latest, now}, false
	}
	if at := j.play.at(now); j.play.on && at.After(j.Shown) {
		j.Shown = at
	}
}

// Next says what comes after an arrival: the end of the journey, or the search
// for the moves that wait, nil for none.
func (j *Journey) Next() (next Search, leave bool) {
	if j.leaving {
		return nil, true
	}
	return j.next(), false
}

func (j *Journey) next() Search {
	gen, in, path, here, moves := j.gen, j.in, j.path, j.Found, j.wanted
	if len(moves) == 0 && !j.played.IsZero() {
		moves = []move{playTo(j.played)}
	}
	if j.moving || len(moves) == 0 {
		return nil
	}
	j.moving, j.wanted, j.played = true, nil, time.Time{}
	return func(ctx context.Context) Arrival {
		for _, m := range moves {
			if ctx.Err() == nil {
				here = m(ctx, in, path, here)
			}
		}
		return Arrival{gen: gen, Found: withBefore(in, path, here)}
	}
}

// play is how the past of a running election is played: time passes from one moment on.
// A recording is played by its source.
type play struct {
	on    bool
	from  time.Time // moment at which it began
	began time.Time // by the real clock
	speed float64   // 0: 1
}

// Speeds at which the past is played.
const (
	slowest = 1. / 16
	fastest = 256.
)

// at is the time that the playback has reached.
func (p *play) at(now time.Time) time.Time {
	return p.from.Add(time.Duration(float64(now.Sub(p.began)) * p.rate()))
}

func (p *play) rate() float64 { return cmp.Or(p.speed, 1) }

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

// A move leads from a moment to another one of the election at path.
type move func(ctx context.Context, in Past, path string, here Found) Found

// seek goes where a key leads.
func seek(m history.Move) move {
	return func(_ context.Context, in Past, path string, here Found) Found {
		if at, ok := in.Seek(path, here.At.N, m); ok {
			return Found{At: at, OK: true}
		}
		return here
	}
}

// withBefore adds the state at the moment before, if that is needed.
func withBefore(in Past, path string, m Found) Found {
	if !m.OK || m.Before != nil || m.At.First || !needsBefore(m.At.Events) {
		return m
	}
	if at, ok := in.Seek(path, m.At.N, history.MoveBack); ok && at.N != m.At.N {
		m.Before = at.State
	}
	if _, ok := in.(Reel); ok {
		in.Seek(path, m.At.N, history.MoveTo) // where to continue playing
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

// playTo goes on to the last moment that is not later than t.
func playTo(t time.Time) move {
	return func(ctx context.Context, in Past, path string, here Found) Found {
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
}

// momentAt goes to the last moment that is not later than t, or to the first one that is
// kept.
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
		for hi-lo > 1 && ctx.Err() == nil { // lo is not later than t, hi is
			mid := lo + (hi-lo)/2
			at, ok := in.Seek(path, mid, history.MoveTo)
			switch {
			case !ok || at.N <= lo || at.N >= hi: // it is not kept any more
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
