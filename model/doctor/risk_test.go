package doctor_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/session"
)

func TestZombieLeader(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	gone := func(x *session.Table) { without(x, 1) }
	c.pass(time.Second)
	c.answer(gone)
	c.has() // a client that moves to another member
	st := c.J.State()
	r := st.Risk(st.Queue.At(0))
	if r == nil || !r.Leader || r.Next != st.Queue.At(1) || r.By.IsZero() || len(st.Risks) != 1 || st.Risks[0] != r {
		t.Fatalf("risk %+v", r)
	}
	// Timeout, the tick that it is rounded to, half a tick in a batch, and the commit.
	if want := c.Tree.Now.Add(10*time.Second + 3*time.Second + time.Second); !r.By.Equal(want) {
		t.Errorf("by %v, want %v", r.By, want)
	}
	c.told(gone, "zombie-leader critical") // for two thirds of its timeout
	c.pass(time.Second)
	c.answer(nil) // it is back
	c.has()
	if st := c.J.State(); len(st.Risks) != 0 {
		t.Errorf("risks %+v", st.Risks)
	}

	stop := c.freezes()
	c.pass(3 * time.Second)
	c.answer(stop)
	c.has()
	c.asked(stop)
	if c.found["zombie-leader "+names[0]] == "" {
		t.Errorf("findings %v", c.found)
	}
	c.leaves(names[0])
	c.has()
	if st := c.J.State(); len(st.Risks) != 0 {
		t.Errorf("risks %+v", st.Risks)
	}
	h := c.J.State().Handoffs[0]
	if h.Cause != model.CauseExpired || !strings.Contains(h.Evidence, "received nothing from it since") {
		t.Errorf("%s: %s", h.Cause, h.Evidence)
	}
}

func TestRiskWatch(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	st := c.J.State()
	if why := st.RiskWatch(st.Queue.At(0)); why != "" {
		t.Errorf("asked every second: %s", why)
	}
	for want, change := range map[string]func(*session.Table){
		"too rarely":                 func(x *session.Table) { x.Every = 5 * time.Second },
		"only on request":            func(x *session.Table) { x.Every = 0 },
		"not all members":            func(x *session.Table) { x.Whole = false; x.Servers[0].Sessions = session.Answer{} },
		"hint would allow it":        func(x *session.Table) { refuse(x, "hint") },
		"timeout is unknown":         func(x *session.Table) { without(x, 1) },
		"the servers were not asked": nil,
	} {
		c := newClinic(t, model.Config{})
		c.joins("n_", 1)
		if change != nil {
			c.answer(change)
		}
		st := c.J.State()
		if why := st.RiskWatch(st.Queue.At(0)); !strings.Contains(why, want) {
			t.Errorf("%q, want %q", why, want)
		}
	}
}

func refuse(x *session.Table, hint string) {
	for i := range x.Servers {
		x.Servers[i].Connections = session.Answer{State: session.Refused, Hint: hint}
		x.Servers[i].Sessions, x.Servers[i].Deadlines = session.Answer{State: session.Refused, Hint: hint}, nil
	}
}

func TestCausesByTables(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	last := func() *model.Handoff {
		hs := c.J.State().Handoffs
		return hs[len(hs)-1]
	}
	// Heard from a moment ago: it can not have expired.
	c.pass(time.Second)
	c.leaves(names[0])
	if h := last(); h.Cause != model.CauseLeft || !strings.Contains(h.Evidence, "could not expire") {
		t.Errorf("%s: %s", h.Cause, h.Evidence)
	}
	before := c.J.State()
	if !slices.Contains(before.SessionsToAsk(), 1) {
		t.Error("nobody asks what became of the leader's session")
	}
	c.pass(time.Second)
	x := c.healthy()
	x.Servers[1].Clients = append(x.Servers[1].Clients, session.Client{Session: 1, Addr: "10.0.0.1:4000", Timeout: 10 * time.Second})
	c.put(x)
	if h := last(); h.Cause != model.CauseDeleted || !strings.Contains(h.Evidence, "is alive without") {
		t.Errorf("%s: %s", h.Cause, h.Evidence)
	}
	if before.Handoffs[0].Cause != model.CauseLeft {
		t.Error("an old state changed")
	}

	c.leaves(names[1])
	c.pass(time.Second)
	c.answer(nil) // the session is over
	if h := last(); h.Cause != model.CauseLeft || !strings.Contains(h.Evidence, "was over by") {
		t.Errorf("%s: %s", h.Cause, h.Evidence)
	}

	// No server was asked.
	s := modeltest.NewScript(t, model.Config{})
	a := s.Join(1)
	s.Join(2)
	s.Read()
	s.Tree.Delete(a)
	s.Read()
	if h := s.J.State().Handoffs[0]; h.Cause != model.CauseUnknown || !strings.Contains(h.Evidence, "--admin-sessions") {
		t.Errorf("%s: %s", h.Cause, h.Evidence)
	}
}

// A bound that did not hold is given up: the client came back, or the servers
// were wrong.
func TestRiskOver(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	c.pass(time.Second)
	x := c.healthy()
	without(x, 2)
	c.put(x)
	st := c.J.State()
	r := st.Risk(st.Queue.At(1))
	if r == nil || r.Leader || r.Next != nil {
		t.Fatalf("risk %+v", r)
	}
	c.pass(r.By.Sub(c.Tree.Now))
	if len(c.J.State().Risks) != 1 {
		t.Error("given up before it is over")
	}
	c.pass(3 * time.Second)
	if n := len(c.J.State().Risks); n != 0 {
		t.Errorf("%d at risk of what is past", n)
	}
	if due, ok := c.J.Deadline(); ok {
		t.Errorf("it wants to be called at %v", due)
	}
	if st.Risk(nil) != nil || len(st.Risks) != 1 {
		t.Error("an old state changed")
	}
}

// A risk that came true is over with what happened, and not as if its client were
// back.
func TestRiskEnds(t *testing.T) {
	for name, want := range map[string]doctor.RiskChanged{
		"expired": {Gone: true, Cause: model.CauseExpired},
		"waiting": {Gone: true, Cause: model.CauseUnknown},
		"killed":  {Gone: true, Cause: model.CauseExpired}, // the last in the queue, by electop
		"back":    {},
	} {
		c, names := three(t, model.Config{}, "n_")
		of := uint64(1)
		switch name {
		case "waiting":
			of = 2
		case "killed":
			of = uint64(len(names))
			m := model.Member{ID: "cedar", Session: of, Znode: names[of-1], Belief: model.Waiting}
			c.put(&model.Cast{At: c.Tree.Now, Member: m})
			m.Fault, m.FaultAt, m.ExpiresFrom = model.Killed, c.Tree.Now, c.Tree.Now.Add(4*time.Second)
			c.put(&model.Cast{At: c.Tree.Now, Member: m, Gone: true})
		}
		c.pass(time.Second)
		c.asked(func(x *session.Table) { without(x, of) })
		c.pass(5 * time.Second)
		if name == "back" {
			c.answer(nil)
		} else {
			c.leaves(names[of-1])
		}
		var last *doctor.RiskChanged
		for _, e := range c.risks {
			if e.Risk.Candidate.Name == names[of-1] {
				last = &e
			}
		}
		if last == nil || last.Raised || last.Gone != want.Gone || last.Cause != want.Cause {
			t.Errorf("%s: %+v, want gone %v, cause %q", name, last, want.Gone, want.Cause)
		}
	}
}

// What gets worse is one event.
func TestEscalation(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	c.pass(time.Second)
	stop := c.freezes()
	for range 34 {
		c.pass(300 * time.Millisecond)
		c.answer(stop)
	}
	var zombie []string
	for _, l := range c.log {
		if strings.Contains(l, "zombie-leader "+names[0]) {
			zombie = append(zombie, l)
		}
	}
	if c.found["zombie-leader "+names[0]] != doctor.Critical || len(zombie) != 2 {
		t.Errorf("want one that was raised and got worse: %q", zombie)
	}
}

// TestSilentCandidatesAreCounted: one that was not connected in one answer only may be
// reconnecting, so it does not count yet, and the number is a least one.
func TestSilentCandidatesAreCounted(t *testing.T) {
	c := newClinic(t, model.Config{})
	for i := range 4 {
		c.joins("n_", uint64(i+1))
	}
	c.asked(nil)
	gone := []uint64{2}
	silent := func(want string) {
		c.Helper()
		c.pass(3 * time.Second)
		c.answer(func(t *session.Table) {
			for _, id := range gone {
				without(t, id)
			}
		})
		c.pass(time.Second)
		var got []string
		for _, f := range c.J.State().Findings {
			got = append(got, f.Title)
		}
		if strings.Join(got, "; ") != want {
			c.Errorf("without %d: findings %q, want %q", gone, got, want)
		}
	}
	silent("")
	gone = append(gone, 3)
	silent("at least 1 waiting candidate is silent")
	silent("2 waiting candidates are silent")
}

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

// sim is an ensemble with an election of correct clients, in virtual time: a
// tree, sessions with deadlines on the leader's clock as ZooKeeper rounds and
// batches them, data watches, and an observer that reads as it is notified.
type sim struct {
	*rapid.T
	Tree   *modeltest.Tree
	w      *modeltest.Watcher
	J      *doctor.Journal
	agenda modeltest.Agenda

	servers int
	Leader  int // of the ensemble; -1: an election is under way
	epoch   int64
	Elected time.Time // when the last election began
	Tick    time.Duration
	clock   time.Duration // the leader's, at start
	Wall    bool          // deadlines are reported as wall-clock seconds
	Clients []*simClient
	own     *simClient // the observer's session

	reading bool
	Dated   bool          // reads say by what they are dated
	Lag     time.Duration // of the observer
	react   time.Duration // of clients, at most
	// silentConns and silentDues: the servers do not tell these.
	SilentConns, SilentDues bool
	// Counts: the ensemble's leader says how many sessions it let expire.
	Counts  bool
	expired map[int]int // by server
	Every   time.Duration

	All    []model.Observation
	Events []model.Event
	Ends   map[string]model.Cause // of znodes, by name
	// check sees each event.
	Check func(model.Event)
}

func newSim(t *rapid.T, cfg model.Config, ticks ...time.Duration) *sim {
	tr := modeltest.NewTree()
	tr.CreateParent(0)
	s := &sim{
		T: t, Tree: tr, w: &modeltest.Watcher{Tree: tr}, J: doctor.NewJournal(cfg), servers: 3,
		Tick:  rapid.SampledFrom(ticks).Draw(t, "tick"),
		clock: time.Duration(rapid.Int64Range(int64(time.Hour), int64(100*time.Hour)).Draw(t, "clock")),
		Lag:   50 * time.Millisecond, react: 300 * time.Millisecond,
	}
	s.own = s.client(9_000_000, 10*time.Second)
	s.apply(&model.Connection{At: tr.Now, Link: model.Connected, Session: s.own.Session, Server: "s0:2181"})
	s.batch()
	s.observe()
	return s
}

func (s *sim) between(what string, from, to time.Duration) time.Duration {
	return time.Duration(rapid.Int64Range(int64(from), int64(to)).Draw(s.T, what))
}

// At does something after that time.
func (s *sim) At(in time.Duration, do func()) { s.agenda.Add(s.Tree.Now.Add(in), do) }

// run lets time pass, and the journal wait for what it waits for.
func (s *sim) run(d time.Duration) {
	end := s.Tree.Now.Add(d)
	for {
		next := end
		if at, ok := s.agenda.Due(); ok && at.Before(next) {
			next = at
		}
		if due, ok := s.J.Deadline(); ok && due.Before(next) {
			if due.After(s.Tree.Now) {
				s.Tree.Now = due
			}
			s.apply(&model.Advance{At: s.Tree.Now})
			if again, ok := s.J.Deadline(); ok && !again.After(s.Tree.Now) {
				s.Fatalf("at its deadline %v the journal wants to be called at %v", due, again)
			}
			continue
		}
		s.Tree.Now = next
		if at, ok := s.agenda.Due(); !ok || at.After(next) {
			return
		}
		s.agenda.Take()()
	}
}

func (s *sim) apply(o model.Observation) {
	s.All = append(s.All, o)
	for _, e := range s.J.Apply(o) {
		s.Events = append(s.Events, e)
		if s.Check != nil {
			s.Check(e)
		}
	}
}

// observe reads the election now, and after each change some time later.
func (s *sim) observe() { s.apply(s.w.Read(false, false, nil)) }

func (s *sim) changed() {
	if s.reading {
		return
	}
	s.reading = true
	news, heard := s.Tree.Now.Add(s.between("news", 0, 20*time.Millisecond)), s.own.resp
	s.At(s.between("lag", 20*time.Millisecond, max(s.Lag, 20*time.Millisecond)), func() {
		s.reading = false
		r := s.w.Read(false, false, nil)
		if s.Dated {
			r.Notified, r.Heard, r.Sent = news, heard, s.Tree.Now
		}
		s.apply(r)
	})
}

type simClient struct {
	Session  uint64
	Timeout  time.Duration
	Server   int // -1: no connection
	deadline time.Duration
	resp     time.Time
	received int64
	pending  bool // touched, not passed on
	Stopped  bool
	Over     bool // the session
	Expired  time.Time
	Epoch    int64 // in which it expired
	StopAt   time.Time
	znode    string
	wants    bool
	watches  map[string]bool
}

// stand makes a client volunteer.
func (s *sim) stand(c *simClient) {
	if c.Over || c.Stopped || c.Server < 0 || c.znode != "" {
		return
	}
	c.wants = true
	c.znode = s.Tree.Create("n_", true, c.Session, fmt.Sprint("host", c.Session))
	s.touch(c)
	s.changed()
	s.look(c)
}

// look lists the children and watches the predecessor, in a moment.
func (s *sim) look(c *simClient) {
	s.At(s.between("reaction", time.Millisecond, s.react), func() {
		if c.Over || c.Stopped || !c.wants || c.znode == "" {
			return
		}
		if c.Server < 0 {
			s.look(c)
			return
		}
		s.touch(c)
		if t := dialect.Election().Target(c.znode, s.Tree.Names(), nil); t.Listed && !t.Leads {
			c.watches[t.Watch] = true
		}
	})
}

// Znode is the name of the client's znode, "" for none.
func (c *simClient) Znode() string { return c.znode }

// left is how long the client's session lasts if nothing is heard from it.
func (s *sim) left(c *simClient) time.Duration { return c.deadline - s.leaderNow() }

// withdraw deletes the client's znode. Its watch stays.
func (s *sim) withdraw(c *simClient) {
	if c.znode == "" {
		return
	}
	name := c.znode
	c.znode, c.wants = "", false
	if s.Ends == nil {
		s.Ends = make(map[string]model.Cause)
	}
	switch {
	case !c.Over:
		s.Ends[name] = model.CauseResigned
	case c.Expired.IsZero():
		s.Ends[name] = model.CauseClosed
	default:
		s.Ends[name] = model.CauseExpired
	}
	s.Tree.Delete(name)
	s.changed()
	for _, x := range s.Clients {
		if x.watches[name] {
			delete(x.watches, name)
			s.look(x)
		}
	}
}

// move connects a client to another server, with some time between.
func (s *sim) move(c *simClient) {
	if c.Server < 0 || c.Stopped || c.Over {
		return
	}
	c.Server = -1
	s.At(s.between("away", time.Millisecond, 300*time.Millisecond), func() {
		if !c.Over && !c.Stopped {
			c.Server = rapid.IntRange(0, s.servers-1).Draw(s.T, "server")
			s.touch(c)
		}
	})
}

func (s *sim) candidate(c *simClient) *dialect.Candidate {
	for _, x := range s.J.State().Queue.All() {
		if x.Session == c.Session {
			return x
		}
	}
	return nil
}

// leaderNow is the leader's clock.
func (s *sim) leaderNow() time.Duration { return s.clock + s.Tree.Now.Sub(modeltest.Start) }

func (s *sim) client(session uint64, timeout time.Duration) *simClient {
	c := &simClient{Session: session, Timeout: timeout, watches: map[string]bool{}, Server: rapid.IntRange(0, s.servers-1).Draw(s.T, "server")}
	s.Clients = append(s.Clients, c)
	s.touch(c)
	s.pass(c) // creating a session goes to the leader at once
	s.ping(c)
	return c
}

func (s *sim) ping(c *simClient) {
	s.At(c.Timeout/3, func() {
		if c.Over {
			return
		}
		if !c.Stopped && c.Server >= 0 {
			s.touch(c)
		}
		s.ping(c)
	})
}

func (s *sim) touch(c *simClient) {
	c.resp, c.pending = s.Tree.Now, true
	c.received++
	if c.Server == s.Leader {
		s.pass(c)
	}
}

// pass passes a touch on to the leader.
func (s *sim) pass(c *simClient) {
	if !c.pending || c.Over || s.Leader < 0 {
		return
	}
	c.pending = false
	c.deadline = ((s.leaderNow()+c.Timeout)/s.Tick + 1) * s.Tick
	deadline := c.deadline
	s.At(deadline-s.leaderNow(), func() {
		if c.Over || c.deadline != deadline || s.Leader < 0 {
			return
		}
		if s.expired == nil {
			s.expired = make(map[int]int)
		}
		s.expired[s.Leader]++
		c.Expired, c.Epoch = s.Tree.Now, (s.epoch<<32+s.Tree.Zxid)>>32
		s.At(s.between("commit", 0, 100*time.Millisecond), func() { s.end(c) })
	})
}

// batch passes the followers' touches on, every half tick.
func (s *sim) batch() {
	s.At(s.Tick/2, func() {
		for _, c := range s.Clients {
			s.pass(c)
		}
		s.batch()
	})
}

// end ends a session.
func (s *sim) end(c *simClient) {
	if c.Over {
		return
	}
	c.Over, c.Server, c.wants = true, -1, false
	c.watches = map[string]bool{}
	s.withdraw(c)
}

// elect has the ensemble lose its leader and, after a while, elect one, the same
// perhaps. All clients lose their connections, and those that run come back.
func (s *sim) elect() {
	if s.Leader < 0 {
		return
	}
	s.Leader, s.Elected = -1, s.Tree.Now
	for _, c := range s.Clients {
		c.Server = -1
	}
	s.apply(&model.Connection{At: s.Tree.Now, Link: model.Disconnected, Session: s.own.Session})
	s.At(s.between("election", 100*time.Millisecond, 5*time.Second), func() {
		s.Leader, s.epoch = rapid.IntRange(0, s.servers-1).Draw(s.T, "leader"), s.epoch+1
		for _, c := range s.Clients {
			if c.Over {
				continue
			}
			c.pending = true
			s.pass(c) // every session's time starts again
			if !c.Stopped {
				s.At(s.between("back", time.Millisecond, time.Second), func() {
					if !c.Over && !c.Stopped && c.Server < 0 && s.Leader >= 0 {
						c.Server = rapid.IntRange(0, s.servers-1).Draw(s.T, "server")
						s.touch(c)
						if c == s.own {
							s.apply(&model.Connection{At: s.Tree.Now, Link: model.Connected, Session: c.Session, Server: "s0:2181"})
							r := s.w.Read(false, false, nil)
							r.Gap = true
							s.apply(r)
						}
					}
				})
			}
		}
	})
}

// poll asks the servers: what they say is of now, and comes a moment later.
func (s *sim) poll(watches bool) {
	if s.Dated && s.own.Server >= 0 && s.Leader >= 0 {
		s.touch(s.own)
	}
	t := s.table(watches)
	s.At(10*time.Millisecond, func() { s.apply(t) })
}

func (s *sim) table(watches bool) *session.Table {
	now := s.Tree.Now
	reply := now.Add(5 * time.Millisecond)
	answered := session.Answer{State: session.Answered, Via: "http", At: reply}
	t := &session.Table{At: now.Add(-5 * time.Millisecond), End: now.Add(10 * time.Millisecond), Whole: true, Every: s.Every}
	for i := range s.servers {
		sv := session.Server{Addr: fmt.Sprintf("s%d:2181", i), Mode: session.ModeFollower, Zxid: s.epoch<<32 + s.Tree.Zxid, Basic: answered, Tick: s.Tick}
		if s.Leader < 0 { // nobody serves
			none := session.Answer{State: session.Failed, At: reply, Why: "not serving"}
			sv.Mode, sv.Zxid, sv.Basic, sv.Connections, sv.Sessions, sv.Watches = session.ModeUnknown, 0, none, none, none, none
			t.Servers = append(t.Servers, sv)
			continue
		}
		if i == s.Leader {
			sv.Mode = session.ModeLeader
			if n := s.expired[i]; s.Counts {
				sv.Expired = &n
			}
		}
		if watches {
			sv.Watches = answered
		}
		if s.SilentConns {
			sv.Connections = session.Answer{State: session.Refused, Why: "not in the whitelist", Hint: "4lw.commands.whitelist"}
		} else {
			sv.Connections = answered
		}
		if !s.SilentDues {
			sv.Sessions = answered
		}
		paths := map[string][]uint64{}
		for _, c := range s.Clients {
			if i == s.Leader && !c.Over && !s.SilentDues {
				d := session.Deadline{Session: c.Session, At: c.deadline}
				if s.Wall { // whole seconds of a clock of its own
					d.At, d.Wall = (c.deadline + 56*365*24*time.Hour + 123*time.Millisecond).Truncate(time.Second), true
				}
				sv.Deadlines = append(sv.Deadlines, d)
			}
			if c.znode != "" && !s.SilentDues {
				sv.Ephemerals = append(sv.Ephemerals, session.Ephemeral{Session: c.Session, Path: "/e/" + c.znode})
			}
			if c.Server != i {
				continue
			}
			if !s.SilentConns {
				sv.Clients = append(sv.Clients, session.Client{
					Session: c.Session, Addr: fmt.Sprintf("10.0.0.1:%d", c.Session), Timeout: c.Timeout,
					LastResponse: s.clock + c.resp.Sub(modeltest.Start), Received: c.received,
				})
			}
			for name := range c.watches {
				paths["/e/"+name] = append(paths["/e/"+name], c.Session)
			}
		}
		if watches {
			for _, p := range slices.Sorted(maps.Keys(paths)) {
				sv.Watched = append(sv.Watched, session.Watch{Path: p, Sessions: paths[p]})
			}
		}
		t.Servers = append(t.Servers, sv)
	}
	// The last that the observer knows to have been answered.
	t.Anchors = []session.Anchor{{
		Session: s.own.Session, Sent: s.own.resp.Add(-time.Millisecond), Timeout: s.own.Timeout,
	}}
	return t
}

// polls asks again and again.
func (s *sim) polls(every func() time.Duration, watches bool) {
	s.At(every(), func() {
		s.poll(watches)
		s.polls(every, watches)
	})
}
