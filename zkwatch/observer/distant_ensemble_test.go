package observer_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

// A reign is what a writer knows of one: the znode was the first from a time in
// the first span to a time in the second.
type reign struct {
	znode    string
	from, to [2]time.Time
}

// atLeast is for how long it led, whatever the writer does not know.
func (r reign) atLeast() time.Duration { return r.to[0].Sub(r.from[1]) }

// A writer makes and deletes contenders, one request after the other, and keeps
// the truth: between which times each of its writes was carried out.
type writer struct {
	t       *testing.T
	conn    *client.Conn // of the persistent contenders
	servers client.ConnectString
	path    string
	random  *rand.Rand

	queue            []contenderOf
	created, deleted int
	reigns           []reign
	since            [2]time.Time // when the first of the queue became it
	unsure           int          // writes whose outcome had to be found out
}

type contenderOf struct {
	znode   string
	session *client.Conn // nil: the writer's own
	made    [2]time.Time
}

// do carries out a write until its outcome is known, and returns between which
// times it happened.
func (w *writer) do(write func() error, done func() (bool, error)) [2]time.Time {
	w.t.Helper()
	began := time.Now()
	for deadline := began.Add(2 * electiontest.WaitFor); ; {
		err := write()
		if err == nil {
			return [2]time.Time{began, time.Now()}
		}
		if time.Now().After(deadline) {
			w.t.Fatal(err)
		}
		if errors.Is(err, client.ErrUnknownOutcome) || errors.Is(err, zk.ErrNodeExists) || errors.Is(err, zk.ErrNoNode) {
			w.unsure++
			for {
				ok, err := done()
				if err == nil && ok {
					return [2]time.Time{began, time.Now()}
				}
				if err == nil || time.Now().After(deadline) {
					break
				}
				rest(20 * time.Millisecond)
			}
		}
		rest(20 * time.Millisecond)
	}
}

func rest(d time.Duration) { <-time.After(d) }

// join adds a contender. Its name is its own, so that it is found again where a
// reply was lost.
func (w *writer) join(conn *client.Conn) {
	w.created++
	base := fmt.Sprintf("%s/w%06d-n_", w.path, w.created)
	var znode string
	on := conn
	if on == nil {
		on = w.conn
	}
	c := contenderOf{session: conn}
	c.made = w.do(func() (err error) {
		znode, err = on.Create(w.t.Context(), base, nil, zk.FlagEphemeralSequential, clienttest.Open)
		return err
	}, func() (bool, error) {
		if err := w.conn.Sync(w.t.Context(), w.path); err != nil {
			return false, err
		}
		names, _, err := w.conn.Children(w.t.Context(), w.path)
		for _, name := range names {
			if strings.HasPrefix(w.path+"/"+name, base) {
				znode = w.path + "/" + name
				return true, nil
			}
		}
		return false, err
	})
	c.znode = znode
	if len(w.queue) == 0 {
		w.since = c.made
	}
	w.queue = append(w.queue, c)
}

// gone takes out a contender that went in that span.
func (w *writer) gone(i int, span [2]time.Time) {
	w.deleted++
	c := w.queue[i]
	w.queue = slices.Delete(w.queue, i, i+1)
	if i == 0 {
		w.reigns = append(w.reigns, reign{c.znode, w.since, span})
		w.since = span
	}
}

func (w *writer) absent(znode string) (bool, error) {
	if err := w.conn.Sync(w.t.Context(), w.path); err != nil {
		return false, err
	}
	ok, _, err := w.conn.Exists(w.t.Context(), znode)
	return !ok, err
}

// lived returns a time at which the contender certainly existed: one with a session
// of its own may have lost it by itself, as when the member that it is connected to
// was killed, and our member may be later than others to delete its znode.
func (w *writer) lived(c contenderOf) time.Time {
	asked := time.Now()
	if c.session == nil {
		return asked
	}
	gone, err := w.absent(c.znode)
	if lag := asked.Add(-memberLag); err == nil && !gone && lag.After(c.made[0]) {
		return lag
	}
	return c.made[0]
}

// remove deletes the contender at i.
func (w *writer) remove(i int) {
	c := w.queue[i]
	lived := w.lived(c)
	span := w.do(func() error { return w.conn.Delete(w.t.Context(), c.znode, -1) }, func() (bool, error) { return w.absent(c.znode) })
	w.gone(i, [2]time.Time{lived, span[1]})
	if c.session != nil {
		c.session.Close()
	}
}

// leave ends the session of the contender at i: closed, or left to expire.
func (w *writer) leave(i int, crash bool) {
	c := w.queue[i]
	began := time.Now()
	alive := w.lived(c)
	if crash {
		c.session.Cut()
	} else {
		c.session.Close()
	}
	for deadline := began.Add(2 * electiontest.WaitFor); ; rest(10 * time.Millisecond) {
		asked := time.Now()
		gone, err := w.absent(c.znode)
		if err == nil && gone {
			w.gone(i, [2]time.Time{alive, time.Now()})
			return
		}
		if lag := asked.Add(-memberLag); err == nil && lag.After(alive) {
			alive = lag // our member may be the one that is late
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%s does not go: %v", c.znode, err)
		}
	}
}

// session opens one for a contender.
func (w *writer) session() *client.Conn {
	cfg := client.Config{Servers: w.servers, SessionTimeout: 2 * time.Second, DialTimeout: time.Second, BufferSize: 16 << 10, MaxReply: 64 << 10}
	for deadline := time.Now().Add(2 * electiontest.WaitFor); time.Now().Before(deadline); {
		c, err := client.Connect(cfg)
		if err != nil {
			w.t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Second)
		for st := range c.Subscribe(ctx) {
			if st.State == client.Connected {
				cancel()
				return c
			}
		}
		cancel()
		c.Close()
	}
	w.t.Fatal("no session")
	return nil
}

// TestObserverOverALongLinkOfAnEnsemble: over a link of 100 ms each way, with
// members killed, the link cut and held, and handoffs of all kinds, the observer
// sees every reign that was longer than three round trips, of the time in which
// it says that it was connected and its link was in order; and counts the rest.
// ELECTOP_TEST_LONG=20m has it go on for so long.
func TestObserverOverALongLinkOfAnEnsemble(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("an ensemble of three")
	}
	const delay = 100 * time.Millisecond
	const trips = 3 * 2 * delay
	ensemble := zktest.NewEnsemble(t, 3)
	var links []*zktest.Link
	var far []string
	for _, m := range ensemble.Members {
		l := zktest.NewLink(t, m.Addr)
		l.SetLatency(delay, delay)
		links, far = append(links, l), append(far, l.Addr)
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	near, err := client.ParseConnectString(ensemble.ConnectString())
	if err != nil {
		t.Fatal(err)
	}
	path := clienttest.ElectionPath(t)
	conn, err := client.Connect(client.Config{Servers: near, SessionTimeout: 2 * time.Minute, DialTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	clienttest.WaitState(t, conn, client.Connected)
	if _, err := conn.Create(t.Context(), path, nil, 0, clienttest.Open); err != nil {
		t.Fatal(err)
	}

	// The observer.
	cfg := clienttest.Config(t, strings.Join(far, ","))
	cfg.SessionTimeout, cfg.DialTimeout = 4*time.Second, 2*time.Second
	w := electiontest.NewWatched(model.Config{Path: path})
	var mu sync.Mutex
	var blind [][2]time.Time // when it said that it was not connected, until it had read again
	var lost time.Time
	var reading bool // its first read came: before that it had not begun
	put := func(ctx context.Context, o model.Observation) {
		mu.Lock()
		switch o := o.(type) {
		case *model.Connection:
			if reading && o.Link != model.Connected && lost.IsZero() {
				lost = time.Now()
			}
		case *model.Read:
			reading = true
			if !lost.IsZero() && o.Gap {
				blind = append(blind, [2]time.Time{lost, time.Now()})
				lost = time.Time{}
			}
		}
		mu.Unlock()
		w.Feed.PutSlowly(ctx, o)
	}
	cfg.BufferSize, cfg.MaxReply = 0, 0
	w.Observer = observer.New(observer.Config{Conn: cfg, Path: path, Put: put, Now: feed.Now})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { w.Feed.Run(ctx) })
	running.Go(func() { w.Observer.Run(ctx) })
	defer running.Wait()
	defer cancel()
	w.Await(t, "empty", electiontest.QueueOf(0))

	// One reign in peace.
	wr := &writer{t: t, conn: conn, servers: near, path: path, random: random}
	wr.join(nil)
	wr.join(nil)
	rest(2 * trips)
	wr.remove(0)

	// Trouble: members and links.
	duration, isLong := electiontest.Long(t)
	if !isLong {
		duration = 8 * time.Second
	}
	end := time.Now().Add(duration)
	stop := make(chan struct{})
	var troubles sync.WaitGroup
	var faults [][2]time.Time // of links: nobody can tell at once
	kills := 0
	trouble := rand.New(rand.NewPCG(seed, 2))
	troubles.Go(func() {
		for {
			select {
			case <-time.After(time.Duration(2+trouble.IntN(5)) * time.Second):
			case <-stop:
				return
			}
			if trouble.IntN(3) == 0 {
				m := ensemble.Members[trouble.IntN(3)]
				m.Kill(t)
				rest(time.Duration(trouble.IntN(3000)) * time.Millisecond)
				m.Start(t)
				kills++
				continue
			}
			began := time.Now()
			kind := trouble.IntN(3)
			for _, l := range links {
				switch kind {
				case 0:
					l.Hold()
				case 1:
					l.Cut()
				case 2:
					l.Reset()
				}
			}
			if kind < 2 {
				rest(time.Duration(trouble.IntN(4000)) * time.Millisecond)
			}
			for _, l := range links {
				l.Heal()
			}
			mu.Lock()
			faults = append(faults, [2]time.Time{began, time.Now()})
			mu.Unlock()
		}
	})

	// Handoffs of all kinds.
	for time.Now().Before(end) {
		rest(time.Duration(random.Int64N(int64(3 * trips / 2))))
		switch n := len(wr.queue); {
		case n < 2 || n < 8 && random.IntN(2) == 0:
			if random.IntN(3) == 0 {
				wr.join(wr.session())
			} else {
				wr.join(nil)
			}
		case random.IntN(4) == 0:
			wr.remove(random.IntN(n))
		case wr.queue[0].session != nil:
			wr.leave(0, random.IntN(2) == 0)
		default:
			wr.remove(0)
		}
		// A session may have expired by trouble: what went by itself is in no
		// order that the writer knows.
		for i := len(wr.queue) - 1; i >= 0; i-- {
			if s := wr.queue[i].session; s != nil && s.Status().State.Terminal() {
				wr.leave(i, false)
			}
		}
	}
	close(stop)
	troubles.Wait()
	for _, c := range wr.queue {
		if c.session != nil {
			defer c.session.Close()
		}
	}
	w.Await(t, "the end of it", func(s *doctor.State) bool {
		if s.Link.Link != model.Connected || s.Queue.Len() != len(wr.queue) {
			return false
		}
		for i, c := range s.Queue.All() {
			if znode.Join(path, c.Name) != wr.queue[i].znode {
				return false
			}
		}
		return true
	})
	w.Accounts(t, wr.created, wr.deleted, false)

	// What it saw, and what it said of the times.
	mu.Lock()
	defer mu.Unlock()
	led, bounds := make(map[string]bool), 0
	for _, e := range w.All() {
		switch b := e.Body.(type) {
		case model.Handoff:
			if b.To != nil {
				led[znode.Join(path, b.To.Name)] = true
			}
			if b.From != nil {
				led[znode.Join(path, b.From.Name)] = true
			}
			if wr.within(b) {
				bounds++
			}
		}
	}
	// A fault ends for the observer when it read again; a held link may not be
	// noticed, and what was held takes a trip.
	for _, f := range faults {
		blind = append(blind, [2]time.Time{f[0].Add(-2 * delay), f[1].Add(trips)})
	}
	must, missed, excused := 0, 0, 0
	for _, r := range wr.reigns {
		if r.atLeast() <= trips {
			continue
		}
		// It led for longer than three round trips while the observer could see.
		if clear := longestClear(r.from[1], r.to[0], blind); clear <= trips {
			excused++
			continue
		}
		must++
		if !led[r.znode] {
			missed++
			t.Errorf("%s led for %v at least, from %v, and was not seen to", r.znode, r.atLeast(), r.from[1])
		}
	}
	t.Logf("%d reigns of %d changes, %d kills, %d link faults, %d writes of unknown outcome", len(wr.reigns), wr.created+wr.deleted, kills, len(faults), wr.unsure)
	t.Logf("the times of %d handoffs were within their bounds", bounds)
	t.Logf("longer than three round trips: %d seen of %d, and %d for no such time while the observer could see", must-missed, must, excused)
	if must == 0 {
		t.Error("no reign was long enough: the test shows nothing")
	}
}

// memberLag is how much later than others a member may carry out a write: what
// the observer says is about the one that it is connected to.
const memberLag = time.Second

// within holds what a handoff says of its times against the truth.
func (w *writer) within(h model.Handoff) bool {
	if h.From == nil || h.Earliest.IsZero() || h.Latest.IsZero() {
		return false
	}
	for _, r := range w.reigns {
		if r.znode == znode.Join(w.path, h.From.Name) {
			if r.to[1].Add(memberLag).Before(h.Earliest) || r.to[0].After(h.Latest) {
				w.t.Errorf("%s ended between %v and %v, and is said to between %v and %v", r.znode, r.to[0], r.to[1], h.Earliest, h.Latest)
			}
			return true
		}
	}
	return false
}

// longestClear is the longest time between from and to that is in no span.
func longestClear(from, to time.Time, spans [][2]time.Time) (longest time.Duration) {
	slices.SortFunc(spans, func(a, b [2]time.Time) int { return a[0].Compare(b[0]) })
	at := from
	for _, s := range spans {
		if s[0].After(to) {
			break
		}
		if s[0].After(at) {
			longest = max(longest, s[0].Sub(at))
		}
		if s[1].After(at) {
			at = s[1]
		}
	}
	if to.After(at) {
		longest = max(longest, to.Sub(at))
	}
	return longest
}
