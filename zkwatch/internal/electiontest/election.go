// Package electiontest runs candidates, observers and scripted servers for the tests of zkwatch.
package electiontest

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/fault"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

const WaitFor = 20 * time.Second

type Log[T any] struct {
	mu   sync.Mutex
	all  []T
	more chan struct{} // closed by the next Add, or nil
}

func (l *Log[T]) Add(reports ...T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, reports...)
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
}

// All returns a slice that the caller must not change.
func (l *Log[T]) All() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clip(l.all)
}

func (l *Log[T]) AwaitAll(t testing.TB, what string, holds func([]T) bool) {
	t.Helper()
	for deadline := time.After(WaitFor); ; {
		l.mu.Lock()
		all := slices.Clip(l.all)
		if l.more == nil {
			l.more = make(chan struct{})
		}
		more := l.more
		l.mu.Unlock()
		if holds(all) {
			return
		}
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("got no %q within %v; %d reports, the last %+v", what, WaitFor, len(all), all[max(0, len(all)-1):])
		}
	}
}

// Await ignores the reports before the index from.
func (l *Log[T]) Await(t testing.TB, from int, what string, holds func(T) bool) (report T, index int) {
	t.Helper()
	l.AwaitAll(t, what, func(all []T) bool {
		for index = from; index < len(all); index++ {
			if report = all[index]; holds(report) {
				return true
			}
		}
		return false
	})
	return report, index
}

type Candidate struct {
	*candidate.Candidate
	Log[model.Member]
	Cancel context.CancelFunc
	Done   chan error
}

func RunCandidate(t *testing.T, cfg candidate.Config) *Candidate {
	t.Helper()
	s := NewCandidate(cfg)
	s.Start(t)
	return s
}

func NewCandidate(cfg candidate.Config) *Candidate {
	s := &Candidate{Done: make(chan error, 1)}
	cfg.Report = func(_ time.Time, m model.Member) { s.Add(m) }
	s.Candidate = candidate.New(cfg)
	return s
}

func (s *Candidate) Start(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s.Cancel = cancel
	var running sync.WaitGroup
	running.Go(func() { s.Done <- s.Candidate.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		s.Thaw()
		running.Wait()
	})
}

func (s *Candidate) Now() model.Member {
	if all := s.All(); len(all) > 0 {
		return all[len(all)-1]
	}
	return model.Member{}
}

func (s *Candidate) AwaitBelief(t *testing.T, b model.Belief) model.Member {
	t.Helper()
	m, _ := s.Await(t, 0, "belief "+string(b), func(m model.Member) bool { return m.Belief == b })
	return m
}

type Watched struct {
	*observer.Observer
	Feed   *feed.Feed
	Events Log[model.Event]
}

// NewWatched returns a Watched. The caller runs Feed and sets Observer.
func NewWatched(election model.Config) *Watched {
	w := &Watched{}
	w.Feed = feed.New(feed.Config{Election: election, Events: func(es []model.Event) error { w.Events.Add(es...); return nil }})
	return w
}

func Observe(t *testing.T, cfg client.Config, election model.Config, options ...func(*observer.Config)) *Watched {
	t.Helper()
	w := NewWatched(election)
	cfg.BufferSize, cfg.MaxReply = 0, 0
	ocfg := observer.Config{
		Conn: cfg, Path: election.Path, Beside: observer.Beside{Acks: w.Feed.State().Followed()}, Put: w.Feed.PutSlowly, Now: feed.Now,
	}
	for _, option := range options {
		option(&ocfg)
	}
	w.Observer = observer.New(ocfg)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { w.Feed.Run(ctx) })
	wg.Go(func() { w.Observer.Run(ctx) })
	wg.Go(func() { w.Feed.Settle(ctx, w.Observer.Settle) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return w
}

func (w *Watched) Await(t *testing.T, what string, holds func(*doctor.State) bool) *doctor.State {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), WaitFor)
	defer cancel()
	s, err := w.Feed.Await(ctx, holds)
	if err != nil {
		t.Fatalf("got no %q within %v; phase %s, link %+v, %d in the queue, %d ignored", what, WaitFor, s.Phase, s.Link, s.Queue.Len(), len(s.Ignored))
	}
	return s
}

func QueueOf(n int) func(*doctor.State) bool {
	return func(s *doctor.State) bool { return s.Phase == model.Live && s.Queue.Len() == n }
}

type Site struct {
	*zk.Conn
	Addr, Path string
	T          *testing.T
}

func Each(t *testing.T, f func(t *testing.T, on Site)) {
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		f(t, Site{zktest.Client(t, addr), addr, ElectionPath(t), t})
	})
}

func (s *Site) Config() client.Config { return Config(s.T, s.Addr) }

func (s *Site) Make(path string, flags int32) string {
	s.T.Helper()
	return Creator(s.T, s.Conn)(path, flags)
}

func (s *Site) MakeData(path, data string, flags int32) {
	s.T.Helper()
	if _, err := s.Create(path, []byte(data), flags, Open); err != nil {
		s.T.Fatal(err)
	}
}

func (s *Site) Remove(paths ...string) {
	s.T.Helper()
	Remove(s.T, s.Conn, paths...)
}

const LeaseTimeout = 6 * time.Second

// Conn configures a connection to server, over line unless line is nil.
func Conn(server *zkserver.Server, line *fault.Line) client.Config {
	return client.Config{
		Servers: client.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: LeaseTimeout,
		Dial: func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
		Line: line, BufferSize: 16 << 10, MaxReply: 64 << 10,
	}
}
