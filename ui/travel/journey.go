package travel

import (
	"context"
	"strconv"
	"time"

	"electop/model/doctor"
	"electop/model/history"
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
