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

	"github.com/go-zookeeper/zk"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

const (
	path    = "/demo/election"
	ackPath = "/demo/leader"
	timeout = 6 * time.Second // of the candidates' sessions
)

// stage is a cast on a server in memory, with an observer that looks on.
type stage struct {
	server *zkserver.Server
	cast   *demo.Cast
	feed   *feed.Feed

	cancel context.CancelFunc
	wg     sync.WaitGroup
	record bytes.Buffer // to be read after the feed ended

	mu      sync.Mutex
	words   []model.Observation    // what the cast put
	latest  map[string]*model.Cast // of each member, the last word
	notices []string
	events  []model.Event
}

// connection is the configuration of a client of server.
func connection(t *testing.T, server *zkserver.Server) client.Config {
	t.Helper()
	servers, err := client.ParseConnectString("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	return client.Config{
		Servers: servers, SessionTimeout: timeout,
		Dial: func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
	}
}

// encoded is a recording of one part.
type encoded struct{ *history.Encoder }

func (e encoded) Encode(o model.Observation, _ func() *doctor.State) error {
	return e.Encoder.Encode(o)
}

// virtual runs f on a stage in virtual time. change, if not nil, may alter the
// cast's configuration.
func virtual(t *testing.T, change func(*demo.Config), f func(t *testing.T, s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &stage{server: zkserver.New(zkserver.Options{}), latest: make(map[string]*model.Cast)}
		conn := connection(t, s.server)
		election := model.Config{Path: path, AckPath: ackPath, AckExpected: true}
		record, err := history.NewEncoder(&s.record, history.NewHeader(election, feed.Now()))
		if err != nil {
			t.Fatal(err)
		}
		s.feed = feed.New(feed.Config{Election: election, Record: encoded{record}, Events: func(es []model.Event) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.events = append(s.events, es...)
			return nil
		}})
		observer := observer.New(observer.Config{
			Conn: conn, Path: path, Beside: observer.Beside{Acks: []string{ackPath}}, Put: s.feed.PutSlowly, Now: feed.Now,
		})
		cfg := demo.Config{
			Conn: conn, Path: path, Ack: ackPath, Create: true, Now: feed.Now,
			Put: func(o model.Observation) {
				s.mu.Lock()
				s.words = append(s.words, o)
				if c, ok := o.(*model.Cast); ok {
					s.latest[c.Member.ID] = c
				}
				s.mu.Unlock()
				s.feed.Put(o)
			},
			Notice: func(n string) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.notices = append(s.notices, n)
			},
		}
		if change != nil {
			change(&cfg)
		}
		s.cast = demo.NewCast(cfg)
		ctx, cancel := context.WithCancel(t.Context())
		s.cancel = cancel
		s.wg.Go(func() { s.feed.Run(ctx) })
		s.wg.Go(func() { observer.Run(ctx) })
		defer s.server.Close()
		defer s.end()
		s.await(t, "the observer reads", func(st *doctor.State) bool { return st.Phase != model.Unseen })
		f(t, s)
	})
}

// end closes the cast, then the observer and the feed.
func (s *stage) end() {
	s.cast.Close()
	synctest.Wait()
	time.Sleep(2 * time.Second) // virtual: the observer sees it, the last handoff is let go of
	s.cancel()
	s.wg.Wait()
}

// enter spawns n candidates in order and waits until all are seen to stand
// and to know their place.
func (s *stage) enter(t *testing.T, n int) {
	t.Helper()
	if err := s.cast.SpawnInOrder(t.Context(), n); err != nil {
		t.Fatalf("SpawnInOrder: %v", err)
	}
	s.await(t, "all stand", func(st *doctor.State) bool {
		for _, m := range st.Members {
			if m.Belief != model.Waiting && m.Belief != model.Leading {
				return false
			}
		}
		return len(st.Members) == n && st.Queue.Len() == n && st.Acknowledged()
	})
}

func (s *stage) await(t *testing.T, what string, holds func(*doctor.State) bool) *doctor.State {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	st, err := s.feed.Await(ctx, holds)
	if err != nil {
		t.Fatalf("%s: not within a minute; queue %v, members %+v, notices %q", what, labels(st), members(st), s.notices)
	}
	return st
}

// leads waits until id leads and that is acknowledged.
func (s *stage) leads(t *testing.T, id string) *doctor.State {
	t.Helper()
	return s.await(t, id+" leads", func(st *doctor.State) bool {
		m := st.Member(st.Leader())
		return m != nil && m.ID == id && m.Belief == model.Leading && st.Acknowledged()
	})
}

// member waits until the member is as it should be.
func (s *stage) member(t *testing.T, id, what string, holds func(model.Member) bool) model.Member {
	t.Helper()
	var found model.Member
	s.await(t, id+" "+what, func(st *doctor.State) bool {
		m, ok := byID(st, id)
		found = m
		return ok && holds(m)
	})
	return found
}

// gone waits until id is no member.
func (s *stage) gone(t *testing.T, id string) {
	t.Helper()
	s.await(t, id+" is gone", func(st *doctor.State) bool {
		_, ok := byID(st, id)
		return !ok
	})
}

// handoff waits for the handoff from the candidate with that label.
func (s *stage) handoff(t *testing.T, from string) model.Handoff {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		for _, h := range s.handoffs() {
			if h.From != nil && h.From.Label() == from {
				return h
			}
		}
		time.Sleep(100 * time.Millisecond) // virtual
	}
	t.Fatalf("no handoff from %s within a minute", from)
	panic("not reached")
}

func (s *stage) handoffs() []model.Handoff {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []model.Handoff
	for _, e := range s.events {
		if h, ok := e.Body.(model.Handoff); ok {
			out = append(out, h)
		}
	}
	return out
}

// said returns what the cast put, so far.
func (s *stage) said() []model.Observation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.words)
}

// lastWord returns the last that was heard of the member.
func (s *stage) lastWord(t *testing.T, id string) *model.Cast {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.latest[id]
	if c == nil {
		t.Fatalf("nothing was heard of %s", id)
	}
	return c
}

func byID(st *doctor.State, id string) (model.Member, bool) {
	for _, m := range st.Members {
		if m.ID == id {
			return *m, true
		}
	}
	return model.Member{}, false
}

func members(st *doctor.State) (out []model.Member) {
	for _, m := range st.Members {
		out = append(out, *m)
	}
	return out
}

func labels(st *doctor.State) (out []string) {
	for _, c := range st.Queue.All() {
		out = append(out, c.Label())
	}
	return out
}

// open is an ACL that lets everybody do everything.
var open = zk.WorldACL(zk.PermAll)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
