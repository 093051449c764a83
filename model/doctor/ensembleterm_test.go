package doctor_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
)

// Whatever the ensemble does, a bound holds in the epoch that it names;
// while the epoch cannot be known there is no bound.
func TestRiskBoundsThroughElections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := modeltest.NewSim(t, model.Config{Path: "/e"}, 500*time.Millisecond, 2*time.Second)
		s.Wall = rapid.Bool().Draw(t, "wall")
		switch rapid.IntRange(0, 2).Draw(t, "silent") {
		case 0:
			s.SilentConns = true
		case 1:
			s.SilentDues = true
		}
		for i := range 3 {
			s.Stand(s.Client(uint64(i+1), s.Between("timeout", 4*time.Second, 20*time.Second)))
			s.Run(10 * time.Millisecond)
		}
		s.Every = s.Between("poll", 200*time.Millisecond, 2*time.Second)
		s.Polls(func() time.Duration { return s.Every }, false)
		s.Run(s.Between("warm up", s.Every*2, 40*time.Second))
		victim := s.Clients[rapid.IntRange(1, 3).Draw(t, "victim")]
		victim.Stopped, victim.StopAt = true, s.Tree.Now
		if rapid.Bool().Draw(t, "killed") {
			victim.Server = -1
		}
		var risks []doctor.Risk
		note := func(r doctor.Risk) {
			if r.Candidate.Session == victim.Session {
				risks = append(risks, r)
			}
		}
		s.Check = func(e model.Event) {
			switch b := e.Body.(type) {
			case doctor.RiskChanged:
				if b.Raised {
					note(b.Risk)
				}
			case model.Handoff:
				if b.From != nil && b.From.Session == victim.Session && (b.Cause == model.CauseLeft || b.Cause == model.CauseResigned || b.Cause == model.CauseClosed) {
					t.Fatalf("the session expired: %s, %s", b.Cause, b.Evidence)
				}
			}
		}
		elections := rapid.IntRange(0, 3).Draw(t, "elections")
		for !victim.Over && s.Tree.Now.Sub(victim.StopAt) < 3*time.Minute {
			if elections > 0 && rapid.IntRange(0, 40).Draw(t, "election now") == 0 {
				elections--
				s.Elect()
			}
			s.Run(100 * time.Millisecond)
			if r := s.J.State().Risk(s.Candidate(victim)); r != nil {
				note(*r)
				if s.Leader < 0 && s.Tree.Now.Sub(s.Elected) > s.Every+50*time.Millisecond && !r.By.IsZero() {
					t.Fatalf("a bound while an election is under way: %+v", r)
				}
			}
		}
		if !victim.Over {
			t.Fatal("it did not expire")
		}
		for _, r := range risks {
			if !r.By.IsZero() && r.Epoch == victim.Epoch && r.By.Before(victim.Expired) {
				t.Fatalf("expired %v after the start in epoch %d, and its bound of that epoch was %v: %+v, all %d",
					victim.Expired.Sub(modeltest.Start), victim.Epoch, r.By.Sub(modeltest.Start), r, len(risks))
			}
			if r.NotBefore.After(victim.Expired) {
				t.Fatalf("expired %v after the start, not before %v", victim.Expired.Sub(modeltest.Start), r.NotBefore.Sub(modeltest.Start))
			}
		}
	})
}
