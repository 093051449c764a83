package lesson_test

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/lesson"
	"electop/model/znode"
)

type world struct {
	journal  *doctor.Journal
	at       time.Time
	zxid     int64
	next     int
	children []znode.Znode
	members  map[string]*model.Member
	writes   int64
	observe  func(*doctor.State, []model.Event)
	events   []model.Event
}

const ack = "/e-leader"

func newWorld(names ...string) *world {
	w := &world{
		journal: doctor.NewJournal(model.Config{Path: "/e", AckPath: ack, AckExpected: true}),
		at:      time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		zxid:    100,
		members: make(map[string]*model.Member),
	}
	w.put(&model.Connection{At: w.at, Link: model.Connected, Server: "s:1", Session: 1})
	w.read()
	for _, n := range names {
		w.join(n)
	}
	w.settle()
	w.events = nil
	return w
}

func (w *world) state() *doctor.State { return w.journal.State() }

func (w *world) put(o model.Observation) {
	es := w.journal.Apply(o)
	w.events = append(w.events, es...)
	if w.observe != nil {
		w.observe(w.journal.State(), es)
	}
}

func (w *world) tick(d time.Duration) time.Time {
	w.at = w.at.Add(d)
	return w.at
}

func (w *world) read() {
	w.put(&model.Read{At: w.tick(time.Millisecond), Presence: model.Present, Full: true, New: slices.Clone(w.children), Parent: znode.Parent{
		Czxid: 2, Cversion: int32(2*w.next - len(w.children)), Children: int32(len(w.children)), Pzxid: w.zxid,
	}})
}

// pass lets time pass, so that the journal releases events that it held back.
func (w *world) pass(d time.Duration) { w.put(&model.Advance{At: w.tick(d)}) }

func (w *world) member(name string, f func(*model.Member)) {
	m := w.members[name]
	if m == nil {
		m = &model.Member{ID: name, Name: name, Recipe: w.state().Recipe.Name(), Belief: model.Volunteering, Timeout: 4 * time.Second}
		w.members[name] = m
	}
	if f != nil {
		f(m)
	}
	w.put(&model.Cast{At: w.tick(time.Millisecond), Member: *m, Gone: f == nil})
	if f == nil {
		delete(w.members, name)
	}
}

func (w *world) create(name string, session uint64) znode.Znode {
	w.zxid++
	z := znode.Znode{
		Name: fmt.Sprintf("%032x-n_%010d", session, w.next), Session: session, Czxid: w.zxid, Ctime: w.at,
		Data: znode.NewData([]byte(name)),
	}
	w.next++
	w.children = append(w.children, z)
	w.read()
	return z
}

func (w *world) join(name string) {
	session := uint64(1000 + w.next)
	w.member(name, func(m *model.Member) {
		m.Session, m.Belief, m.Fault, m.Ending, m.Znode, m.You = session, model.Volunteering, model.NoFault, model.NoEnding, "", name == "you"
		m.ExpiresFrom = w.at.Add(4 * time.Second)
	})
	z := w.create(name, session)
	w.member(name, func(m *model.Member) { m.Znode, m.Belief = z.Name, model.Waiting })
	w.settle()
}

func (w *world) joinThirdParty(name string) { w.create(name, uint64(9000+w.next)) }

func (w *world) index(name string) int {
	return slices.IndexFunc(w.children, func(z znode.Znode) bool { return string(z.Data.Bytes) == name })
}

func (w *world) drop(name string) {
	i := w.index(name)
	if i < 0 {
		return
	}
	z := w.children[i]
	var notified []uint64
	for k := range w.children {
		herd := w.state().Recipe.Name() == "herd"
		if !herd && k == i+1 || herd && i == 0 && k > 0 {
			notified = append(notified, w.children[k].Session)
		}
	}
	w.children = slices.Delete(w.children, i, i+1)
	w.zxid++
	report := model.DeletionReport{At: w.at, Deleted: w.tick(time.Millisecond), Znode: z.Name, Zxid: w.zxid, Notified: notified}
	w.put(&report)
	w.read()
	report.Settled, report.Requests, report.BytesIn, report.BytesOut = true, 3, 100, 200
	w.put(&report)
	w.settle()
}

func (w *world) settle() {
	for _, name := range slices.Sorted(maps.Keys(w.members)) {
		m := w.members[name]
		i := w.index(name)
		if m.Fault != model.NoFault || m.Ending != model.NoEnding || i < 0 || w.children[i].Name != m.Znode {
			continue
		}
		belief, watches := model.Waiting, ""
		switch {
		case i > 0 && w.state().Recipe.Name() == "herd":
			watches = w.children[0].Name
		case i > 0:
			watches = w.children[i-1].Name
		case m.SlowLead:
			belief = model.Elected
		default:
			belief = model.Leading
		}
		recipe := w.state().Recipe.Name()
		if m.Belief != belief || m.Watches != watches || m.Recipe != recipe {
			w.member(name, func(m *model.Member) { m.Belief, m.Watches, m.Recipe = belief, watches, recipe })
		}
		if belief == model.Leading {
			z := w.children[i]
			data := znode.NewData(model.AckData("/e/"+z.Name, z.Czxid))
			w.put(&model.Ack{At: w.tick(time.Millisecond), Path: ack, Presence: model.Present, Session: z.Session, Data: data})
		}
	}
}

func (w *world) resign(name string) {
	w.member(name, func(m *model.Member) { m.Belief, m.Ending = model.Resigned, model.Resigning })
	w.drop(name)
	w.member(name, nil)
	w.pass(2 * time.Second)
}

func (w *world) fault(name string, f model.Fault) {
	w.member(name, func(m *model.Member) { m.Fault, m.FaultAt, m.ExpiresFrom = f, w.at, w.at.Add(4*time.Second) })
	if f == model.Killed {
		w.member(name, nil)
	}
}

func (w *world) expire(name string) {
	w.pass(5 * time.Second)
	w.drop(name)
	w.pass(2 * time.Second)
}

func (w *world) thaw(name string) {
	w.member(name, func(m *model.Member) { m.Fault, m.FaultAt = model.NoFault, time.Time{} })
}

func (w *world) rules(f func(*model.Rules)) {
	r := w.state().Work.Rules
	f(&r)
	r.At = w.tick(time.Millisecond)
	w.put(&r)
}

func (w *world) write(name string, r model.Resource, fenced, refused bool) {
	m := w.members[name]
	w.writes++
	w.zxid++
	o := &model.Write{At: w.tick(time.Millisecond), Member: name, Znode: m.Znode, Token: m.Fence, Resource: r, Fenced: fenced, Refused: refused, Value: w.writes}
	if r == model.Counter && !refused {
		o.Zxid = w.zxid
	}
	w.put(o)
}

func (w *world) follow(recipe string) {
	w.put(&model.Switch{At: w.tick(time.Millisecond), Recipe: recipe})
	w.settle()
}

func (w *world) begin(l *lesson.Lesson) *lesson.Run {
	r := lesson.Begin(l, 1, 1)
	r.Start(w.state())
	w.observe = r.Observe
	return r
}
