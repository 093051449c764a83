package model_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
)

// Whatever the ensemble does, a bound holds in the epoch that it names;
// while the epoch cannot be known there is no bound.
func TestRiskBoundsThroughElections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSim(t, model.Config{Path: "/e"}, 500*time.Millisecond, 2*time.Second)
		s.wall = rapid.Bool().Draw(t, "wall")
		switch rapid.IntRange(0, 2).Draw(t, "silent") {
		case 0:
			s.silentConns = true
		case 1:
			s.silentDues = true
		}
		for i := range 3 {
			s.stand(s.client(uint64(i+1), s.between("timeout", 4*time.Second, 20*time.Second)))
			s.run(10 * time.Millisecond)
		}
		s.every = s.between("poll", 200*time.Millisecond, 2*time.Second)
		s.polls(func() time.Duration { return s.every }, false)
		s.run(s.between("warm up", s.every*2, 40*time.Second))
		victim := s.clients[rapid.IntRange(1, 3).Draw(t, "victim")]
		victim.stopped, victim.stopAt = true, s.tree.now
		if rapid.Bool().Draw(t, "killed") {
			victim.server = -1
		}
		var risks []doctor.Risk
		note := func(r doctor.Risk) {
			if r.Candidate.Session == victim.session {
				risks = append(risks, r)
			}
		}
		s.check = func(e model.Event) {
			switch b := e.Body.(type) {
			case doctor.RiskChanged:
				if b.Raised {
					note(b.Risk)
				}
			case model.Handoff:
				if b.From != nil && b.From.Session == victim.session && (b.Cause == model.CauseLeft || b.Cause == model.CauseResigned || b.Cause == model.CauseClosed) {
					t.Fatalf("the session expired: %s, %s", b.Cause, b.Evidence)
				}
			}
		}
		elections := rapid.IntRange(0, 3).Draw(t, "elections")
		for !victim.over && s.tree.now.Sub(victim.stopAt) < 3*time.Minute {
			if elections > 0 && rapid.IntRange(0, 40).Draw(t, "election now") == 0 {
				elections--
				s.elect()
			}
			s.run(100 * time.Millisecond)
			if r := s.j.State().Risk(s.candidate(victim)); r != nil {
				note(*r)
				if s.leader < 0 && s.tree.now.Sub(s.elected) > s.every+50*time.Millisecond && !r.By.IsZero() {
					t.Fatalf("a bound while an election is under way: %+v", r)
				}
			}
		}
		if !victim.over {
			t.Fatal("it did not expire")
		}
		for _, r := range risks {
			if !r.By.IsZero() && r.Epoch == victim.epoch && r.By.Before(victim.expired) {
				t.Fatalf("expired %v after the start in epoch %d, and its bound of that epoch was %v: %+v, all %d",
					victim.expired.Sub(start), victim.epoch, r.By.Sub(start), r, len(risks))
			}
			if r.NotBefore.After(victim.expired) {
				t.Fatalf("expired %v after the start, not before %v", victim.expired.Sub(start), r.NotBefore.Sub(start))
			}
		}
	})
}
