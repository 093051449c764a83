package demo_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

type latestMembers struct {
	mu      sync.Mutex
	members map[string]model.Member
	changed chan struct{}
}

func (r *latestMembers) put(o model.Observation) {
	c, ok := o.(*model.Cast)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[c.Member.ID] = c.Member
	if c.Gone {
		delete(r.members, c.Member.ID)
	}
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

func (r *latestMembers) count(b model.Belief) (n int, one model.Member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.members {
		if m.Belief == b {
			n++
			one = m
		}
	}
	return n, one
}

func (r *latestMembers) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	for !holds() {
		select {
		case <-r.changed:
		case <-deadline:
			waiting, _ := r.count(model.Waiting)
			leading, _ := r.count(model.Leading)
			t.Fatalf("not within two minutes: %s; %d members wait, %d lead", what, waiting, leading)
		}
	}
}

func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

func TestCrowd(t *testing.T) {
	const maxBytes, measured = 300 << 20, 1000
	crowd := crowd
	if _, long := zktest.Long(t); !long {
		crowd = min(crowd, measured+200)
	}
	server := zkserver.New(zkserver.Options{})
	defer server.Close()
	conn := connection(t, server)
	conn.SessionTimeout = time.Minute // so that no session expires on a busy machine
	r := &latestMembers{members: make(map[string]model.Member), changed: make(chan struct{}, 1)}
	cast := demo.NewCast(demo.Config{Conn: conn, Path: path, Ack: ackPath, Create: true, Put: r.put, Now: feed.Now, Notice: func(s string) { t.Error(s) }})
	defer cast.Close()
	all := func(n int) func() bool {
		return func() bool {
			waiting, _ := r.count(model.Waiting)
			leading, _ := r.count(model.Leading)
			return waiting == n-1 && leading == 1
		}
	}

	before := memory()
	first := min(measured, crowd)
	must(t, cast.SpawnInOrder(t.Context(), first))
	r.await(t, "the first candidates are in the queue", all(first))
	used := memory() - before
	t.Logf("%d candidates and the server take %.0f MiB", first, float64(used)/(1<<20))
	if used > maxBytes/measured*uint64(first) {
		t.Errorf("%d candidates take %d bytes, want at most %d bytes per thousand", first, used, maxBytes)
	}

	for range crowd - first {
		_, err := cast.Spawn()
		must(t, err)
	}
	r.await(t, "all candidates are in the queue", all(crowd))
	queue := readQueue(t, conn)
	if len(queue) != crowd {
		t.Errorf("got %d candidates in the queue, want %d", len(queue), crowd)
	}

	// Each new leader must be able to read a longer list of children than when it joined.
	for _, want := range []string{"birch", "cedar", "delta"} {
		_, leader := r.count(model.Leading)
		must(t, cast.Fault(leader.ID, demo.Resign, true))
		r.await(t, want+" leads", func() bool {
			n, m := r.count(model.Leading)
			return n == 1 && m.ID != leader.ID
		})
		if _, m := r.count(model.Leading); m.ID != want || m.Znode != queue[1] {
			t.Errorf("leader after %s: got %s with znode %s, want %s with %s", leader.ID, m.ID, m.Znode, want, queue[1])
		}
		queue = queue[1:]
	}
	if got := readQueue(t, conn); !slices.Equal(got, queue) {
		t.Errorf("queue after three handoffs: got %d candidates, want only the first three removed, %d left", len(got), len(queue))
	}
}

func readQueue(t *testing.T, cfg client.Config) []string {
	t.Helper()
	conn := connected(t, cfg)
	defer conn.Close()
	names, _, err := conn.Children(t.Context(), path)
	must(t, err)
	slices.SortFunc(names, func(a, b string) int {
		x, _ := znode.Sequence(a)
		y, _ := znode.Sequence(b)
		return int(x - y)
	})
	return names
}

func TestCandidatesLeadAfterATooLargeReply(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		conn := connected(t, connection(t, s.server))
		defer conn.Close()
		s.spawn(t, 3)
		name := path + "/" + strings.Repeat("x", 200)
		const others = 3000
		for i := range others {
			_, err := conn.Create(t.Context(), fmt.Sprint(name, i), nil, 0, openACL)
			must(t, err)
		}
		must(t, s.cast.Fault("amber", demo.Resign, true))
		st := s.await(t, "a member leads", func(st *doctor.State) bool {
			return len(st.Members) == 2 && st.Queue.Len() == 2 && len(st.Ignored) == others && settled(st)
		})
		if l := st.Member(st.Leader()); l == nil || l.Belief != model.Leading {
			t.Errorf("owner of the first znode: got %+v, want a leader", l)
		}
	})
}
