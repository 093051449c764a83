package travel_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/ui/travel"
)

type past struct{ seeks []history.Move }

func (p *past) Seek(_ string, n uint64, m history.Move) (history.Moment, bool) {
	p.seeks = append(p.seeks, m)
	switch m {
	case history.MoveToLast:
		n = 10
	case history.MoveToFirst:
		n = 1
	case history.MoveBack, history.MoveBackToEvent, history.MoveBackToHandoff:
		n = max(1, n-1)
	case history.MoveOn, history.MoveToEvent, history.MoveToHandoff:
		n = min(10, n+1)
	}
	return history.Moment{N: n, First: n == 1, Last: n == 10, State: doctor.NewJournal(model.Config{}).State(), Events: []model.Event{{N: n}}}, true
}

func begun(t *testing.T) (*travel.Journey, *past) {
	t.Helper()
	p, j := new(past), new(travel.Journey)
	search := j.Begin(p, "/e", model.Ref{}, nil)
	if !j.On || j.Known {
		t.Fatalf("before the arrival: got On %v, Known %v, want true, false", j.On, j.Known)
	}
	if !j.Arrive(search(t.Context())) || !j.Known || j.At.N != 10 {
		t.Fatalf("got Known %v at moment %d, want true at 10", j.Known, j.At.N)
	}
	if next, leave := j.Next(); next != nil || leave {
		t.Fatalf("after the first arrival: got a search %v, leave %v, want neither", next != nil, leave)
	}
	p.seeks = nil
	return j, p
}

func TestOneSearchAtATime(t *testing.T) {
	const back, on = history.MoveBackToEvent, history.MoveToEvent
	for _, c := range []struct {
		name   string
		wanted []history.Move
		seeks  []history.Move
		at     uint64
	}{
		{"one", []history.Move{back}, []history.Move{back}, 8},
		{"two", []history.Move{back, back}, []history.Move{back, back}, 7},
		{"other steps", []history.Move{back, history.MoveOn}, []history.Move{back, history.MoveOn}, 9},
		{"to the first moment", []history.Move{back, history.MoveBackToHandoff, history.MoveToFirst}, []history.Move{history.MoveToFirst}, 1},
		{"from the first moment", []history.Move{back, history.MoveToFirst, on}, []history.Move{history.MoveToFirst, on}, 2},
	} {
		j, p := begun(t)
		first := j.Go(back)
		for _, m := range c.wanted {
			if j.Go(m) != nil {
				t.Errorf("%s: %s began a second search", c.name, m)
			}
		}
		j.Arrive(first(t.Context()))
		next, _ := j.Next()
		if next != nil {
			j.Arrive(next(t.Context()))
		}
		if again, _ := j.Next(); again != nil {
			t.Errorf("%s: got a third search", c.name)
		}
		if want := append([]history.Move{back}, c.seeks...); !slices.Equal(p.seeks, want) || j.At.N != c.at {
			t.Errorf("%s: got seeks %q to moment %d, want %q to %d", c.name, p.seeks, j.At.N, want, c.at)
		}
	}
}

func TestLateArrival(t *testing.T) {
	j, p := begun(t)
	late := j.Go(history.MoveToFirst)(t.Context())
	j.End()
	if j.Arrive(late) || j.On {
		t.Error("the ended journey accepts a late arrival")
	}
	j.Begin(p, "/e", model.Ref{}, nil)
	if j.Arrive(late) || j.Known {
		t.Error("the next journey accepts a late arrival")
	}
}

func TestLeave(t *testing.T) {
	j, _ := begun(t)
	search := j.Go(history.MoveBack)
	if j.Leave() {
		t.Fatal("a search runs: got Leave true, want false")
	}
	j.Go(history.MoveBack)
	j.Arrive(search(t.Context()))
	if next, leave := j.Next(); !leave || next != nil {
		t.Errorf("after the search: got leave %v, a search %v, want true, false", leave, next != nil)
	}
	j, _ = begun(t)
	if !j.Leave() {
		t.Error("no search runs: got Leave false, want true")
	}
}

type recording struct {
	past
	playing travel.Playing
}

func (r *recording) Playing() travel.Playing { return r.playing }

func TestBeginStopsARunningPlayback(t *testing.T) {
	for _, c := range []struct {
		playing travel.Playing
		fails   error
		stops   int
	}{
		{travel.Playing{N: 4}, nil, 1},
		{travel.Playing{N: 4}, errors.New("no"), 1},
		{travel.Playing{N: 4, Stopped: true}, nil, 0},
		{travel.Playing{N: 10, Ended: true}, nil, 0},
	} {
		r, j, stops := &recording{playing: c.playing}, new(travel.Journey), 0
		a := j.Begin(r, "/e", model.Ref{}, func(context.Context) error { stops++; return c.fails })(t.Context())
		if stops != c.stops || a.Err != c.fails {
			t.Errorf("%+v: got %d stops and error %v, want %d and %v", c.playing, stops, a.Err, c.stops, c.fails)
		}
		if !j.Arrive(a) || j.Known != (c.fails == nil) || j.Known && j.At.N != c.playing.N {
			t.Errorf("%+v: got Known %v at moment %d, want %v at %d", c.playing, j.Known, j.At.N, c.fails == nil, c.playing.N)
		}
	}
}

type clock struct{ past }

func (p *clock) Seek(path string, n uint64, m history.Move) (history.Moment, bool) {
	at, ok := p.past.Seek(path, n, m)
	at.At = time.Unix(int64(at.N), 0)
	return at, ok
}

func TestPlayTo(t *testing.T) {
	p, j := new(clock), new(travel.Journey)
	j.Arrive(j.Begin(p, "/e", model.Ref{}, nil)(t.Context()))
	j.Arrive(j.Go(history.MoveToFirst)(t.Context()))
	for _, c := range []struct {
		to     time.Time
		search bool
		n      uint64
	}{
		{time.Unix(1, 5e8), true, 1}, // the time of the next moment is unknown
		{time.Unix(1, 7e8), false, 1},
		{time.Unix(4, 1), true, 4},
		{time.Unix(4, 9e8), false, 4},
		{time.Unix(99, 0), true, 10},
		{time.Unix(100, 0), false, 10},
	} {
		search := j.PlayTo(c.to)
		if (search != nil) != c.search {
			t.Errorf("up to %v: got a search %v, want %v", c.to.Sub(time.Unix(0, 0)), search != nil, c.search)
		}
		if search != nil {
			j.Arrive(search(t.Context()))
		}
		if j.At.N != c.n {
			t.Errorf("up to %v: got moment %d, want %d", c.to.Sub(time.Unix(0, 0)), j.At.N, c.n)
		}
	}
}

func TestPlay(t *testing.T) {
	p, j := new(clock), new(travel.Journey)
	latest, real := doctor.NewJournal(model.Config{}).State(), time.Unix(1000, 0)
	arrive := func(s travel.Search) {
		if j.Arrive(s(t.Context())) {
			j.Show(latest, real)
		}
	}
	arrive(j.Begin(p, "/e", model.Ref{}, nil))
	if j.Whole.State != latest || !j.Whole.At.Equal(real) {
		t.Errorf("at the last moment: got Whole %+v, want the latest state", j.Whole)
	}
	j.Whole = travel.Whole{}
	arrive(j.Go(history.MoveToFirst))
	if j.PlayOn(real) != nil || j.Whole.State != nil {
		t.Error("got a search without Play or a new Whole before the last moment, want neither")
	}
	j.Play(real)
	if speed := j.ScaleSpeed(2, real); speed != 2 {
		t.Errorf("got speed %v, want 2", speed)
	}
	real = real.Add(1250 * time.Millisecond) // 2.5 s of the past
	arrive(j.PlayOn(real))
	if want := time.Unix(3, 5e8); j.At.N != 3 || !j.Shown.Equal(want) || !j.Plays() {
		t.Errorf("got moment %d at %v, playing %v, want moment 3 at %v, playing", j.At.N, j.Shown, j.Plays(), want)
	}
	real = real.Add(time.Hour)
	arrive(j.PlayOn(real))
	if !j.At.Last || j.Plays() || !j.Shown.Equal(j.At.At) {
		t.Errorf("at the end: got last %v, playing %v, time %v, want the last moment, stopped", j.At.Last, j.Plays(), j.Shown)
	}
	j.End()
	j.Begin(p, "/e", model.Ref{}, nil)
	if speed := j.ScaleSpeed(2, real); speed != 4 {
		t.Errorf("got speed %v, want 4: twice the speed of the previous journey", speed)
	}
	j.Play(real)
	if j.GoTo(real); j.Plays() {
		t.Error("after GoTo: the playback is on, want it stopped")
	}
}
