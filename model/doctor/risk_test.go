package doctor_test

import (
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
	gone := func(x *session.Table) { disconnect(x, 1) }
	c.pass(time.Second)
	c.answer(gone)
	c.wantFindings() // the client may be moving to another server
	st := c.J.State()
	r := st.Risk(st.Queue.At(0))
	if r == nil || !r.Leader || r.Next != st.Queue.At(1) || r.By.IsZero() || len(st.Risks) != 1 || st.Risks[0] != r {
		t.Fatalf("got risk %+v, want one risk, of the leader, with a bound and the next candidate", r)
	}
	// The bound is the timeout, a tick for rounding, half a tick for a batch, and the commit.
	if want := c.Tree.Now.Add(10*time.Second + 3*time.Second + time.Second); !r.By.Equal(want) {
		t.Errorf("bound %v, want %v", r.By, want)
	}
	c.afterAnswers(gone, "zombie-leader critical") // silent for two thirds of its timeout
	c.pass(time.Second)
	c.answer(nil)
	c.wantFindings()
	if st := c.J.State(); len(st.Risks) != 0 {
		t.Errorf("got risks %+v of a leader that is back, want none", st.Risks)
	}

	frozen := c.frozen()
	c.pass(3 * time.Second)
	c.answer(frozen)
	c.wantFindings()
	c.answerTwice(frozen)
	if c.found["zombie-leader "+names[0]] == "" {
		t.Errorf("findings %v, want zombie-leader", c.found)
	}
	c.leave(names[0])
	c.wantFindings()
	if st := c.J.State(); len(st.Risks) != 0 {
		t.Errorf("got risks %+v of a leader that left, want none", st.Risks)
	}
	h := c.J.State().Handoffs[0]
	if h.Cause != model.CauseExpired || !strings.Contains(h.Evidence, "received nothing from it since") {
		t.Errorf("got cause %s (%s), want expired after silence", h.Cause, h.Evidence)
	}
}

func TestRiskUnseen(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	for _, every := range []time.Duration{time.Second, 3 * time.Second} {
		c.answer(func(x *session.Table) { x.Every = every })
		if st := c.J.State(); st.RiskUnseen(st.Queue.At(0)) != "" {
			t.Errorf("RiskUnseen = %q if the servers are queried every %v, want none", st.RiskUnseen(st.Queue.At(0)), every)
		}
	}
	for want, change := range map[string]func(*session.Table){
		"10 s; use --admin-sessions 3s": func(x *session.Table) { x.Every = 5 * time.Second },
		"only on request":               func(x *session.Table) { x.Every = 0 },
		"not all members":               func(x *session.Table) { x.Whole = false; x.Servers[0].Sessions = session.Answer{} },
		"hint would allow it":           func(x *session.Table) { refuse(x, "hint") },
		"timeout is unknown":            func(x *session.Table) { disconnect(x, 1) },
		"the servers were not queried":  nil,
	} {
		c := newFixture(t, model.Config{})
		c.join("n_", 1)
		if change != nil {
			c.answer(change)
		}
		st := c.J.State()
		if why := st.RiskUnseen(st.Queue.At(0)); !strings.Contains(why, want) {
			t.Errorf("RiskUnseen = %q, want %q", why, want)
		}
	}
}

func refuse(x *session.Table, hint string) {
	for i := range x.Servers {
		x.Servers[i].Connections = session.Answer{State: session.Refused, Hint: hint}
		x.Servers[i].Sessions, x.Servers[i].Deadlines = session.Answer{State: session.Refused, Hint: hint}, nil
	}
}

// TestOvertakenLeaderKeepsItsZnode checks that a table gives no cause of a deletion that did not happen.
func TestOvertakenLeaderKeepsItsZnode(t *testing.T) {
	c := newFixture(t, model.Config{Recipe: dialect.Election()})
	c.Tree.Create("n_0000000005", false, 1, "")
	c.read()
	c.Tree.Create("n_-2147483648", false, 2, "")
	c.read()
	c.pass(time.Second)
	c.answer(nil)
	if hs := c.J.State().Handoffs; len(hs) != 1 || hs[0].Cause != model.CauseUnknown {
		t.Errorf("got %d handoffs, the first with the cause %s; want one, unknown", len(hs), hs[0].Cause)
	}
}

func TestCausesFromTables(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	last := func() *model.Handoff {
		hs := c.J.State().Handoffs
		return hs[len(hs)-1]
	}
	// The last message is younger than the timeout, so the session cannot have expired.
	c.pass(time.Second)
	c.leave(names[0])
	if h := last(); h.Cause != model.CauseLeft || !strings.Contains(h.Evidence, "could not expire") {
		t.Errorf("got cause %s (%s), want left: the session could not expire", h.Cause, h.Evidence)
	}
	before := c.J.State()
	if !slices.Contains(before.SessionsToQuery(), 1) {
		t.Error("SessionsToQuery lacks the former leader's session")
	}
	c.pass(time.Second)
	x := c.healthyTable()
	x.Servers[1].Clients = append(x.Servers[1].Clients, session.Client{Session: 1, Addr: "10.0.0.1:4000", Timeout: 10 * time.Second})
	c.apply(x)
	if h := last(); h.Cause != model.CauseDeleted || !strings.Contains(h.Evidence, "is alive without") {
		t.Errorf("got cause %s (%s), want deleted: the session is alive", h.Cause, h.Evidence)
	}
	if before.Handoffs[0].Cause != model.CauseLeft {
		t.Error("an older state changed")
	}

	c.leave(names[1])
	c.pass(time.Second)
	c.answer(nil)
	if h := last(); h.Cause != model.CauseLeft || !strings.Contains(h.Evidence, "was over by") {
		t.Errorf("got cause %s (%s), want left: the session is over", h.Cause, h.Evidence)
	}

	s := modeltest.NewScript(t, model.Config{})
	a := s.Join(1)
	s.Join(2)
	s.Read()
	s.Tree.Delete(a)
	s.Read()
	if h := s.J.State().Handoffs[0]; h.Cause != model.CauseUnknown || !strings.Contains(h.Evidence, "--admin-sessions") {
		t.Errorf("got cause %s (%s), want unknown: no server was queried", h.Cause, h.Evidence)
	}
}

func TestRiskEndsAfterItsBound(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	c.pass(time.Second)
	x := c.healthyTable()
	disconnect(x, 2)
	c.apply(x)
	st := c.J.State()
	r := st.Risk(st.Queue.At(1))
	if r == nil || r.Leader || r.Next != nil {
		t.Fatalf("got risk %+v, want one of a waiting candidate", r)
	}
	c.pass(r.By.Sub(c.Tree.Now))
	if len(c.J.State().Risks) != 1 {
		t.Error("the risk was dropped at its bound, want it later")
	}
	c.pass(3 * time.Second)
	if n := len(c.J.State().Risks); n != 0 {
		t.Errorf("got %d risks with a past bound, want none", n)
	}
	if due, ok := c.J.Deadline(); ok {
		t.Errorf("got deadline %v, want none", due)
	}
	if st.Risk(nil) != nil || len(st.Risks) != 1 {
		t.Error("an older state changed, or nil has a risk")
	}
}

func TestRiskEnds(t *testing.T) {
	for name, want := range map[string]doctor.RiskChanged{
		"expired": {Gone: true, Cause: model.CauseExpired},
		"waiting": {Gone: true, Cause: model.CauseUnknown},
		"killed":  {Gone: true, Cause: model.CauseExpired}, // the last in the queue
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
			c.apply(&model.Cast{At: c.Tree.Now, Member: m})
			m.Fault, m.FaultAt, m.ExpiresFrom = model.Killed, c.Tree.Now, c.Tree.Now.Add(4*time.Second)
			c.apply(&model.Cast{At: c.Tree.Now, Member: m, Gone: true})
		}
		c.pass(time.Second)
		c.answerTwice(func(x *session.Table) { disconnect(x, of) })
		c.pass(5 * time.Second)
		if name == "back" {
			c.answer(nil)
		} else {
			c.leave(names[of-1])
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

func TestZombieLeaderBecomesCritical(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	c.pass(time.Second)
	frozen := c.frozen()
	for range 34 {
		c.pass(300 * time.Millisecond)
		c.answer(frozen)
	}
	var zombie []string
	for _, l := range c.log {
		if strings.Contains(l, "zombie-leader "+names[0]) {
			zombie = append(zombie, l)
		}
	}
	if c.found["zombie-leader "+names[0]] != doctor.Critical || len(zombie) != 2 {
		t.Errorf("got the events %q, want two: raised, and raised to critical", zombie)
	}
}

// TestSilentCandidates checks that one answer without a connection is no evidence of silence.
func TestSilentCandidates(t *testing.T) {
	c := newFixture(t, model.Config{})
	for i := range 4 {
		c.join("n_", uint64(i+1))
	}
	c.answerTwice(nil)
	gone := []uint64{2}
	silent := func(want string) {
		c.Helper()
		c.pass(3 * time.Second)
		c.answer(func(t *session.Table) {
			for _, id := range gone {
				disconnect(t, id)
			}
		})
		c.pass(time.Second)
		var got []string
		for _, f := range c.J.State().Findings {
			got = append(got, f.Title)
		}
		if strings.Join(got, "; ") != want {
			c.Errorf("sessions %d without connections: findings %q, want %q", gone, got, want)
		}
	}
	silent("")
	gone = append(gone, 3)
	silent("at least 1 waiting candidate is silent")
	silent("2 waiting candidates are silent")
}

// TestWrongExpiryIsCorrected checks a client that closes its session just before the expiry.
func TestWrongExpiryIsCorrected(t *testing.T) {
	wrong := 0
	rapid.Check(t, func(t *rapid.T) {
		s := newSim(t, model.Config{Path: "/e"}, 2*time.Second)
		s.Dated, s.Lag, s.Counts, s.Every = true, 20*time.Millisecond, true, 500*time.Millisecond
		first := s.client(1, 4*time.Second)
		for _, c := range []*simClient{first, s.client(2, 4*time.Second)} {
			s.volunteer(c)
			s.run(10 * time.Millisecond)
		}
		s.polls(func() time.Duration { return s.Every }, false)
		s.Check = func(e model.Event) {
			if h, ok := e.Body.(model.Handoff); ok && h.Cause == model.CauseExpired {
				wrong++
			}
		}
		s.run(s.between("healthy", 3*time.Second, 8*time.Second))
		first.Stopped = true
		before := s.between("before it expires", time.Millisecond, 500*time.Millisecond)
		for s.timeLeft(first) > before {
			s.run(max(min(s.timeLeft(first)-before, 100*time.Millisecond), time.Millisecond))
		}
		s.end(first)
		s.run(100 * time.Millisecond) // electop observes the deletion
		last := func() *model.Handoff { hs := s.J.State().Handoffs; return hs[len(hs)-1] }
		lost := rapid.Bool().Draw(t, "electop's connection is lost") && last().Cause != model.CauseLeft
		if lost {
			for _, link := range []model.Link{model.Disconnected, model.Connected} {
				s.apply(&model.Connection{At: s.Tree.Now, Link: link, Session: s.own.Session, Server: "s0:2181"})
			}
		}
		s.run(10 * time.Second)
		h := last()
		if counted := strings.Contains(h.Evidence, "let no session expire"); lost && counted || !lost && h.Cause != model.CauseLeft {
			t.Fatalf("lost connection: %v; got cause %s (%s); want left if false, no count of expired sessions if true", lost, h.Cause, h.Evidence)
		}
	})
	if wrong == 0 {
		t.Error("no wrong expiry was reported, so none was corrected")
	}
	t.Logf("%d wrong expiries corrected", wrong)
}

func TestDeletionBeforeTheSilenceIsNoExpiry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSim(t, model.Config{Path: "/e"}, 500*time.Millisecond, 2*time.Second)
		s.Dated, s.SilentDeadlines, s.Lag, s.Every = true, true, s.between("longest lag", 3*time.Second, 8*time.Second), 200*time.Millisecond
		for i := range 2 {
			s.volunteer(s.client(uint64(i+1), 4*time.Second))
			s.run(10 * time.Millisecond)
		}
		s.polls(func() time.Duration { return s.Every }, false)
		s.run(s.between("time", time.Millisecond, 100*time.Millisecond)) // no answer arrives in this time
		leader := s.Clients[1]
		s.withdraw(leader)
		s.run(time.Millisecond)
		leader.Stopped = true
		s.run(s.Lag)
		for _, h := range s.J.State().Handoffs {
			if h.Cause == model.CauseExpired {
				t.Fatalf("got the cause expired: %s", h.Evidence)
			}
		}
	})
}

type causeSim struct {
	*sim
	late      map[string]time.Time   // when a stopped client continued and closed its session, by znode
	published map[string]model.Cause // the last cause in the events, by znode
	reported  map[model.Cause]int
	wrong     int // number of handoffs that wrongly have the cause expired
}

func newCauseSim(t *rapid.T, candidates int) *causeSim {
	s := &causeSim{
		sim:  newSim(t, model.Config{Path: "/e"}, 500*time.Millisecond, 2*time.Second),
		late: map[string]time.Time{}, published: map[string]model.Cause{}, reported: map[model.Cause]int{},
	}
	s.Check = s.checkEvent
	s.Dated, s.Lag = true, s.between("longest lag", 20*time.Millisecond, 8*time.Second)
	switch rapid.IntRange(0, 3).Draw(t, "silent") {
	case 0:
		s.SilentConns = true
	case 1:
		s.SilentDeadlines = true
	}
	s.Counts = rapid.Bool().Draw(t, "counts")
	for i := range candidates {
		s.volunteer(s.client(uint64(i+1), s.between("timeout", 4*time.Second, 12*time.Second)))
		s.run(10 * time.Millisecond)
	}
	s.Every = s.between("poll", 200*time.Millisecond, 2*time.Second)
	s.polls(func() time.Duration { return s.Every }, false)
	if s.Counts {
		s.run(8 * time.Second) // the ensemble's leader reports a first count in this time
	}
	return s
}

func (s *causeSim) checkCause(h *model.Handoff) {
	if h.From == nil {
		return
	}
	want, at := s.Ends[h.From.Name], s.late[h.From.Name]
	s.reported[h.Cause]++
	if h.Cause == model.CauseExpired && !at.IsZero() && slices.ContainsFunc(s.Clients, func(c *simClient) bool {
		return !c.Expired.IsZero() && c.Expired.Sub(at).Abs() < 15*time.Second
	}) {
		return
	}
	switch {
	case h.Cause == model.CauseUnknown, h.Cause == want, h.Cause == model.CauseLeft && want != model.CauseExpired,
		h.Cause == model.CauseDeleted && want == model.CauseResigned:
	default:
		s.Fatalf("%s: got cause %s (%s), which contradicts the real cause %s", h.From.Name, h.Cause, h.Evidence, want)
	}
}

func (s *causeSim) checkEvent(e model.Event) {
	switch b := e.Body.(type) {
	case model.Explained:
		s.checkCause(&b.Handoff)
		s.published[b.From.Name] = b.Cause
	case model.Handoff:
		if b.From != nil {
			s.published[b.From.Name] = b.Cause
		}
		if b.Cause == model.CauseExpired && b.From != nil && !s.late[b.From.Name].IsZero() {
			s.wrong++
			return
		}
		s.checkCause(&b)
	}
}

func (s *causeSim) act(t *rapid.T, c *simClient) {
	if c.Stopped {
		return
	}
	switch rapid.IntRange(0, 4).Draw(t, "step") {
	case 0:
		s.withdraw(c)
	case 1:
		s.end(c)
	case 2:
		c.Stopped = true
		if s.Counts && !s.SilentDeadlines && rapid.Bool().Draw(t, "continues") {
			before := s.between("before it expires", 0, time.Second)
			s.At(0, func() { s.closeLate(c, before) })
		}
	case 3:
		c.Stopped, c.Server = true, -1
	case 4:
		s.volunteer(c)
	}
}

func (s *causeSim) closeLate(c *simClient, before time.Duration) {
	switch left := s.timeLeft(c); {
	case c.Over || !c.Expired.IsZero():
	case left > before:
		s.At(max(left-before, time.Millisecond), func() { s.closeLate(c, before) })
	default:
		s.late[c.znode] = s.Tree.Now
		s.end(c)
	}
}

func TestCausesAreTrue(t *testing.T) {
	reported, wrong := map[model.Cause]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "candidates")
		s := newCauseSim(t, n)
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			s.run(s.between("time", time.Millisecond, 8*time.Second))
			s.act(t, s.Clients[rapid.IntRange(1, n).Draw(t, "who")])
		}
		s.run(30 * time.Second)
		for _, h := range s.J.State().Handoffs {
			s.checkCause(h)
			if h.From != nil && s.published[h.From.Name] != h.Cause {
				t.Fatalf("%s: got cause %s in the events, %s in the state", h.From.Name, s.published[h.From.Name], h.Cause)
			}
		}
		for cause, n := range s.reported {
			reported[cause] += n
		}
		wrong += s.wrong
	})
	if reported[model.CauseExpired] == 0 || reported[model.CauseLeft]+reported[model.CauseDeleted] == 0 {
		t.Errorf("got the causes %v, want expired, and left or deleted", reported)
	}
	t.Logf("causes: %v, %d wrong expiries reported", reported, wrong)
}

func TestHealthyElection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := model.Config{Path: "/e"}
		s := newSim(t, cfg, 500*time.Millisecond, 2*time.Second)
		s.Check = func(e model.Event) {
			switch b := e.Body.(type) {
			case doctor.FindingChanged:
				if b.Finding.Severity != doctor.Info && b.Finding.ID != "flapping" {
					t.Fatalf("after %v: got the finding %+v, want none above info, except flapping", e.At.Sub(modeltest.Start), b.Finding)
				}
			case model.Handoff:
				if b.Cause == model.CauseExpired {
					t.Fatalf("got an expired session, want none: %s", b.Evidence)
				}
			}
		}
		n := rapid.IntRange(2, 6).Draw(t, "candidates")
		moved := map[*simClient]bool{}
		for i := range n {
			c := s.client(uint64(i+1), s.between("timeout", 3*time.Second, 20*time.Second))
			s.volunteer(c)
			s.run(s.between("pause", 0, 200*time.Millisecond))
		}
		longest := s.between("poll", 300*time.Millisecond, 3*time.Second)
		s.polls(func() time.Duration { return s.between("until the next poll", longest/4, longest) }, true)
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			switch c := s.Clients[rapid.IntRange(1, len(s.Clients)-1).Draw(t, "who")]; rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				s.withdraw(c)
			case 1:
				s.withdraw(c)
				s.At(s.between("until it volunteers again", 0, time.Second), func() { s.volunteer(c) })
			case 2:
				s.volunteer(c)
			case 3:
				s.end(c)
			case 4:
				if !moved[c] {
					moved[c] = true
					s.move(c)
				}
			}
			for range rapid.IntRange(1, 3).Draw(t, "reads") {
				s.run(s.between("time", time.Millisecond, 2*time.Second))
				st := s.J.State()
				for i, c := range st.Queue.All() {
					if e := st.Edge(i); e.State == doctor.WrongWatch || e.State == doctor.MissingWatch {
						t.Fatalf("after %v: got the edge %+v of %s, want no fault", s.Tree.Now.Sub(modeltest.Start), e, c.Name)
					}
				}
			}
		}
		s.run(2 * time.Second)
		s.poll(true)
		s.run(100 * time.Millisecond)
		st := s.J.State()
		for i := range st.Queue.Len() {
			if e := st.Edge(i); i > 0 && e.State != doctor.Verified {
				t.Fatalf("edge of %s: got %+v, want it verified", st.Queue.At(i).Name, e)
			}
		}
		if len(st.Risks) > 0 {
			t.Fatalf("got the risk %+v, want none", st.Risks[0])
		}
	})
}

func silentSim(t *rapid.T, conns bool, ticks ...time.Duration) *sim {
	s := newSim(t, model.Config{Path: "/e"}, ticks...)
	s.Wall = rapid.Bool().Draw(t, "wall")
	silent := rapid.IntRange(0, 2).Draw(t, "silent")
	s.SilentConns, s.SilentDeadlines = silent == 0 && conns, silent == 1
	return s
}

func stop(t *rapid.T, s *sim, victim *simClient) {
	victim.Stopped, victim.StopAt = true, s.Tree.Now
	if rapid.Bool().Draw(t, "killed") {
		victim.Server = -1
	}
}

func checkBounds(t *rapid.T, risks []doctor.Risk, victim *simClient, byEpoch bool) {
	for _, r := range risks {
		late := !r.By.IsZero() && r.By.Before(victim.Expired) && (!byEpoch || r.Epoch == victim.Epoch)
		if late || r.NotBefore.After(victim.Expired) {
			t.Fatalf("expired %v after the start in epoch %d, outside its bounds %v and %v: %+v",
				victim.Expired.Sub(modeltest.Start), victim.Epoch, r.NotBefore.Sub(modeltest.Start), r.By.Sub(modeltest.Start), r)
		}
	}
}

func TestRiskBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := silentSim(t, false, 500*time.Millisecond, 2*time.Second, 3*time.Second)
		n := rapid.IntRange(2, 4).Draw(t, "candidates")
		shortest := time.Hour
		for i := range n {
			c := s.client(uint64(i+1), s.between("timeout", max(2*s.Tick, 4*time.Second), 30*time.Second))
			shortest = min(shortest, c.Timeout)
			s.volunteer(c)
			s.run(10 * time.Millisecond)
		}
		limit := shortest*2/3 - 500*time.Millisecond
		s.Every = s.between("poll", 200*time.Millisecond, limit/2-50*time.Millisecond)
		s.polls(func() time.Duration { return s.Every }, false)
		s.run(s.between("warm up", s.Every*2, 20*time.Second))

		victim := s.Clients[rapid.IntRange(1, n).Draw(t, "victim")]
		led := s.J.State().Leader().Session == victim.Session
		if why := s.J.State().RiskUnseen(s.J.State().Queue.At(0)); why != "" {
			t.Fatalf("queried every %v: RiskUnseen = %q, want none", s.Every, why)
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
					t.Fatalf("got cause %s (%s), want expired, with evidence", b.Cause, b.Evidence)
				}
			}
		}
		stop(t, s, victim)
		for !victim.Over && s.Tree.Now.Sub(victim.StopAt) < 2*time.Minute {
			s.run(50 * time.Millisecond)
			if r := s.J.State().Risk(s.candidate(victim)); r != nil {
				risks = append(risks, *r)
				if led != r.Leader || led && r.Next == nil {
					t.Fatalf("got risk %+v, want Leader %t and, if true, a next candidate", r, led)
				}
			}
		}
		s.run(time.Second)
		if !victim.Over || !cleared || len(s.J.State().Risks) > 0 {
			t.Fatalf("session over %v, risk cleared %v, %d risks left; want true, true, 0", victim.Over, cleared, len(s.J.State().Risks))
		}
		useful := false
		for _, r := range risks {
			useful = useful || !r.By.IsZero() && !r.By.After(victim.Expired.Add(2*s.Tick+victim.Timeout))
		}
		checkBounds(t, risks, victim, false)
		if !useful {
			t.Fatalf("expired %v, want an upper bound at most two ticks and a timeout later: %+v", victim.Expired, risks)
		}
	})
}

func TestRiskBoundsThroughEnsembleElections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := silentSim(t, true, 500*time.Millisecond, 2*time.Second)
		for i := range 3 {
			s.volunteer(s.client(uint64(i+1), s.between("timeout", 4*time.Second, 20*time.Second)))
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
					t.Fatalf("got cause %s (%s), want expired or unknown", b.Cause, b.Evidence)
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
				if s.Leader < 0 && s.Tree.Now.Sub(s.ElectionAt) > s.Every+50*time.Millisecond && !r.By.IsZero() {
					t.Fatalf("got an upper bound during an election of the ensemble: %+v", r)
				}
			}
		}
		if !victim.Over {
			t.Fatal("the victim's session did not expire in three minutes")
		}
		checkBounds(t, risks, victim, true)
	})
}
