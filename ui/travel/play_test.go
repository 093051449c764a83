package travel_test

import (
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/ui/rows"
	"electop/ui/travel"
)

// Time passes from the moment that is shown, at the pace that is wanted, and stands at the
// last moment, from which the whole election is the newest one.
func TestPlay(t *testing.T) {
	p, j := new(clock), new(travel.Journey)
	latest, real := doctor.NewJournal(model.Config{}).State(), time.Unix(1000, 0)
	arrive := func(s travel.Search) {
		if j.Arrive(s(t.Context())) {
			j.Show(latest, real)
		}
	}
	arrive(j.Begin(p, "/e", rows.Ref{}, nil))
	if j.Whole.State != latest || !j.Whole.At.Equal(real) {
		t.Errorf("at the last moment the whole election is %+v", j.Whole)
	}
	j.Whole = travel.Whole{}
	arrive(j.Go(history.MoveToFirst))
	if j.PlayOn(real) != nil || j.Whole.State != nil {
		t.Errorf("it plays without being asked to, or an earlier moment has another whole")
	}
	j.Play(real)
	if speed := j.Pace(2, real); speed != 2 {
		t.Errorf("speed %v", speed)
	}
	real = real.Add(1250 * time.Millisecond) // two and a half seconds there
	arrive(j.PlayOn(real))
	if want := time.Unix(3, 5e8); j.At.N != 3 || !j.Shown.Equal(want) || !j.Plays() {
		t.Errorf("it is at %d and shows %v, want %v; playing %v", j.At.N, j.Shown, want, j.Plays())
	}
	real = real.Add(time.Hour)
	arrive(j.PlayOn(real))
	if !j.At.Last || j.Plays() || !j.Shown.Equal(j.At.At) {
		t.Errorf("at the end: last %v, playing %v, shows %v", j.At.Last, j.Plays(), j.Shown)
	}
	j.End()
	j.Begin(p, "/e", rows.Ref{}, nil)
	if speed := j.Pace(2, real); speed != 4 {
		t.Errorf("the speed of the journey before is not kept: %v", speed)
	}
	j.Play(real)
	if j.GoTo(real); j.Plays() {
		t.Error("it plays on while the user goes elsewhere")
	}
}
