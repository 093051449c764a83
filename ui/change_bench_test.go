package ui

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
	"electop/model/znode"
	"electop/ui/term"
)

type busyElection struct {
	j     *doctor.Journal
	at    time.Time
	names []string
	next  uint32
}

func newBusyElection(n int) *busyElection {
	b := &busyElection{j: doctor.NewJournal(model.Config{Path: "/election", AckPath: "/leader", AckExpected: true}), at: noon}
	var all []znode.Znode
	for range n {
		all = append(all, b.znode())
	}
	b.j.Apply(&model.Connection{At: b.at, Link: model.Connected, Session: 1, Server: "127.0.0.1:2181"})
	b.j.Apply(&model.Follow{At: b.at, By: model.ByWatch})
	b.j.Apply(&model.Read{At: b.at, Presence: model.Present, Full: true, New: all, Parent: b.parent()})
	return b
}

func (b *busyElection) znode() znode.Znode {
	name := fmt.Sprintf("guid-n_%010d", b.next)
	b.next++
	b.names = append(b.names, name)
	return znode.Znode{Name: name, Session: 0x100 + uint64(b.next), Czxid: int64(b.next), Ctime: b.at, Data: znode.NewData([]byte("node" + strconv.Itoa(int(b.next))))}
}

func (b *busyElection) parent() znode.Parent {
	n := int32(len(b.names))
	return znode.Parent{Czxid: 1, Ctime: noon, Children: n, Cversion: int32(2*b.next) - n}
}

func (b *busyElection) change(i int) {
	b.at = b.at.Add(time.Millisecond)
	d := &model.Delta{At: b.at, Notified: b.at, AppliedAfter: b.at}
	if i%2 == 0 {
		z := b.znode()
		d.New = &z
	} else {
		at := 0
		if i%200 != 1 {
			at = 1 + i*7919%(len(b.names)-1)
		}
		d.Gone = b.names[at]
		b.names = slices.Delete(b.names, at, at+1)
	}
	b.j.Apply(d)
	if due, ok := b.j.Deadline(); ok && !due.After(b.at) {
		b.j.Apply(&model.Advance{At: b.at})
	}
}

func (b *busyElection) verify() {
	answered := session.Answer{State: session.Answered, At: b.at}
	t := &session.Table{At: b.at, End: b.at, Whole: true, Servers: make([]session.Server, 3)}
	for i := range t.Servers {
		t.Servers[i] = session.Server{Addr: fmt.Sprint("zk", i), Basic: answered, Connections: answered, Sessions: answered, Watches: answered}
	}
	for k, name := range b.names {
		id, s := uint64(0x101+k), &t.Servers[k%3]
		if seq, ok := znode.Sequence(name); ok {
			id = 0x101 + uint64(seq)
		}
		s.Clients = append(s.Clients, session.Client{Session: id, Timeout: 10 * time.Second, LastResponse: b.at.Sub(noon)})
		if k > 0 {
			s.Watched = append(s.Watched, session.Watch{Path: "/election/" + b.names[k-1], Sessions: []uint64{id}})
		}
	}
	b.j.Apply(t)
}

func (b *busyElection) State() *doctor.State   { return b.j.State() }
func (b *busyElection) Dirty() <-chan struct{} { return nil }

func dashboardOf(b *busyElection) Model {
	m := New(Options{Source: b, Renderer: profileRenderer(termenv.TrueColor), Theme: term.Dark, Now: func() time.Time { return b.at }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	m.Update(present(b, false))
	return m
}

func BenchmarkChange(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			e := newBusyElection(n)
			m := dashboardOf(e)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e.change(i)
				m.Update(present(e, false))
			}
		})
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{5, 5000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			m := dashboardOf(newBusyElection(n))
			b.ReportAllocs()
			for b.Loop() {
				drawNow(m)
			}
		})
	}
}

// TestAChangeCostsTheSameWithManyCandidates limits bytes too, because a copy of the queue is a single allocation.
func TestAChangeCostsTheSameWithManyCandidates(t *testing.T) {
	cost := func(n int, drawn, tables bool) (bytes, allocs int) {
		b := newBusyElection(n)
		if tables {
			b.verify()
		}
		m := dashboardOf(b)
		i := 0
		changes := func(n int) {
			for range n {
				b.change(i)
				b.State()
				if drawn {
					m.Update(present(b, false))
				}
				i++
			}
		}
		const warmup, measured = 600, 400
		changes(warmup)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		changes(measured)
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc-before.TotalAlloc) / measured, int(after.Mallocs-before.Mallocs) / measured
	}
	for name, c := range map[string]struct {
		drawn, tables bool
		maxAllocs     int
	}{
		"journal and state":                      {maxAllocs: 30},
		"with verified watches":                  {tables: true, maxAllocs: 35},
		"with a frame":                           {drawn: true, maxAllocs: 140},
		"with a frame and with verified watches": {drawn: true, tables: true, maxAllocs: 150},
	} {
		fewBytes, few := cost(100, c.drawn, c.tables)
		manyBytes, many := cost(10_000, c.drawn, c.tables)
		result := fmt.Sprintf("%s: %d bytes in %d allocations a change with 100 candidates, %d in %d with 10,000", name, fewBytes, few, manyBytes, many)
		t.Log(result)
		if 4*manyBytes > 5*fewBytes || many > few+10 || many > c.maxAllocs {
			t.Errorf("%s; want at most a quarter more bytes, 10 allocations more, and %d allocations", result, c.maxAllocs)
		}
	}
}
