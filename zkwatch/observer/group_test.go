package observer_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
	"electop/zkwatch/wire"
)

type groupTest struct {
	*observer.Group
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	ctx     context.Context
	byReads bool
}

func newGroupTest(t *testing.T, cfg client.Config) *groupTest {
	ctx, cancel := context.WithCancel(context.Background())
	s := &groupTest{Group: observer.NewGroup(cfg), cancel: cancel, ctx: ctx}
	s.wg.Go(func() { s.Run(ctx) })
	t.Cleanup(func() { s.cancel(); s.wg.Wait() })
	return s
}

func (s *groupTest) watch(path string) *electiontest.Watched {
	w := electiontest.NewWatched(model.Config{Path: path})
	w.Observer = observer.New(observer.Config{Path: path, ByReads: s.byReads, Put: w.Feed.PutSlowly, Now: feed.Now})
	s.wg.Go(func() { w.Feed.Run(s.ctx) })
	s.Add(w.Observer)
	return w
}

func TestSeveralElectionsOnOneSession(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		cfg := on.Config()
		cfg.BufferSize, cfg.MaxReply = 0, 0
		s := newGroupTest(t, cfg)
		var paths []string
		var watching []*electiontest.Watched
		for range 3 {
			paths = append(paths, electiontest.ElectionPath(t))
		}
		on.Make(paths[0], 0)
		on.Make(paths[0]+"/n_", electiontest.Contender)
		watching = append(watching, s.watch(paths[0]), s.watch(paths[1]))
		linked := func(holds func(*doctor.State) bool) func(*doctor.State) bool {
			return func(s *doctor.State) bool { return holds(s) && s.Link.Session != 0 }
		}
		first := watching[0].Await(t, "one", linked(electiontest.QueueOf(1)))
		watching[1].Await(t, "absent", func(s *doctor.State) bool { return s.Phase == model.NoParent })

		watching = append(watching, s.watch(paths[2]))
		watching[2].Await(t, "absent", func(s *doctor.State) bool { return s.Phase == model.NoParent })
		for i, w := range watching[1:] {
			on.Make(paths[i+1], 0)
			on.Make(paths[i+1]+"/n_", electiontest.Contender)
			if s := w.Await(t, "one", linked(electiontest.QueueOf(1))); s.Link.Session != first.Link.Session {
				t.Errorf("election %d: got session %#x, want %#x, the session of the first", i+1, s.Link.Session, first.Link.Session)
			}
		}
		if conn := s.Conn(); conn == nil || conn.Status().SessionID != first.Link.Session {
			t.Errorf("got the group's connection %v, want session %#x of the observers", conn, first.Link.Session)
		}
		for i, w := range watching {
			on.Make(paths[i]+"/n_", electiontest.Contender)
			w.Await(t, "two", electiontest.QueueOf(2))
		}
	})
}

func TestTooLargeReplyEndsTheSharedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, c := electiontest.Embedded(t)
		create := electiontest.Creator(t, c)
		for _, p := range []string{"/small", "/large"} {
			create(p, 0)
			create(p+"/n_", electiontest.Contender)
		}
		cfg := electiontest.Conn(server, nil)
		cfg.MaxReply = 2 << 10
		s := newGroupTest(t, cfg)
		s.byReads = true
		small, large := s.watch("/small"), s.watch("/large")
		small.Await(t, "one", electiontest.QueueOf(1))
		before := large.Await(t, "one", electiontest.QueueOf(1)).Link.Session
		for range 100 {
			create("/large/0123456789abcdef0123456789abcdef-n_", electiontest.Contender)
		}
		large.Await(t, "all of them", electiontest.QueueOf(101))
		create("/small/n_", electiontest.Contender)
		st := small.Await(t, "two", electiontest.QueueOf(2))
		// A too large reply ends the session and doubles MaxReply, which may still be too small.
		if st.Link.Session == before || st.Reconnects < 1 || st.Reconnects > 2 {
			t.Errorf("got session %#x after %#x, %d reconnects; want a new session, 1 or 2", st.Link.Session, before, st.Reconnects)
		}
		checkTotals(t, large, 100, 0, false)
		checkTotals(t, small, 1, 0, false)
	})
}

func TestSetBesideReplacesTheAcknowledgement(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		on.Make(on.Path+"-a", zk.FlagEphemeral)
		acks := make(chan *model.Ack, 100)
		o := run(t, observer.Config{Conn: on.Config(), Path: on.Path, Put: func(_ context.Context, obs model.Observation) {
			if a, ok := obs.(*model.Ack); ok {
				acks <- a
			}
		}})
		next := func(want model.Presence) {
			t.Helper()
			select {
			case a := <-acks:
				if a.Presence != want {
					t.Errorf("got acknowledgement %s, want %s", a.Presence, want)
				}
			case <-time.After(electiontest.WaitFor):
				t.Fatalf("got no read of the acknowledgement, want %s", want)
			}
		}
		o.SetBeside(ackAt(on.Path + "-a"))
		next(model.Present)
		o.SetBeside(ackAt(on.Path + "-b"))
		next(model.Absent)
		on.Make(on.Path+"-b", zk.FlagEphemeral)
		next(model.Present)
		// The server still has the earlier watch on this path.
		o.SetBeside(ackAt(on.Path + "-a"))
		next(model.Present)
		on.Remove(on.Path + "-a")
		next(model.Absent)
		on.Make(on.Path+"-a", zk.FlagEphemeral)
		next(model.Present)
	})
}

func ackAt(path string) observer.Beside { return observer.Beside{Acks: []string{path}} }

func TestRemovedObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, c := electiontest.Embedded(t)
		create := electiontest.Creator(t, c)
		s := newGroupTest(t, electiontest.Conn(server, nil))
		watches := func() int {
			synctest.Wait()
			return electiontest.Watches(t, server)
		}
		watch := func(path string) *electiontest.Watched {
			create(path, 0)
			create(path+"/n_", electiontest.Contender)
			w := s.watch(path)
			w.Await(t, "one", electiontest.QueueOf(1))
			return w
		}
		stays := watch("/stays")
		before := watches()
		gone := watch("/gone")
		if n := watches(); n <= before {
			t.Fatalf("got %d watches for two elections, want more than %d", n, before)
		}
		s.Remove(gone.Observer)
		s.Remove(gone.Observer)
		if n := watches(); n != before {
			t.Errorf("got %d watches after the removal, want %d", n, before)
		}
		last := gone.Feed.State()
		create("/gone/n_", electiontest.Contender)
		create("/stays/n_", electiontest.Contender)
		st := stays.Await(t, "two", electiontest.QueueOf(2))
		if synctest.Wait(); gone.Feed.State() != last || st.Reconnects != 0 {
			t.Errorf("removed observer: got a new state %t, %d reconnects; want false, 0", gone.Feed.State() != last, st.Reconnects)
		}
		again := s.watch("/gone")
		again.Await(t, "two", electiontest.QueueOf(2))
	})
}

func TestRefusedCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var accepts atomic.Bool
		p := &electiontest.Peer{Answer: func(f electiontest.Request, reply func(int32, int32, []byte), xid int32) bool {
			if accepts.Load() {
				return false
			}
			reply(xid, -124, nil)
			return true
		}}
		ctx, cancel := context.WithCancel(t.Context())
		g := observer.NewGroup(client.Config{Servers: client.ConnectString{Servers: []string{"peer:2181"}}, Dial: p.Dial})
		read := make(chan struct{}, 1)
		g.Add(observer.New(observer.Config{Path: "/e", Put: func(_ context.Context, o model.Observation) {
			if _, ok := o.(*model.Read); ok {
				select {
				case read <- struct{}{}:
				default:
				}
			}
		}}))
		done := make(chan error, 1)
		go func() { done <- g.Run(ctx) }()
		time.Sleep(10 * time.Minute)
		// The pauses are 1, 2, 4, 8 and 16 s, then 30 s each.
		if n := p.Dials(); n < 15 || n > 30 {
			t.Errorf("got %d attempts in ten minutes, want 15 to 30", n)
		}
		if err := g.Refused(); !errors.Is(err, client.ErrAuthRequired) || !errors.Is(err, zk.ErrAuthFailed) {
			t.Errorf("Refused: got error %v, want %v and %v", err, client.ErrAuthRequired, zk.ErrAuthFailed)
		}
		accepts.Store(true)
		<-read
		for range 2 {
			if err := g.Refused(); err != nil {
				t.Errorf("Refused after the servers accepted the credentials: got error %v, want none", err)
			}
			p.Drop(p.Dials())
			synctest.Wait()
		}
		cancel()
		<-done
		p.Served.Wait()
	})
}

func TestRequests(t *testing.T) {
	t.Parallel()
	server, addr := zkserver.Start(t, zkserver.Options{})
	path := electiontest.ElectionPath(t)
	create := electiontest.Creator(t, zktest.Client(t, addr))
	create(path, 0)
	counted := func() (n uint64) {
		for op, c := range server.Counters().Requests {
			if op != wire.OpPing && op != wire.OpCloseSession {
				n += uint64(c)
			}
		}
		return n
	}
	before := counted()
	s := newGroupTest(t, electiontest.Config(t, addr))
	w := s.watch(path)
	w.Await(t, "none", electiontest.QueueOf(0))
	first := s.Conn()
	zktest.Await(t, "the count of the server", func() bool { return s.Requests() == counted()-before })
	early := s.Requests()
	if early < 2 {
		t.Errorf("got %d requests for the first read, want at least 2", early)
	}
	first.Cut()
	zktest.Await(t, "another session", func() bool { c := s.Conn(); return c != nil && c != first })
	zktest.Await(t, "more requests, and the count of the server", func() bool {
		return s.Requests() > early && s.Requests() == counted()-before
	})
}

func TestMain(m *testing.M) { zktest.Main(m) }
