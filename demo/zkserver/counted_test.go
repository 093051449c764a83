package zkserver_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/admin/command"
	"electop/zkwatch/wire"
)

// TestEverythingCounted accounts for everything that many sessions have and do: sessions,
// connections, znodes and watches as the server counts them, each notification exactly
// once, no session expired that was heard of, and all that were not.
func TestEverythingCounted(t *testing.T) {
	t.Run("embedded", func(t *testing.T) {
		s, addr := zkserver.Start(t, zkserver.Options{})
		events := manySessions(t, addr)
		if k := s.Counters(); k.Notifications != events || k.Expired != silentOnes || k.Panics != 0 || k.CutOff != 0 {
			t.Errorf("the server counts %d notifications, %d expired sessions, %d panics, %d connections cut off; clients got %d notifications",
				k.Notifications, k.Expired, k.Panics, k.CutOff, events)
		}
	})
	t.Run("apache", func(t *testing.T) { manySessions(t, zktest.NewApache(t).Addr) })
}

const (
	watchers   = 400
	watchesOf  = 10 // each of them
	manyZnodes = watchers * watchesOf
	keepers    = 100 // that ping
	silentOnes = 400

	silentTimeout = 1500 * time.Millisecond
)

// manySessions returns how many notifications clients got.
func manySessions(t *testing.T, addr string) (events int64) {
	c, before := newCrowd(addr), gaugesOf(t, addr)
	grown := func(when string, sessions, znodes, ephemerals, watches int) {
		t.Helper()
		now := gaugesOf(t, addr)
		for key, want := range map[string]int{"zk_global_sessions": sessions, "zk_num_alive_connections": sessions,
			"zk_znode_count": znodes, "zk_ephemerals_count": ephemerals, "zk_watch_count": watches} {
			if got := now[key] - before[key]; got != want {
				t.Errorf("%s: %s grew by %d, want %d", when, key, got, want)
			}
		}
	}
	writers := c.join(t, writersInLoad, time.Minute)
	write := func(n int, request func(i int) (wire.Op, wire.Appender)) {
		t.Helper()
		c.pipeline(t, "writes", writers, n, request)
	}
	for _, path := range []string{"/many", "/many/e", "/many/herd"} {
		c.pipeline(t, "create", writers[:1], 1, func(int) (wire.Op, wire.Appender) { return createOf(path, nil, 0) })
	}
	auditor := c.join(t, 1, time.Minute)
	var audit ledger
	auditor[0].onEvent.Store(audit.recorder(0))
	c.all(t, "addWatch", auditor, 1, func(int, int) (wire.Op, wire.Appender) {
		return wire.OpAddWatch, &wire.AddWatchRequest{Path: "/many", Mode: wire.WatchPersistentRecursive}
	})
	kept := newKept(t, addr)

	// Znodes, and who sees all of them.
	path := func(i int) string { return fmt.Sprintf("/many/n%05d", i) }
	write(manyZnodes, func(i int) (wire.Op, wire.Appender) { return createOf(path(i), []byte("data"), 0) })
	const own = 2 // watches of the auditor: on data and on children
	sessions := writersInLoad + 1 + keepers
	grown("after the creates", sessions, 3+manyZnodes, 0, own)

	// Watches, which fire once.
	all := c.join(t, watchers, time.Minute)
	var told ledger
	for i, a := range all {
		a.onEvent.Store(told.recorder(i))
	}
	sessions += watchers
	c.all(t, "watch", all, watchesOf+1, func(session, i int) (wire.Op, wire.Appender) {
		path := path(session*watchesOf + i)
		if i == watchesOf {
			path = "/many/herd"
		}
		return wire.OpGetData, &wire.PathWatchRequest{Path: path, Watch: true}
	})
	grown("with watches", sessions, 3+manyZnodes, 0, own+watchers*(watchesOf+1))
	summary := fmt.Sprintf("%d connections watching %d paths\nTotal watches:%d\n", watchers+1, manyZnodes+1+1, watchers*(watchesOf+1)+1)
	if got := word(t, addr, "wchs"); got != summary {
		t.Errorf("wchs with watches: %q, want %q", got, summary)
	}
	for range 2 { // the second time nothing is left to fire
		write(manyZnodes/2, func(i int) (wire.Op, wire.Appender) {
			return wire.OpSetData, &wire.SetDataRequest{Path: path(i), Version: -1}
		})
	}
	write(manyZnodes-manyZnodes/2, func(i int) (wire.Op, wire.Appender) {
		return wire.OpDelete, &wire.PathVersionRequest{Path: path(manyZnodes/2 + i), Version: -1}
	})
	c.pipeline(t, "delete", writers[:1], 1, func(int) (wire.Op, wire.Appender) {
		return wire.OpDelete, &wire.PathVersionRequest{Path: "/many/herd", Version: -1}
	})
	barrier := func(all ...*attendee) { // events come before the reply
		t.Helper()
		c.all(t, "ping", all, 1, func(int, int) (wire.Op, wire.Appender) { return wire.OpPing, nil })
	}
	barrier(append(all, auditor...)...)
	wantAll, wantAudit := make(map[seen]int), make(map[seen]int)
	for i := range manyZnodes {
		wantAudit[seen{0, wire.EventNodeCreated, path(i)}] = 1
		kind, times := wire.EventNodeDeleted, 1
		if i < manyZnodes/2 {
			kind, times = wire.EventNodeDataChanged, 2
		}
		wantAll[seen{i / watchesOf, kind, path(i)}] = 1
		wantAudit[seen{0, kind, path(i)}] = times
	}
	for i := range watchers {
		wantAll[seen{i, wire.EventNodeDeleted, "/many/herd"}] = 1
	}
	wantAudit[seen{0, wire.EventNodeDeleted, "/many/herd"}] = 1
	told.compare(t, "the watchers", wantAll)
	audit.compare(t, "the recursive watch", wantAudit)
	grown("after all has fired", sessions, 2+manyZnodes/2, 0, own)

	// Sessions that are silent expire, all of them and nobody else, while the server is
	// busy. Those that are closed take their ephemeral znodes with them too.
	c.all(t, "create ephemeral", all, 1, func(session, _ int) (wire.Op, wire.Appender) {
		return createOf(fmt.Sprintf("/many/e/w%04d", session), nil, wire.FlagEphemeral)
	})
	from, begin := c.ends.n.Load(), time.Now()
	c.join(t, silentOnes, silentTimeout, func(session int) (wire.Op, wire.Appender) {
		return createOf(fmt.Sprintf("/many/e/s%04d", session), nil, wire.FlagEphemeral)
	})
	for c.ends.n.Load() < from+silentOnes {
		if time.Since(begin) > crowdPatience {
			t.Fatalf("%d of %d silent sessions have expired", c.ends.n.Load()-from, silentOnes)
		}
		write(100, func(i int) (wire.Op, wire.Appender) {
			return wire.OpSetData, &wire.SetDataRequest{Path: path(i), Version: -1}
		})
	}
	if took := time.Since(begin); took < silentTimeout {
		t.Errorf("sessions of %v expired after %v", silentTimeout, took)
	}
	barrier(auditor...)
	grown("after the expiry", sessions, 2+manyZnodes/2+watchers, watchers, own)
	from = c.ends.n.Load()
	c.all(t, "closeSession", all, 1, func(int, int) (wire.Op, wire.Appender) { return wire.OpCloseSession, nil })
	c.await(t, "end of connections", &c.ends, from, watchers)
	sessions -= watchers
	grown("after the end of the watchers", sessions, 2+manyZnodes/2, 0, own)
	barrier(auditor...)
	for prefix, n := range map[string]int{"w": watchers, "s": silentOnes} {
		for i := range n {
			wantAudit[seen{0, wire.EventNodeCreated, fmt.Sprintf("/many/e/%s%04d", prefix, i)}] = 1
			wantAudit[seen{0, wire.EventNodeDeleted, fmt.Sprintf("/many/e/%s%04d", prefix, i)}] = 1
		}
	}
	for i := range 100 {
		wantAudit[seen{0, wire.EventNodeDataChanged, path(i)}] = audit.of(seen{0, wire.EventNodeDataChanged, path(i)}) // as often as the loop ran
	}
	audit.compare(t, "the recursive watch at the end", wantAudit)
	told.compare(t, "the watchers at the end", wantAll)
	kept.end(t)
	c.leave(append(writers, auditor...)...)
	return c.events.n.Load()
}

// kept are sessions that ping while the server is busy. Each ping has to put off the
// moment at which the session would expire. Their timeout is so long that none expires
// on a machine that stands still for a while.
type kept struct {
	crowd *crowd
	addr  string
	all   []*attendee
	first map[uint64]time.Duration // when each would expire, as the server says before the pings
	stop  chan struct{}
	done  sync.WaitGroup
}

func newKept(t *testing.T, addr string) *kept {
	k := &kept{crowd: newCrowd(addr), addr: addr, stop: make(chan struct{})}
	k.all = k.crowd.join(t, keepers, time.Minute)
	k.first = k.deadlines(t)
	k.done.Go(func() {
		for {
			for _, a := range k.all {
				a.send(1, func(int) (wire.Op, wire.Appender) { return wire.OpPing, nil })
			}
			select {
			case <-k.stop:
				return
			case <-time.After(300 * time.Millisecond):
			}
		}
	})
	t.Cleanup(k.quit)
	return k
}

func (k *kept) quit() {
	select {
	case <-k.stop:
	default:
		close(k.stop)
	}
	k.done.Wait()
}

// deadlines returns when the server lets each session expire that it knows, by its clock.
func (k *kept) deadlines(t *testing.T) map[uint64]time.Duration {
	t.Helper()
	dump, err := command.ForDump().Word.Parse([]byte(word(t, k.addr, "dump")))
	if err != nil {
		t.Fatalf("dump of %s: %v", k.addr, err)
	}
	all := make(map[uint64]time.Duration)
	for _, d := range dump.Deadlines {
		all[d.Session] = d.At
	}
	return all
}

// end waits until the pings have put off every session's end. None has expired.
func (k *kept) end(t *testing.T) {
	eventually(t, "the pings of each session put off its end", func() bool {
		now := k.deadlines(t)
		return !slices.ContainsFunc(k.all, func(a *attendee) bool {
			first, ok := k.first[uint64(a.conn.SessionID)]
			return !ok || now[uint64(a.conn.SessionID)] <= first
		})
	})
	k.quit()
	if n := k.crowd.ends.n.Load(); n > 0 {
		t.Errorf("%d of %d sessions ended that pinged", n, keepers)
	}
	k.crowd.leave(k.all...)
}

// seen is an event in a session.
type seen struct {
	session int
	event   int32
	path    string
}

// A ledger counts events.
type ledger struct {
	sync.Mutex
	events map[seen]int
}

// recorder returns what records the events of a session.
func (l *ledger) recorder(session int) *func(wire.WatcherEvent) {
	f := func(ev wire.WatcherEvent) {
		l.Lock()
		defer l.Unlock()
		if l.events == nil {
			l.events = make(map[seen]int)
		}
		l.events[seen{session, ev.Type, ev.Path}]++
	}
	return &f
}

func (l *ledger) of(s seen) int {
	l.Lock()
	defer l.Unlock()
	return l.events[s]
}

// compare reports the first events that came more or less often than they should.
func (l *ledger) compare(t *testing.T, who string, want map[seen]int) {
	t.Helper()
	l.Lock()
	defer l.Unlock()
	shown := 0
	for s, n := range want {
		if got := l.events[s]; got != n && shown < 5 {
			t.Errorf("%s: %+v came %d times, want %d", who, s, got, n)
			shown++
		}
	}
	for s, n := range l.events {
		if want[s] == 0 && shown < 5 {
			t.Errorf("%s: %+v came %d times, want 0", who, s, n)
			shown++
		}
	}
}

// gaugesOf are the numbers of mntr.
func gaugesOf(t testing.TB, addr string) map[string]int {
	t.Helper()
	gauges := make(map[string]int)
	for line := range strings.Lines(word(t, addr, "mntr")) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if n, err := strconv.Atoi(value); err == nil {
			gauges[key] = n
		}
	}
	return gauges
}

// writersInLoad is how many sessions write at once.
const writersInLoad = 10

func createOf(path string, data []byte, flags int32) (wire.Op, wire.Appender) {
	return wire.OpCreate, &wire.CreateRequest{Path: path, Data: data, ACL: world(wire.PermAll), Flags: flags}
}
