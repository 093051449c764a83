// Package travel finds other moments of an election and says what happened at
// them. A [Journey] goes from one moment to where the user's moves lead; [Words]
// says what happened there, and [Playback] where in a recording the screen is.
package travel

import (
	"context"
	"slices"
	"strconv"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// Journey is where the user is in time. While it is on, the picture of one
// election is held at an earlier moment. One search is under way at a time; the
// moves that the user makes meanwhile make the next one.
type Journey struct {
	On    bool
	Known bool // Found is the moment that is shown; it is being searched for else
	Found
	// Shown is the time that is shown: of the moment, or after it while time passes.
	Shown time.Time
	Whole Whole
	// Selected is the user's choice, also at moments at which it does not exist.
	Selected rows.Ref

	in     Past
	path   string
	moving bool
	to     time.Time // where to go before the moves, zero: nowhere
	wanted []history.Move
	played time.Time // up to when the moments are to be played, zero: they are not
	play   play
	gen    uint64 // an answer to an older journey is late
	// leaving says that the playback goes on as soon as the search is over.
	leaving bool
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
func (j *Journey) Begin(in Past, path string, selected rows.Ref, stop func(context.Context) error) Search {
	*j = Journey{On: true, in: in, path: path, gen: j.gen + 1, moving: true, Selected: selected, play: play{speed: j.play.speed}}
	gen := j.gen
	return func(ctx context.Context) Arrival {
		a := Arrival{gen: gen}
		reel, played := in.(Reel)
		if !played {
			a.Found = seek(ctx, in, path, 0, history.MoveToLast)
			return a
		}
		if now := reel.Playing(); !now.Stopped && !now.Ended {
			if a.Err = stop(ctx); a.Err != nil {
				return a
			}
		}
		a.Found = seek(ctx, in, path, reel.Playing().N, history.MoveTo)
		return a
	}
}

// End returns to the present.
func (j *Journey) End() { *j = Journey{gen: j.gen + 1, play: play{speed: j.play.speed}} }

// Go adds a move and returns the search for it, nil while one is under way.
func (j *Journey) Go(m history.Move) Search {
	j.Stop()
	j.wanted, j.played = also(j.wanted, m), time.Time{}
	return j.next()
}

// GoTo goes to a time and returns the search for it, nil while one is under way. It makes
// the moves before it needless.
func (j *Journey) GoTo(t time.Time) Search {
	j.Stop()
	j.to, j.wanted, j.played = t, nil, time.Time{}
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

// PlayWords say how time passes, with the sign for it; "" where it does not.
func (j *Journey) PlayWords(g *term.Glyphs) string {
	switch p := &j.play; {
	case p.on && p.rate() == 1:
		return g.Play
	case p.on:
		return g.Play + " x" + strconv.FormatFloat(p.rate(), 'g', 3, 64)
	}
	return ""
}

// Play lets time pass from the moment that is shown.
func (j *Journey) Play(now time.Time) { j.play.on, j.play.from, j.play.began = true, j.Shown, now }

// Stop holds the moment that is shown.
func (j *Journey) Stop() { j.play.on = false }

// PlayOn goes where the playback is by now, and returns the search for that, nil for none.
func (j *Journey) PlayOn(now time.Time) Search {
	if !j.play.on || !j.On {
		return nil
	}
	j.Shown = j.play.at(now)
	return j.PlayTo(j.Shown)
}

// Pace makes the playback faster by that factor, and returns its speed.
func (j *Journey) Pace(by float64, now time.Time) float64 {
	j.play.scale(by, now)
	return j.play.rate()
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
	if a.Err == nil && a.OK && a.At.State != nil {
		j.Found, j.Known = a.Found, true
	}
	return true
}

// Show shows the moment that was found. latest is the newest state of the election.
func (j *Journey) Show(latest *doctor.State, now time.Time) {
	j.Shown = j.At.At
	if j.At.Last {
		j.Whole = Whole{latest, now}
	}
	if !j.play.on {
		return
	}
	if j.At.Last {
		j.play.on = false
	} else if at := j.play.at(now); at.After(j.Shown) {
		j.Shown = at
	}
}

// Next says what comes after an arrival: the end of the journey, or the search
// for where the user wants to be by now, nil if that is here.
func (j *Journey) Next() (next Search, leave bool) {
	if j.leaving {
		return nil, true
	}
	return j.next(), false
}

func (j *Journey) next() Search {
	if j.moving || len(j.wanted) == 0 && j.to.IsZero() && j.played.IsZero() {
		return nil
	}
	if t := j.played; !t.IsZero() {
		gen, in, path, here := j.gen, j.in, j.path, j.Found
		j.moving, j.played = true, time.Time{}
		return func(ctx context.Context) Arrival { return Arrival{gen: gen, Found: playTo(ctx, in, path, here, t)} }
	}
	gen, n, moves, to := j.gen, j.At.N, j.wanted, j.to
	in, path := j.in, j.path
	j.moving, j.wanted, j.to = true, nil, time.Time{}
	return func(ctx context.Context) Arrival {
		if !to.IsZero() {
			n = momentAt(ctx, in, path, to)
			moves = append([]history.Move{history.MoveTo}, moves...)
		}
		return Arrival{gen: gen, Found: seek(ctx, in, path, n, moves...)}
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

func (p *play) rate() float64 {
	if p.speed == 0 {
		return 1
	}
	return p.speed
}

// scale plays faster or slower from now on.
func (p *play) scale(by float64, now time.Time) {
	if p.on {
		p.from, p.began = p.at(now), now
	}
	p.speed = max(slowest, min(fastest, p.rate()*by))
}

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
