package model_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

// distant is an observer with random delays. Messages from the server arrive in order, but requests
// may overtake each other.
type distant struct {
	*rapid.T
	tree     *modeltest.Tree
	w        *modeltest.Watcher
	j        *doctor.Journal
	agenda   modeltest.Agenda
	watch    bool
	ack      *model.Ack
	ackWatch bool
	arrived  time.Time // when the last message arrives
	lastSent time.Time // when the newest answered request was sent
	deleted  map[dialect.ID]time.Time
	created  map[dialect.ID]time.Time
	acked    map[dialect.ID]time.Time
	checked  int
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

func (d *distant) reply(do func()) {
	at := d.tree.Now.Add(d.delay())
	if at.Before(d.arrived) {
		at = d.arrived
	}
	d.arrived = at
	d.agenda.Add(at, do)
}

func (d *distant) request(serve func() (answered func())) {
	sent := d.tree.Now
	d.agenda.Add(sent.Add(d.delay()), func() {
		answered := serve()
		d.reply(func() {
			if sent.After(d.lastSent) {
				d.lastSent = sent
			}
			answered()
		})
	})
}

func (d *distant) list(notified, appliedAfter time.Time) {
	sent := d.tree.Now
	d.request(func() func() {
		d.watch = true
		r := d.w.Read(false, false, nil)
		return func() {
			r.At, r.Sent, r.Notified, r.AppliedAfter = d.tree.Now, sent, notified, appliedAfter
			d.apply(r)
		}
	})
}

func (d *distant) changed() {
	if !d.watch {
		return
	}
	d.watch = false
	d.reply(func() {
		notified, appliedAfter := d.tree.Now, d.lastSent
		d.agenda.Add(d.tree.Now.Add(d.delay()), func() { d.list(notified, appliedAfter) })
	})
}

func (d *distant) readAck(notified, appliedAfter time.Time) {
	sent := d.tree.Now
	d.request(func() func() {
		d.ackWatch = true
		a := *d.ack
		return func() {
			a.At, a.Sent, a.Notified, a.AppliedAfter = d.tree.Now, sent, notified, appliedAfter
			d.apply(&a)
		}
	})
}

func (d *distant) acknowledge(a model.Ack) {
	d.ack = &a
	if d.ackWatch {
		d.ackWatch = false
		d.reply(func() { d.readAck(d.tree.Now, d.lastSent) })
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
				d.Fatalf("%s of %+v has the bounds %+v, want bounds around its guess and around %v", what, h, *s, truth)
			}
		}
		var truth time.Time
		if h.From != nil {
			truth = d.deleted[h.From.ID()]
		} else {
			truth = d.created[h.To.ID()]
		}
		if !h.Earliest.IsZero() && (truth.Before(h.Earliest) || truth.After(h.Latest)) {
			since := func(at time.Time) time.Duration { return at.Sub(modeltest.Start) }
			d.Fatalf("a handoff has the bounds %v and %v, want bounds around %v", since(h.Earliest), since(h.Latest), since(truth))
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

func TestHandoffBoundsContainTheTrueTimes(t *testing.T) {
	total := 0
	rapid.Check(t, func(t *rapid.T) {
		tr := modeltest.NewTree()
		tr.CreateParent(0)
		d := &distant{
			T: t, tree: tr, w: &modeltest.Watcher{Tree: tr},
			j:   doctor.NewJournal(model.Config{Path: "/e", AckPath: "/ack", AckExpected: rapid.Bool().Draw(t, "ack expected")}),
			ack: &model.Ack{Presence: model.Absent}, deleted: map[dialect.ID]time.Time{}, created: map[dialect.ID]time.Time{}, acked: map[dialect.ID]time.Time{},
		}
		d.apply(&model.Connection{At: tr.Now, Link: model.Connected, Session: 99})
		d.list(time.Time{}, time.Time{})
		d.readAck(time.Time{}, time.Time{})
		var ping func()
		ping = func() {
			d.request(func() func() { return func() {} })
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
			case step == 1:
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
		t.Error("no bound was checked")
	}
}
