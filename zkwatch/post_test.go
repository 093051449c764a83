package zkwatch_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch"
	"electop/zkwatch/feed"
)

// A stage is a post with a feed for each of its observers.
type stage struct {
	*zkwatch.Post
	cancel context.CancelFunc
	wg     sync.WaitGroup
	ctx    context.Context
}

func newStage(t *testing.T, cfg zkwatch.Config) *stage {
	ctx, cancel := context.WithCancel(context.Background())
	s := &stage{Post: zkwatch.NewPost(cfg), cancel: cancel, ctx: ctx}
	s.wg.Go(func() { s.Run(ctx) })
	t.Cleanup(func() { s.cancel(); s.wg.Wait() })
	return s
}

// watch adds an observer; ack may be "".
func (s *stage) watch(path, ack string) *watched {
	w := &watched{more: make(chan struct{})}
	w.feed = feed.New(feed.Config{Election: model.Config{Path: path, AckPath: ack}, Events: w.take})
	w.Observer = zkwatch.NewObserver(zkwatch.ObserverConfig{Path: path, Ack: ack, Put: w.feed.PutSlowly, Now: feed.Now})
	s.wg.Go(func() { w.feed.Run(s.ctx) })
	s.Add(w.Observer)
	return w
}

func TestSeveralElectionsOnOneSession(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		c := raw(t, addr)
		create := creator(t, c)
		cfg := config(t, addr)
		cfg.BufferSize, cfg.MaxReply = 0, 0
		s := newStage(t, cfg)
		var paths []string
		var watching []*watched
		for range 3 {
			paths = append(paths, electionPath(t))
		}
		create(paths[0], 0)
		create(paths[0]+"/n_", contender)
		watching = append(watching, s.watch(paths[0], ""), s.watch(paths[1], ""))
		linked := func(holds func(*doctor.State) bool) func(*doctor.State) bool {
			return func(s *doctor.State) bool { return holds(s) && s.Link.Session != 0 }
		}
		first := watching[0].await(t, "one", linked(queueOf(1)))
		watching[1].await(t, "absent", func(s *doctor.State) bool { return s.Phase == model.NoParent })

		// One more while the session lasts.
		watching = append(watching, s.watch(paths[2], ""))
		watching[2].await(t, "absent", func(s *doctor.State) bool { return s.Phase == model.NoParent })
		for i, w := range watching[1:] {
			create(paths[i+1], 0)
			create(paths[i+1]+"/n_", contender)
			if s := w.await(t, "one", linked(queueOf(1))); s.Link.Session != first.Link.Session {
				t.Errorf("election %d is watched by session %#x, the first by %#x", i+1, s.Link.Session, first.Link.Session)
			}
		}
		if conn := s.Conn(); conn == nil || conn.Status().SessionID != first.Link.Session {
			t.Errorf("the post's session is %v, the observers have %#x", conn, first.Link.Session)
		}
		// Each counts its own.
		for i, w := range watching {
			create(paths[i]+"/n_", contender)
			w.await(t, "two", queueOf(2))
		}
	})
}

// The end of the session, or a reply that is too large for it, is all
// observers' concern, and each says so once and accounts for the gap.
func TestObserversShareTheEndOfTheirSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board := newSwitchboard(t)
		c := board.client(t)
		defer c.Close()
		create := creator(t, c)
		for _, p := range []string{"/small", "/large"} {
			create(p, 0)
			create(p+"/n_", contender)
		}
		s := newStage(t, zkwatch.Config{
			Servers:        zkwatch.ConnectString{Servers: []string{"127.0.0.1:1"}},
			SessionTimeout: leaseTimeout, Dial: board.dial, MaxReply: 2 << 10,
		})
		small, large := s.watch("/small", ""), s.watch("/large", "")
		small.await(t, "one", queueOf(1))
		before := large.await(t, "one", queueOf(1)).Link.Session
		for range 100 {
			create("/large/0123456789abcdef0123456789abcdef-n_", contender)
		}
		large.await(t, "all of them", queueOf(101))
		create("/small/n_", contender)
		st := small.await(t, "two", queueOf(2))
		// 2 KiB, 4 KiB, 8 KiB: the session in the middle may be over before the
		// one who has nothing against it hears of it.
		if st.Link.Session == before || st.Reconnects < 1 || st.Reconnects > 2 {
			t.Errorf("session %#x after %#x, %d reconnects", st.Link.Session, before, st.Reconnects)
		}
		large.accounts(t, 100, 0, false)
		small.accounts(t, 1, 0, false)
	})
}

func TestAcknowledgementThatIsKnownLater(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		c := raw(t, addr)
		create := creator(t, c)
		create(path, 0)
		create(path+"-a", zk.FlagEphemeral)
		acks := make(chan *model.Ack, 100)
		o := zkwatch.NewObserver(zkwatch.ObserverConfig{Path: path, Put: func(_ context.Context, obs model.Observation) {
			if a, ok := obs.(*model.Ack); ok {
				acks <- a
			}
		}})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- zkwatch.Observe(ctx, config(t, addr), o) }()
		defer func() { cancel(); <-done }()
		next := func(want model.Presence) {
			t.Helper()
			select {
			case a := <-acks:
				if a.Presence != want {
					t.Errorf("the acknowledgement is %s, want %s", a.Presence, want)
				}
			case <-time.After(waitFor):
				t.Fatalf("no acknowledgement seen, want one %s", want)
			}
		}
		o.SetAck(path + "-a")
		next(model.Present)
		o.SetAck(path + "-b")
		next(model.Absent)
		create(path+"-b", zk.FlagEphemeral)
		next(model.Present)
		// Back again: the watch from before serves.
		o.SetAck(path + "-a")
		next(model.Present)
		if err := c.Delete(path+"-a", -1); err != nil {
			t.Fatal(err)
		}
		next(model.Absent)
		create(path+"-a", zk.FlagEphemeral)
		next(model.Present)
		o.SetAck("")
	})
}

func TestEnsembleConfigWhateverTheChroot(t *testing.T) {
	e := zktest.NewEnsemble(t, 3)
	for _, chroot := range []string{"", "/app"} {
		c := connect(t, config(t, e.ConnectString()+chroot))
		waitState(t, c, zkwatch.Connected)
		text, err := c.EnsembleConfig(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"server.1=", "server.2=", "server.3="} {
			if !strings.Contains(text, want) {
				t.Errorf("chroot %q: no %s in %q", chroot, want, text)
			}
		}
	}
}

func TestAnchor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		defer server.Close()
		w := &wires{server: server}
		c := connect(t, zkwatch.Config{Servers: zkwatch.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: leaseTimeout, Dial: w.dial})
		waitState(t, c, zkwatch.Connected)
		defer c.Close()
		a, ok := c.Anchor()
		if !ok || a.Session != c.Status().SessionID || a.Timeout != c.Status().Timeout {
			t.Fatalf("anchor %+v, %v; status %+v", a, ok, c.Status())
		}
		time.Sleep(time.Minute)
		b, _ := c.Anchor() // a ping moved it
		if !b.Sent.After(a.Sent) || b.Answered.Before(b.Sent) || time.Since(b.Sent) > leaseTimeout {
			t.Errorf("anchor %+v a minute after %+v", b, a)
		}
		if end := b.Sent.Add(b.Timeout); !end.Equal(c.Status().ExpiresFrom) {
			t.Errorf("the anchor's session lasts until %v, it expires from %v", end, c.Status().ExpiresFrom)
		}
		w.silence() // what is not answered moves nothing
		time.Sleep(leaseTimeout / 2)
		if got, _ := c.Anchor(); time.Since(got.Sent) < leaseTimeout/2 {
			t.Errorf("anchor %+v with nobody answering", got)
		}
		w.speak()
	})
}
