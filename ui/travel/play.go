package travel

import (
	"strconv"
	"time"

	"electop/model/doctor"
	"electop/ui/term"
)

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

// Whole is the election as it was when the user went back in time, or to the last moment:
// with what came after the moment that is shown.
type Whole struct {
	State *doctor.State
	At    time.Time
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
