package model_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
)

// A correct election, however its candidates come and go and whenever the
// servers are asked, has no finding above info, and no edge is said to be wrong
// or missing.
func TestHealthyElection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := model.Config{Path: "/e"}
		s := newSim(t, cfg, 500*time.Millisecond, 2*time.Second)
		s.check = func(e model.Event) {
			switch b := e.Body.(type) {
			case doctor.FindingChanged:
				if b.Finding.Severity != doctor.Info && b.Finding.ID != "flapping" {
					t.Fatalf("%v: %s %+v", e.At.Sub(start), b.Finding.ID, b.Finding)
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
		often := s.between("poll", 100*time.Millisecond, 3*time.Second)
		s.polls(func() time.Duration { return s.between("until the next poll", often/4, often) }, true)
		verified := 0
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			switch c := s.clients[rapid.IntRange(1, len(s.clients)-1).Draw(t, "who")]; rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				s.withdraw(c)
			case 1: // steps back and stands again, as a reset does
				s.withdraw(c)
				s.at(s.between("until it stands again", 0, time.Second), func() { s.stand(c) })
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
				st := s.j.State()
				for i, c := range st.Queue {
					switch e := st.Edge(i); e.State {
					case doctor.WrongWatch, doctor.MissingWatch:
						t.Fatalf("%v: %s: %+v", s.tree.now.Sub(start), c.Name, e)
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
		st := s.j.State()
		for i := range st.Queue {
			if e := st.Edge(i); i > 0 && e.State != doctor.Verified {
				t.Fatalf("edge of %s: %+v", st.Queue[i].Name, e)
			}
		}
		if len(st.Risks) > 0 {
			t.Fatalf("at risk: %+v", st.Risks[0])
		}
		replays(t, cfg, s.all, s.events, st)
	})
}

// A client that is stopped, or killed, is at risk before its session expires,
// and no bound that is told is wrong; and nobody else ever is.
func TestRiskBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSim(t, model.Config{Path: "/e"}, 500*time.Millisecond, 2*time.Second, 3*time.Second)
		s.wall = rapid.Bool().Draw(t, "wall")
		switch rapid.IntRange(0, 2).Draw(t, "silent") {
		case 0:
			s.silentConns = true
		case 1:
			s.silentDues = true
		}
		n := rapid.IntRange(2, 4).Draw(t, "candidates")
		least := 2 * s.tick
		if s.silentConns { // a deadline alone shows a silence a tick and a half later
			least = max(least, 24*time.Second)
		}
		shortest := time.Hour
		for i := range n {
			c := s.client(uint64(i+1), s.between("timeout", max(least, 4*time.Second), 30*time.Second))
			shortest = min(shortest, c.timeout)
			s.stand(c)
			s.run(10 * time.Millisecond)
		}
		limit := shortest*2/3 - 500*time.Millisecond
		if s.silentConns {
			limit -= s.tick * 5 / 2
		}
		s.every = s.between("poll", 200*time.Millisecond, limit/2-50*time.Millisecond)
		s.polls(func() time.Duration { return s.every }, false)
		if s.silentConns { // nor does anybody tell timeouts: how deadlines move does
			s.run(30 * time.Second)
		}
		s.run(s.between("warm up", s.every*2, 20*time.Second))

		victim := s.clients[rapid.IntRange(1, n).Draw(t, "victim")]
		led := s.j.State().Leader().Session == victim.session
		if !s.silentConns {
			if why := s.j.State().RiskWatch(s.j.State().Queue[0]); why != "" {
				t.Fatalf("watched every %v: %s", s.every, why)
			}
		}
		var risks []doctor.Risk
		cleared := false
		s.check = func(e model.Event) {
			switch b := e.Body.(type) {
			case doctor.RiskChanged:
				if b.Risk.Candidate.Session != victim.session {
					t.Fatalf("%v: a healthy client is at risk: %+v", e.At.Sub(start), b.Risk)
				}
				if b.Raised {
					risks = append(risks, b.Risk)
				} else {
					cleared = true
				}
			case model.Left:
				if len(risks) == 0 {
					t.Fatalf("%v: the znode went and no risk was told; stopped at %v", e.At.Sub(start), victim.stopAt.Sub(start))
				}
			case model.Handoff:
				if b.Cause != model.CauseExpired || b.Evidence == "" {
					t.Fatalf("the session expired: %s, %s", b.Cause, b.Evidence)
				}
			}
		}
		victim.stopped, victim.stopAt = true, s.tree.now
		if !s.silentConns && rapid.Bool().Draw(t, "killed") {
			victim.server = -1
		}
		for !victim.over && s.tree.now.Sub(victim.stopAt) < 2*time.Minute {
			s.run(50 * time.Millisecond)
			if r := s.j.State().Risk(s.candidate(victim)); r != nil {
				risks = append(risks, *r)
				if led != r.Leader || led && r.Next == nil {
					t.Fatalf("led %v: %+v", led, r)
				}
			}
		}
		s.run(time.Second)
		if !victim.over || !cleared || len(s.j.State().Risks) > 0 {
			t.Fatalf("over %v, cleared %v, still %d at risk", victim.over, cleared, len(s.j.State().Risks))
		}
		useful := false
		for _, r := range risks {
			if !r.By.IsZero() && r.By.Before(victim.expired) {
				t.Fatalf("expired %v after the start, and by %v it should have", victim.expired.Sub(start), r.By.Sub(start))
			}
			useful = useful || !r.By.IsZero() && !r.By.After(victim.expired.Add(2*s.tick+victim.timeout))
			if r.NotBefore.After(victim.expired) {
				t.Fatalf("expired %v after the start, not before %v", victim.expired.Sub(start), r.NotBefore.Sub(start))
			}
		}
		if !useful {
			t.Fatalf("no bound of any use: %+v, expired %v", risks, victim.expired)
		}
	})
}

func (s *sim) candidate(c *simClient) *dialect.Candidate {
	for _, x := range s.j.State().Queue {
		if x.Session == c.session {
			return x
		}
	}
	return nil
}
