package demo_test

import (
	"bytes"
	"context"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

// world is an election on an embedded server, with a cast and an observer, in virtual time.
type world struct {
	server  *zkserver.Server
	cast    *demo.Cast
	sandbox *demo.Sandbox
	feed    *feed.Feed
	cancel  context.CancelFunc
	wg      sync.WaitGroup

	mu      sync.Mutex
	put     []model.Observation // observations of the cast and the sandbox
	notices []string
	events  []model.Event
	record  bytes.Buffer           // the recording; read it only after the feed has ended
	latest  map[string]*model.Cast // the last report of each member, by ID
}

type worldConfig struct {
	sessionTimeout time.Duration
	writeEvery     time.Duration
	chaos          *demo.Chaos
	applied        func(*doctor.State, []model.Event)
	cast           func(*demo.Config)
}

func inWorld(t *testing.T, cfg worldConfig, f func(t *testing.T, w *world)) {
	t.Helper()
	if cfg.sessionTimeout == 0 {
		cfg.sessionTimeout = timeout
	}
	synctest.Test(t, func(t *testing.T) {
		w := &world{server: zkserver.New(zkserver.Options{}), latest: make(map[string]*model.Cast)}
		defer w.server.Close()
		candidateConn := connection(t, w.server)
		candidateConn.SessionTimeout = cfg.sessionTimeout
		observerConn := candidateConn
		observerConn.Dial = func(context.Context, string, string) (net.Conn, error) { return w.server.DialObserver() }

		election := model.Config{Path: path, AckPath: ackPath, AckExpected: true}
		record, err := history.NewEncoder(&w.record, history.NewHeader(election, feed.Now()))
		must(t, err)
		w.feed = feed.New(feed.Config{Election: election, Record: recorder{record}, Applied: cfg.applied, Events: func(es []model.Event) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, es...)
			return nil
		}})
		observer := observer.New(observer.Config{Conn: observerConn, Path: path, Beside: observer.Beside{Acks: []string{ackPath}}, Put: w.feed.PutSlowly, Now: feed.Now})
		put := func(o model.Observation) {
			w.mu.Lock()
			w.put = append(w.put, o)
			if c, ok := o.(*model.Cast); ok {
				w.latest[c.Member.ID] = c
			}
			w.mu.Unlock()
			w.feed.Put(o)
		}
		notice := func(n string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.notices = append(w.notices, n)
		}
		cast := demo.Config{Conn: candidateConn, Path: path, Ack: ackPath, Create: true, Now: feed.Now, Put: put, Notice: notice}
		if cfg.cast != nil {
			cfg.cast(&cast)
		}
		w.cast = demo.NewCast(cast)
		w.sandbox = demo.NewSandbox(demo.SandboxConfig{
			Server: w.server, Cast: w.cast, Path: path, Workers: observerConn, WriteEvery: cfg.writeEvery, Chaos: cfg.chaos,
			Put: put, Notice: notice, Now: feed.Now,
		})
		ctx, cancel := context.WithCancel(t.Context())
		w.cancel = cancel
		w.wg.Go(func() { w.feed.Run(ctx) })
		w.wg.Go(func() { observer.Run(ctx) })
		w.wg.Go(func() { w.sandbox.Run(ctx) })
		defer w.end()
		w.await(t, "the observer has read the election", func(st *doctor.State) bool { return st.Phase != model.Unseen })
		f(t, w)
	})
}

// end may be called twice.
func (w *world) end() {
	w.server.SetPace(zkserver.Pace{})
	w.cast.Close()
	synctest.Wait()
	time.Sleep(2 * time.Second) // handoffs are published with a delay
	w.cancel()
	w.wg.Wait()
}

func (w *world) await(t *testing.T, what string, holds func(*doctor.State) bool) *doctor.State {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	st, err := w.feed.Await(ctx, holds)
	if err != nil {
		t.Fatalf("not within a minute: %s; queue %v, members %+v, notices %q", what, labels(st), members(st), w.notices)
	}
	return st
}

func (w *world) spawn(t *testing.T, n int) {
	t.Helper()
	must(t, w.cast.SpawnInOrder(t.Context(), n))
	w.await(t, "all candidates are in the queue", func(st *doctor.State) bool { return st.Queue.Len() == n && settled(st) })
}

func settled(st *doctor.State) bool { return inQueue(st) && st.Acknowledged() }

func inQueue(st *doctor.State) bool {
	return !slices.ContainsFunc(st.Members, func(m *model.Member) bool { return m.Belief != model.Waiting && m.Belief != model.Leading })
}

func (w *world) awaitOtherLeader(t *testing.T, old string) (id string) {
	t.Helper()
	w.await(t, "a member other than "+old+" leads", func(st *doctor.State) bool {
		m := st.Member(st.Leader())
		if m == nil || m.ID == old || m.Belief != model.Leading || m.Fault != model.NoFault || !st.Acknowledged() {
			return false
		}
		id = m.ID
		return true
	})
	return id
}

func (w *world) observed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.put)
}

func (w *world) since(n int) []model.Observation {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.put[n:])
}

func (w *world) writes(r model.Resource, from int) (out []*model.Write) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range w.put[from:] { // not copied, because there may be 100,000 observations
		if x, ok := o.(*model.Write); ok && x.Resource == r {
			out = append(out, x)
		}
	}
	return out
}

func (w *world) awaitWrite(t *testing.T, from int, what string, holds func(*model.Write) bool) *model.Write {
	t.Helper()
	for range 6000 {
		next := w.observed()
		for _, x := range w.writes(model.Counter, from) {
			if holds(x) {
				return x
			}
		}
		from = next
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no write within a minute: %s", what)
	panic("not reached")
}

type recorder struct{ *history.Encoder }

func (r recorder) Encode(o model.Observation, _ func() *doctor.State) error {
	return r.Encoder.Encode(o)
}
