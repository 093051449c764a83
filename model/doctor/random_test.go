package doctor_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
)

// A correct election, however its candidates come and go and whenever the
// servers are asked, has no finding above info, and no edge is said to be wrong
// or missing.
func TestHealthyElection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := model.Config{Path: "/e"}
		s := newSim(t, cfg, 500*time.Millisecond, 2*time.Second)
		s.Check = func(e model.Event) {
			switch b := e.Body.(type) {
			case doctor.FindingChanged:
				if b.Finding.Severity != doctor.Info && b.Finding.ID != "flapping" {
					t.Fatalf("%v: %s %+v", e.At.Sub(modeltest.Start), b.Finding.ID, b.Finding)
				}
			case model.Handoff:
				if b.Cause == model.CauseExpired {
					t.Fatalf("nobody's session expired: %s", b.Evidence)
				}
			}
		}
		n := rapid.IntRange(2, 6).Draw(t, "candidates")
		moved := map[*simClient]bool{}
		for i := range n {
			c := s.client(uint64(i+1), s.between("timeout", 3*time.Second, 20*time.Second))
			s.stand(c)
			s.run(s.between("pause", 0, 200*time.Millisecond))
		}
		often := s.between("poll", 300*time.Millisecond, 3*time.Second)
		s.polls(func() time.Duration { return s.between("until the next poll", often/4, often) }, true)
		verified := 0
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			switch c := s.Clients[rapid.IntRange(1, len(s.Clients)-1).Draw(t, "who")]; rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				s.withdraw(c)
			case 1: // steps back and stands again, as a reset does
				s.withdraw(c)
				s.At(s.between("until it stands again", 0, time.Second), func() { s.stand(c) })
			case 2:
				s.stand(c)
			case 3:
				s.end(c)
			case 4:
				if !moved[c] {
					moved[c] = true
					s.move(c)
				}
			}
			for range rapid.IntRange(1, 3).Draw(t, "looks") {
				s.run(s.between("time", time.Millisecond, 2*time.Second))
				st := s.J.State()
				for i, c := range st.Queue.All() {
					switch e := st.Edge(i); e.State {
					case doctor.WrongWatch, doctor.MissingWatch:
						t.Fatalf("%v: %s: %+v", s.Tree.Now.Sub(modeltest.Start), c.Name, e)
					case doctor.Verified:
						verified++
					}
				}
			}
		}
		// Once it is calm all edges are verified.
		s.run(2 * time.Second)
		s.poll(true)
		s.run(100 * time.Millisecond)
		st := s.J.State()
		for i := range st.Queue.Len() {
			if e := st.Edge(i); i > 0 && e.State != doctor.Verified {
				t.Fatalf("edge of %s: %+v", st.Queue.At(i).Name, e)
			}
		}
		if len(st.Risks) > 0 {
			t.Fatalf("at risk: %+v", st.Risks[0])
		}
	})
}

// silentSim is an ensemble with one of these ticks, whose servers report deadlines by
// either clock, and perhaps no deadlines, or, if conns, no connections.
func silentSim(t *rapid.T, conns bool, ticks ...time.Duration) *sim {
	s := newSim(t, model.Config{Path: "/e"}, ticks...)
	s.Wall = rapid.Bool().Draw(t, "wall")
	silent := rapid.IntRange(0, 2).Draw(t, "silent")
	s.SilentConns, s.SilentDues = silent == 0 && conns, silent == 1
	return s
}

// stop stops a client, or kills it.
func stop(t *rapid.T, s *sim, victim *simClient) {
	victim.Stopped, victim.StopAt = true, s.Tree.Now
	if rapid.Bool().Draw(t, "killed") {
		victim.Server = -1
	}
}

// boundsHold checks the bounds of a client that expired; byEpoch: those of its epoch.
func boundsHold(t *rapid.T, risks []doctor.Risk, victim *simClient, byEpoch bool) {
	for _, r := range risks {
		late := !r.By.IsZero() && r.By.Before(victim.Expired) && (!byEpoch || r.Epoch == victim.Epoch)
		if late || r.NotBefore.After(victim.Expired) {
			t.Fatalf("expired %v after the start in epoch %d, and its bounds were %v and %v: %+v",
				victim.Expired.Sub(modeltest.Start), victim.Epoch, r.NotBefore.Sub(modeltest.Start), r.By.Sub(modeltest.Start), r)
		}
	}
}

// A client that is stopped, or killed, is at risk before its session expires,
// and no reported bound is wrong; no other client ever is.
func TestRiskBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := silentSim(t, false, 500*time.Millisecond, 2*time.Second, 3*time.Second)
		n := rapid.IntRange(2, 4).Draw(t, "candidates")
		shortest := time.Hour
		for i := range n {
			c := s.client(uint64(i+1), s.between("timeout", max(2*s.Tick, 4*time.Second), 30*time.Second))
			shortest = min(shortest, c.Timeout)
			s.stand(c)
			s.run(10 * time.Millisecond)
		}
		limit := shortest*2/3 - 500*time.Millisecond
		s.Every = s.between("poll", 200*time.Millisecond, limit/2-50*time.Millisecond)
		s.polls(func() time.Duration { return s.Every }, false)
		s.run(s.between("warm up", s.Every*2, 20*time.Second))

		victim := s.Clients[rapid.IntRange(1, n).Draw(t, "victim")]
		led := s.J.State().Leader().Session == victim.Session
		if why := s.J.State().RiskWatch(s.J.State().Queue.At(0)); why != "" {
			t.Fatalf("watched every %v: %s", s.Every, why)
		}
		var risks []doctor.Risk
		cleared := false
		s.Check = func(e model.Event) {
			switch b := e.Body.(type) {
			case doctor.RiskChanged:
				if b.Risk.Candidate.Session != victim.Session {
					t.Fatalf("%v: a healthy client is at risk: %+v", e.At.Sub(modeltest.Start), b.Risk)
				}
				if b.Raised {
					risks = append(risks, b.Risk)
				} else {
					cleared = true
				}
			case model.Left:
				if len(risks) == 0 {
					t.Fatalf("%v: the znode was deleted without a risk before it; stopped at %v", e.At.Sub(modeltest.Start), victim.StopAt.Sub(modeltest.Start))
				}
			case model.Handoff:
				if b.Cause != model.CauseExpired || b.Evidence == "" {
					t.Fatalf("the session expired: %s, %s", b.Cause, b.Evidence)
				}
			}
		}
		stop(t, s, victim)
		for !victim.Over && s.Tree.Now.Sub(victim.StopAt) < 2*time.Minute {
			s.run(50 * time.Millisecond)
			if r := s.J.State().Risk(s.candidate(victim)); r != nil {
				risks = append(risks, *r)
				if led != r.Leader || led && r.Next == nil {
					t.Fatalf("led %v: %+v", led, r)
				}
			}
		}
		s.run(time.Second)
		if !victim.Over || !cleared || len(s.J.State().Risks) > 0 {
			t.Fatalf("over %v, cleared %v, still %d at risk", victim.Over, cleared, len(s.J.State().Risks))
		}
		useful := false
		for _, r := range risks {
			useful = useful || !r.By.IsZero() && !r.By.After(victim.Expired.Add(2*s.Tick+victim.Timeout))
		}
		boundsHold(t, risks, victim, false)
		if !useful {
			t.Fatalf("no bound of any use: %+v, expired %v", risks, victim.Expired)
		}
	})
}

// Whatever the ensemble does, a bound holds in the epoch that it names;
// while the epoch cannot be known there is no bound.
func TestRiskBoundsThroughElections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := silentSim(t, true, 500*time.Millisecond, 2*time.Second)
		for i := range 3 {
			s.stand(s.client(uint64(i+1), s.between("timeout", 4*time.Second, 20*time.Second)))
			s.run(10 * time.Millisecond)
		}
		s.Every = s.between("poll", 200*time.Millisecond, 2*time.Second)
		s.polls(func() time.Duration { return s.Every }, false)
		s.run(s.between("warm up", s.Every*2, 40*time.Second))
		victim := s.Clients[rapid.IntRange(1, 3).Draw(t, "victim")]
		stop(t, s, victim)
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
				if b.From != nil && b.From.Session == victim.Session &&
					slices.Contains([]model.Cause{model.CauseLeft, model.CauseDeleted, model.CauseResigned, model.CauseClosed}, b.Cause) {
					t.Fatalf("the session expired: %s, %s", b.Cause, b.Evidence)
				}
			}
		}
		elections := rapid.IntRange(0, 3).Draw(t, "elections")
		for !victim.Over && s.Tree.Now.Sub(victim.StopAt) < 3*time.Minute {
			if elections > 0 && rapid.IntRange(0, 40).Draw(t, "election now") == 0 {
				elections--
				s.elect()
			}
			s.run(100 * time.Millisecond)
			if r := s.J.State().Risk(s.candidate(victim)); r != nil {
				note(*r)
				if s.Leader < 0 && s.Tree.Now.Sub(s.Elected) > s.Every+50*time.Millisecond && !r.By.IsZero() {
					t.Fatalf("a bound while an election is under way: %+v", r)
				}
			}
		}
		if !victim.Over {
			t.Fatal("it did not expire")
		}
		boundsHold(t, risks, victim, true)
	})
}
