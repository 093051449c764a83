package model_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

// A distant is an observer over a link whose delays vary, as go-zookeeper and a
// server make it: one stream each way, a watch that fires once and is set by the
// next list, and pings.
type distant struct {
	*rapid.T
	tree    *modeltest.Tree
	w       *modeltest.Watcher
	j       *doctor.Journal
	agenda  modeltest.Agenda
	watch   bool // it is set
	ack     *model.Ack
	ackSet  bool      // a watch on the acknowledgement
	arrived time.Time // of the last message from the server
	heard   time.Time // the sending of what was answered last
	deleted map[dialect.ID]time.Time
	created map[dialect.ID]time.Time
	acked   map[dialect.ID]time.Time
	checked int
}

func (d *distant) run(until time.Time) {
	for at, ok := d.agenda.Due(); ok && !at.After(until); at, ok = d.agenda.Due() {
		d.tree.Now = at
		d.agenda.Take()()
	}
	d.tree.Now = until
}

func (d *distant) delay() time.Duration {
	most := rapid.SampledFrom([]time.Duration{time.Millisecond, 100 * time.Millisecond, 4 * time.Second}).Draw(d.T, "delay up to")
	return time.Duration(rapid.Int64Range(0, int64(most)).Draw(d.T, "delay"))
}

// down has the client get a message that the server sends now.
func (d *distant) down(do func()) {
	at := d.tree.Now.Add(d.delay())
	if at.Before(d.arrived) {
		at = d.arrived
	}
	d.arrived = at
	d.agenda.Add(at, do)
}

// ask sends a request, has the server answer it, and the client take that.
func (d *distant) ask(serve func() (take func())) {
	sent := d.tree.Now
	d.agenda.Add(sent.Add(d.delay()), func() {
		take := serve()
		d.down(func() {
			if sent.After(d.heard) {
				d.heard = sent
			}
			take()
		})
	})
}

func (d *distant) list(notified, heard time.Time) {
	sent := d.tree.Now
	d.ask(func() func() {
		d.watch = true
		r := d.w.Read(false, false, nil)
		return func() {
			r.At, r.Sent, r.Notified, r.Heard = d.tree.Now, sent, notified, heard
			d.apply(r)
			if d.watch { // fired while the reply was under way: told below
				return
			}
		}
	})
}

// changed fires the watch.
func (d *distant) changed() {
	if !d.watch {
		return
	}
	d.watch = false
	d.down(func() {
		notified, heard := d.tree.Now, d.heard
		d.agenda.Add(d.tree.Now.Add(d.delay()), func() { d.list(notified, heard) }) // the pause
	})
}

func (d *distant) look(notified, heard time.Time) {
	sent := d.tree.Now
	d.ask(func() func() {
		d.ackSet = true
		a := *d.ack
		return func() {
			a.At, a.Sent, a.Notified, a.Heard = d.tree.Now, sent, notified, heard
			d.apply(&a)
		}
	})
}

func (d *distant) acknowledge(a model.Ack) {
	d.ack = &a
	if d.ackSet {
		d.ackSet = false
		d.down(func() { d.look(d.tree.Now, d.heard) })
	}
}

func (d *distant) apply(o model.Observation) {
	for _, e := range d.j.Apply(o) {
		h, ok := e.Body.(model.Handoff)
		if !ok {
			continue
		}
		within := func(what string, s *model.Span, guess *time.Duration, truth time.Duration) {
			if s == nil {
				return
			}
			d.checked++
			if truth < s.Least || truth > s.Most || guess == nil || *guess < s.Least || *guess > s.Most {
				d.Fatalf("%s of %+v: it was %v, said to be %v within %+v", what, h, truth, guess, *s)
			}
		}
		var truth time.Time
		if h.From != nil {
			truth = d.deleted[h.From.ID()]
		} else {
			truth = d.created[h.To.ID()]
		}
		if !h.Earliest.IsZero() && (truth.Before(h.Earliest) || truth.After(h.Latest)) {
			d.Fatalf("the leader changed at %v, said to be from %v to %v", truth.Sub(modeltest.Start), h.Earliest.Sub(modeltest.Start), h.Latest.Sub(modeltest.Start))
		}
		if h.From == nil && h.Vacant != nil {
			var last time.Time
			for _, at := range d.deleted {
				if at.After(last) && !at.After(truth) {
					last = at
				}
			}
			within("vacancy", h.VacantIn, h.Vacant, truth.Sub(last))
		}
		if h.To != nil && h.Takeover != nil {
			within("takeover", h.TakeoverIn, h.Takeover, d.acked[h.To.ID()].Sub(truth))
		}
	}
}

// Whatever the delays are, and whichever changes are not seen, what is said of
// when a leader changed and of how long that took is true.
func TestBoundsOfHandoffsAreTrue(t *testing.T) {
	total := 0
	rapid.Check(t, func(t *rapid.T) {
		tr := modeltest.NewTree()
		tr.CreateParent(0)
		d := &distant{
			T: t, tree: tr, w: &modeltest.Watcher{Tree: tr}, j: doctor.NewJournal(model.Config{Path: "/e", AckPath: "/ack", AckExpected: rapid.Bool().Draw(t, "ack expected")}),
			ack: &model.Ack{Presence: model.Absent}, deleted: map[dialect.ID]time.Time{}, created: map[dialect.ID]time.Time{}, acked: map[dialect.ID]time.Time{},
		}
		d.apply(&model.Connection{At: tr.Now, Link: model.Connected, Session: 99})
		d.list(time.Time{}, time.Time{})
		d.look(time.Time{}, time.Time{})
		var ping func()
		ping = func() {
			d.ask(func() func() { return func() {} })
			d.agenda.Add(tr.Now.Add(3*time.Second), ping)
		}
		ping()
		session := uint64(0)
		for range rapid.IntRange(3, 40).Draw(t, "changes") {
			d.run(tr.Now.Add(d.delay()))
			names := tr.Names()
			switch step := rapid.IntRange(0, 3).Draw(t, "change"); {
			case step == 0 || len(names) == 0:
				session++
				name := tr.Create("n_", true, session, "")
				d.created[dialect.ID{Name: name, Czxid: tr.Children[name].Czxid}] = tr.Now
				d.changed()
			case step == 1: // the leader acknowledges
				z := tr.Children[names[0]]
				if _, ok := d.acked[dialect.ID{Name: z.Name, Czxid: z.Czxid}]; !ok {
					d.acked[dialect.ID{Name: z.Name, Czxid: z.Czxid}] = tr.Now
					d.acknowledge(model.Ack{Presence: model.Present, Session: z.Session, Data: znode.NewData(model.AckData("/e/"+z.Name, z.Czxid))})
				}
			default:
				z := tr.Children[names[min(step-2, len(names)-1)]]
				d.deleted[dialect.ID{Name: z.Name, Czxid: z.Czxid}] = tr.Now
				tr.Delete(z.Name)
				d.changed()
				if d.ack.Session == z.Session {
					d.acknowledge(model.Ack{Presence: model.Absent})
				}
			}
		}
		d.run(tr.Now.Add(time.Minute))
		total += d.checked
	})
	if total == 0 {
		t.Error("no bound was said")
	}
}

// A client that was stopped continues and closes its session at the last moment. If
// that is said to be an expiry, the next answers take it back: no session expired.
func TestExpiryIsTakenBack(t *testing.T) {
	early := 0
	rapid.Check(t, func(t *rapid.T) {
		s := modeltest.NewSim(t, model.Config{Path: "/e"}, 2*time.Second)
		s.Dated, s.Lag, s.Counts, s.Every = true, 20*time.Millisecond, true, 500*time.Millisecond
		first := s.Client(1, 4*time.Second)
		for _, c := range []*modeltest.SimClient{first, s.Client(2, 4*time.Second)} {
			s.Stand(c)
			s.Run(10 * time.Millisecond)
		}
		s.Polls(func() time.Duration { return s.Every }, false)
		s.Check = func(e model.Event) {
			if h, ok := e.Body.(model.Handoff); ok && h.Cause == model.CauseExpired {
				early++
			}
		}
		s.Run(s.Between("healthy", time.Second, 8*time.Second))
		first.Stopped = true
		before := s.Between("before it expires", 0, 500*time.Millisecond)
		for s.Left(first) > before {
			s.Run(max(min(s.Left(first)-before, 100*time.Millisecond), time.Millisecond))
		}
		s.End(first)
		s.Run(10 * time.Second)
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
		s := modeltest.NewSim(t, model.Config{Path: "/e"}, 500*time.Millisecond, 2*time.Second)
		s.Dated, s.SilentDues, s.Lag, s.Every = true, true, s.Between("longest lag", 3*time.Second, 8*time.Second), 200*time.Millisecond
		for i := range 2 {
			s.Stand(s.Client(uint64(i+1), 4*time.Second))
			s.Run(10 * time.Millisecond)
		}
		s.Polls(func() time.Duration { return s.Every }, false)
		s.Run(s.Between("time", time.Millisecond, 100*time.Millisecond)) // nothing showed that it was alive
		leader := s.Clients[1]
		s.Withdraw(leader)
		s.Run(time.Millisecond)
		leader.Stopped = true
		s.Run(s.Lag)
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
		s := modeltest.NewSim(t, model.Config{Path: "/e"}, 500*time.Millisecond, 2*time.Second)
		s.Dated, s.Lag = true, s.Between("longest lag", 20*time.Millisecond, 8*time.Second)
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
			s.Stand(s.Client(uint64(i+1), s.Between("timeout", 4*time.Second, 12*time.Second)))
			s.Run(10 * time.Millisecond)
		}
		s.Every = s.Between("poll", 200*time.Millisecond, 2*time.Second)
		s.Polls(func() time.Duration { return s.Every }, false)
		if s.Counts {
			s.Run(8 * time.Second) // so that there is a count from before
		}
		holds := func(h *model.Handoff) {
			if h.From == nil {
				return
			}
			end := s.Ends[h.From.Name]
			said[h.Cause]++
			if at := late[h.From.Name]; h.Cause == model.CauseExpired && !at.IsZero() && slices.ContainsFunc(s.Clients, func(c *modeltest.SimClient) bool {
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
			s.Run(s.Between("time", time.Millisecond, 8*time.Second))
			c := s.Clients[rapid.IntRange(1, n).Draw(t, "who")]
			if c.Stopped { // and can do nothing
				continue
			}
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				s.Withdraw(c)
			case 1:
				s.End(c)
			case 2:
				c.Stopped = true
				if s.Counts && !s.SilentDues && rapid.Bool().Draw(t, "continues") {
					before := s.Between("before it expires", 0, time.Second)
					var wait func()
					wait = func() {
						switch left := s.Left(c); {
						case c.Over || !c.Expired.IsZero():
						case left > before:
							s.At(max(left-before, time.Millisecond), wait)
						default:
							late[c.Znode()] = s.Tree.Now
							s.End(c)
						}
					}
					s.At(0, wait)
				}
			case 3:
				c.Stopped, c.Server = true, -1
			case 4:
				s.Stand(c)
			}
		}
		s.Run(30 * time.Second)
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
