package model_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

func TestHistoryMax(t *testing.T) {
	s := newScript(t, acked)
	const n = 3*model.HistoryMax + 7
	var old *doctor.State
	var oldText []byte
	last := s.join(1)
	s.read()
	for i := range n {
		next := s.join(uint64(i + 2))
		s.tree.delete(last)
		s.after(10 * time.Millisecond)
		s.read()
		if i%2 == 0 {
			s.ack(next)
		}
		last = next
		if i == model.HistoryMax+3 {
			old = s.j.State()
			oldText = text(t, old)
		}
	}
	s.after(time.Minute)
	s.advance()
	st := s.j.State()
	if len(st.Handoffs) != model.HistoryMax || len(st.Reigns) != model.HistoryMax || st.Totals.Handoffs != n {
		t.Fatalf("%d handoffs and %d reigns are remembered of %d", len(st.Handoffs), len(st.Reigns), st.Totals.Handoffs)
	}
	if cap(st.Handoffs) > 2*model.HistoryMax || cap(st.Reigns) > 2*model.HistoryMax {
		t.Errorf("the histories hold on to %d and %d", cap(st.Handoffs), cap(st.Reigns))
	}
	for i, h := range st.Handoffs {
		if want := int64(n - model.HistoryMax + i + 1); h.To.Sequence != want {
			t.Fatalf("handoff %d is to %d, want %d", i, h.To.Sequence, want)
		}
		if acked := (n-model.HistoryMax+i)%2 == 0; (h.Takeover != nil) != acked {
			t.Fatalf("handoff %d: acknowledged %v, takeover %v", i, acked, h.Takeover)
		}
		if r := st.Reigns[i]; r.Leader != h.To || !r.From.Equal(h.At) || i > 0 && !st.Reigns[i-1].To.Equal(r.From) {
			t.Fatalf("reign %d: %+v", i, r)
		}
	}
	if !st.Reigns[model.HistoryMax-1].To.IsZero() {
		t.Error("the present reign has ended")
	}
	if !bytes.Equal(text(t, old), oldText) {
		t.Error("an old state changed")
	}
}

// States go to other goroutines. With the race detector this finds a journal
// that writes to what it gave away.
func TestStatesAreRead(t *testing.T) {
	s := newScript(t, acked)
	states := make(chan *doctor.State, 64)
	sum := make(chan int)
	go func() {
		n := 0
		for st := range states {
			n += len(st.WithoutZnode())
			for _, c := range st.Queue {
				n += len(c.Label())
				if st.Member(c) != nil {
					n++
				}
			}
			for _, h := range st.Handoffs {
				if h.Takeover != nil {
					n++
				}
			}
			for _, r := range st.Reigns {
				if r.To.IsZero() {
					n++
				}
			}
			n += len(st.Ignored)
		}
		sum <- n
	}()
	s.join(1)
	for i := range 3 * model.HistoryMax {
		s.join(uint64(i%7 + 1))
		s.read()
		states <- s.j.State()
		s.apply(&model.Cast{At: s.tree.now, Member: model.Member{ID: fmt.Sprint(i % 5), Session: uint64(i % 7)}, Gone: i%3 == 0})
		states <- s.j.State()
		s.tree.delete(s.j.State().Leader().Name)
		s.read()
		states <- s.j.State()
		s.ack(s.j.State().Leader().Name)
		if r := s.w.refresh(s.j.State().Leader().Name); r != nil {
			s.apply(r)
		}
		states <- s.j.State()
		s.after(time.Millisecond)
	}
	close(states)
	if <-sum == 0 {
		t.Error("nothing was read")
	}
}

func TestStateLookups(t *testing.T) {
	s := newScript(t, model.Config{})
	a, b := s.join(1), s.join(2)
	s.read()
	for _, m := range []model.Member{{ID: "b", Session: 2}, {ID: "a", Session: 5}, {ID: "c"}} {
		s.apply(&model.Cast{At: s.tree.now, Member: m})
	}
	st := s.j.State()
	if c, i := st.Candidate(dialect.ID{Name: b, Czxid: s.tree.children[b].Czxid}); i != 1 || c.Name != b {
		t.Errorf("Candidate = %v, %d", c, i)
	}
	if c, i := st.Candidate(dialect.ID{Name: a}); c != nil || i != -1 {
		t.Errorf("Candidate of another czxid = %v, %d", c, i)
	}
	if m := st.Member(st.Queue[1]); m == nil || m.ID != "b" {
		t.Errorf("Member = %v", m)
	}
	if m := st.Member(st.Queue[0]); m != nil {
		t.Errorf("Member of a stranger = %v", m)
	}
	if m := st.Member(nil); m != nil {
		t.Errorf("Member of nobody = %v", m)
	}
	if h := st.WithoutZnode(); len(h) != 2 || h[0].ID != "a" || h[1].ID != "c" {
		t.Errorf("WithoutZnode = %v", h)
	}
	s.apply(&model.Cast{At: s.tree.now, Member: model.Member{ID: "b"}, Gone: true})
	if len(st.Members) != 3 || len(s.j.State().Members) != 2 {
		t.Errorf("members: %d before, %d after", len(st.Members), len(s.j.State().Members))
	}
	if again := s.j.State(); again != s.j.State() {
		t.Error("nothing was applied, and the state is another")
	}
}

func TestTotalsLed(t *testing.T) {
	s := newScript(t, model.Config{})
	a := s.join(1)
	s.after(time.Hour)
	s.read()
	s.after(2 * time.Second)
	s.advance()
	s.after(-time.Second) // not counted twice
	s.advance()
	s.after(2 * time.Second)
	s.tree.delete(a)
	s.read()
	s.after(5 * time.Second)
	s.advance()
	s.apply(&model.Read{At: s.tree.now, Presence: model.Denied})
	s.after(time.Hour)
	s.read()
	s.after(7 * time.Second)
	r := s.w.read(true, true, nil) // a gap: who knows
	s.apply(r)
	s.after(time.Second)
	s.advance()
	if got, want := s.j.State().Totals, (model.Totals{Left: 1, Handoffs: 1, Led: 3 * time.Second, Vacant: 6 * time.Second}); got != want {
		t.Errorf("totals %+v, want %+v", got, want)
	}
}

func TestClockGoesBack(t *testing.T) {
	s := newScript(t, model.Config{})
	a := s.join(1)
	s.join(2)
	s.read()
	s.after(-time.Hour)
	s.tree.delete(a)
	s.want(s.read(), "2 -1h0m0s left .", "3 -1h0m0s handoff . > 1. unknown")
	st := s.j.State()
	if r := st.Reigns[0]; r.To.Before(r.From) {
		t.Errorf("a reign ended before it began: %+v", r)
	}
	if !st.At.Equal(start) || st.Totals.Led != 0 {
		t.Errorf("At %v, led %v", st.At, st.Totals.Led)
	}
	if age, _ := st.Leader().Age(st.ReadAt); age != 0 {
		t.Errorf("age %v", age)
	}
}

func TestManyLeaveAtOnce(t *testing.T) {
	s := newScript(t, model.Config{})
	for i := range 200 {
		s.tree.create("n_", true, uint64(i%3), "") // every third is persistent
	}
	s.read()
	for i, name := range s.tree.names() {
		if i%2 == 1 {
			s.tree.delete(name)
		}
	}
	events := s.read()
	if len(events) != 101 || events[100] != "102 0s handoff 1. > 2. unknown" {
		t.Errorf("%d events, the last %q", len(events), events[len(events)-1])
	}
	st := s.j.State()
	contenders, others := s.w.queue()
	if len(st.Queue) != len(contenders) || len(st.Ignored) != len(others) {
		t.Fatalf("%d and %d are left, want %d and %d", len(st.Queue), len(st.Ignored), len(contenders), len(others))
	}
	for i, c := range st.Queue {
		if c.ID() != contenders[i] {
			t.Fatalf("contender %d is %v, want %v", i, c.ID(), contenders[i])
		}
	}
}

// crowd is an election of n candidates in which one leaves and one joins at
// every change, the leader every tenth time.
type crowd struct {
	j     *doctor.Journal
	at    time.Time
	names []string
	first []znode.Znode
	next  uint32
}

func newCrowd(n int) *crowd {
	c := &crowd{j: doctor.NewJournal(model.Config{Path: "/e", AckPath: "/leader", AckExpected: true}), at: start}
	for range n {
		c.first = append(c.first, c.znode())
	}
	c.start()
	return c
}

// start shows the journal the first read.
func (c *crowd) start() {
	c.j.Apply(&model.Connection{At: c.at, Link: model.Connected})
	c.j.Apply(&model.Read{At: c.at, Presence: model.Present, Full: true, New: c.first, Parent: c.stat()})
}

func (c *crowd) znode() znode.Znode {
	name := fmt.Sprintf("guid-n_%010d", c.next)
	c.next++
	c.names = append(c.names, name)
	return znode.Znode{Name: name, Session: uint64(c.next), Czxid: int64(c.next), Ctime: c.at, Data: znode.NewData([]byte("host"))}
}

func (c *crowd) stat() znode.Parent { return stat(1, c.next, int32(len(c.names))) }

func (c *crowd) change(i int) *model.Read {
	c.at = c.at.Add(time.Millisecond)
	gone := 0
	if i%10 != 0 {
		gone = i * 7919 % len(c.names)
	}
	r := &model.Read{At: c.at, Notified: c.at, Presence: model.Present, Gone: []string{c.names[gone]}}
	c.names = append(c.names[:gone], c.names[gone+1:]...)
	r.New = []znode.Znode{c.znode()}
	r.Parent = c.stat()
	return r
}

func TestHeapIsFlat(t *testing.T) {
	c := newCrowd(500)
	run := func(n int) uint64 {
		events := 0
		for i := range n {
			events += len(c.j.Apply(c.change(i)))
			c.j.State()
		}
		if events < n {
			t.Fatalf("%d events of %d changes", events, n)
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := run(5000) // the histories are full then
	after := run(30000)
	if after > before+1<<20 {
		t.Errorf("30,000 changes later the heap has grown from %d to %d bytes", before, after)
	}
	runtime.KeepAlive(c)
}

func BenchmarkChange(b *testing.B) {
	for _, n := range []int{10, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := newCrowd(n)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				c.j.Apply(c.change(i))
				c.j.State()
			}
		})
	}
}

func BenchmarkFirstRead(b *testing.B) {
	for b.Loop() {
		newCrowd(10000)
	}
}

func BenchmarkAllLeave(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		c := newCrowd(10000)
		r := &model.Read{At: c.at, Presence: model.Present, Gone: c.names, Parent: stat(1, c.next, 0)}
		b.StartTimer()
		c.j.Apply(r)
	}
}

func BenchmarkTarget(b *testing.B) {
	c := newCrowd(10000)
	own := c.names[len(c.names)-1]
	for b.Loop() {
		dialect.Election().Target(own, c.names, nil)
	}
}
