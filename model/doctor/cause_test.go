package doctor_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
)

// A client that was stopped continues and closes its session at the last moment. If
// that is said to be an expiry, the next answers take it back: no session expired.
func TestExpiryIsTakenBack(t *testing.T) {
	early := 0
	rapid.Check(t, func(t *rapid.T) {
		s := newSim(t, model.Config{Path: "/e"}, 2*time.Second)
		s.Dated, s.Lag, s.Counts, s.Every = true, 20*time.Millisecond, true, 500*time.Millisecond
		first := s.client(1, 4*time.Second)
		for _, c := range []*simClient{first, s.client(2, 4*time.Second)} {
			s.stand(c)
			s.run(10 * time.Millisecond)
		}
		s.polls(func() time.Duration { return s.Every }, false)
		s.Check = func(e model.Event) {
			if h, ok := e.Body.(model.Handoff); ok && h.Cause == model.CauseExpired {
				early++
			}
		}
		s.run(s.between("healthy", time.Second, 8*time.Second))
		first.Stopped = true
		before := s.between("before it expires", 0, 500*time.Millisecond)
		for s.left(first) > before {
			s.run(max(min(s.left(first)-before, 100*time.Millisecond), time.Millisecond))
		}
		s.end(first)
		s.run(10 * time.Second)
		if h := s.J.State().Handoffs[0]; h.Cause == model.CauseExpired {
			t.Fatalf("said to have expired: %s", h.Evidence)
		}
	})
	if early == 0 {
		t.Error("it was never said, so nothing was taken back")
	}
	t.Logf("%d taken back", early)
}

// A leader that resigns and then falls silent did not expire, however late its deletion is
// seen: also if its connection was closed by then.
func TestDeletedBeforeTheSilence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSim(t, model.Config{Path: "/e"}, 500*time.Millisecond, 2*time.Second)
		s.Dated, s.SilentDues, s.Lag, s.Every = true, true, s.between("longest lag", 3*time.Second, 8*time.Second), 200*time.Millisecond
		for i := range 2 {
			s.stand(s.client(uint64(i+1), 4*time.Second))
			s.run(10 * time.Millisecond)
		}
		s.polls(func() time.Duration { return s.Every }, false)
		s.run(s.between("time", time.Millisecond, 100*time.Millisecond)) // nothing showed that it was alive
		leader := s.Clients[1]
		s.withdraw(leader)
		s.run(time.Millisecond)
		leader.Stopped = true
		s.run(s.Lag)
		for _, h := range s.J.State().Handoffs {
			if h.Cause == model.CauseExpired {
				t.Fatalf("said to have expired: %s", h.Evidence)
			}
		}
	})
}

// However late changes are seen, a reported cause is the true one. What happens to a
// client that was stopped, in the moment before its session could expire, looks as its
// expiry; it is taken back when the servers say that no session expired.
func TestCausesAreTrue(t *testing.T) {
	said, early := map[model.Cause]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		s := newSim(t, model.Config{Path: "/e"}, 500*time.Millisecond, 2*time.Second)
		s.Dated, s.Lag = true, s.between("longest lag", 20*time.Millisecond, 8*time.Second)
		switch rapid.IntRange(0, 3).Draw(t, "silent") {
		case 0:
			s.SilentConns = true
		case 1:
			s.SilentDues = true
		}
		s.Counts = rapid.Bool().Draw(t, "counts")
		late := map[string]time.Time{} // when clients that were stopped continued and closed their session, by znode
		n := rapid.IntRange(2, 5).Draw(t, "candidates")
		for i := range n {
			s.stand(s.client(uint64(i+1), s.between("timeout", 4*time.Second, 12*time.Second)))
			s.run(10 * time.Millisecond)
		}
		s.Every = s.between("poll", 200*time.Millisecond, 2*time.Second)
		s.polls(func() time.Duration { return s.Every }, false)
		if s.Counts {
			s.run(8 * time.Second) // so that there is a count from before
		}
		holds := func(h *model.Handoff) {
			if h.From == nil {
				return
			}
			end := s.Ends[h.From.Name]
			said[h.Cause]++
			if at := late[h.From.Name]; h.Cause == model.CauseExpired && !at.IsZero() && slices.ContainsFunc(s.Clients, func(c *simClient) bool {
				return !c.Expired.IsZero() && c.Expired.Sub(at).Abs() < 15*time.Second
			}) {
				return // a session expired at that time, which the servers only count
			}
			switch {
			case h.Cause == model.CauseUnknown, h.Cause == end, h.Cause == model.CauseLeft && end != model.CauseExpired,
				h.Cause == model.CauseDeleted && end == model.CauseResigned:
			default:
				t.Fatalf("%s: said to have %s (%s), and it was %s", h.From.Name, h.Cause, h.Evidence, end)
			}
		}
		published := make(map[string]model.Cause) // the last that the events say
		s.Check = func(e model.Event) {
			if x, ok := e.Body.(model.Explained); ok {
				holds(&x.Handoff)
				published[x.From.Name] = x.Cause
			}
			switch h, ok := e.Body.(model.Handoff); {
			case !ok:
			case h.From != nil:
				published[h.From.Name] = h.Cause
			}
			switch h, ok := e.Body.(model.Handoff); {
			case !ok:
			case h.Cause == model.CauseExpired && h.From != nil && !late[h.From.Name].IsZero():
				early++ // the state will know better
			default:
				holds(&h)
			}
		}
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			s.run(s.between("time", time.Millisecond, 8*time.Second))
			c := s.Clients[rapid.IntRange(1, n).Draw(t, "who")]
			if c.Stopped { // and can do nothing
				continue
			}
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				s.withdraw(c)
			case 1:
				s.end(c)
			case 2:
				c.Stopped = true
				if s.Counts && !s.SilentDues && rapid.Bool().Draw(t, "continues") {
					before := s.between("before it expires", 0, time.Second)
					var wait func()
					wait = func() {
						switch left := s.left(c); {
						case c.Over || !c.Expired.IsZero():
						case left > before:
							s.At(max(left-before, time.Millisecond), wait)
						default:
							late[c.Znode()] = s.Tree.Now
							s.end(c)
						}
					}
					s.At(0, wait)
				}
			case 3:
				c.Stopped, c.Server = true, -1
			case 4:
				s.stand(c)
			}
		}
		s.run(30 * time.Second)
		for _, h := range s.J.State().Handoffs {
			holds(h)
			if h.From != nil && published[h.From.Name] != h.Cause {
				t.Fatalf("%s: %s in the events, %s in the state", h.From.Name, published[h.From.Name], h.Cause)
			}
		}
	})
	if said[model.CauseExpired] == 0 || said[model.CauseLeft]+said[model.CauseDeleted] == 0 {
		t.Errorf("causes: %v", said)
	}
	t.Logf("causes: %v, %d taken back", said, early)
}
