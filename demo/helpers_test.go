package demo_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/client"
)

const (
	path    = "/demo/election"
	ackPath = "/demo/leader"
	timeout = 6 * time.Second // session timeout, unless a test sets another one
)

func connection(t *testing.T, server *zkserver.Server) client.Config {
	t.Helper()
	servers, err := client.ParseConnectString("127.0.0.1:1")
	must(t, err)
	return client.Config{
		Servers: servers, SessionTimeout: timeout,
		Dial: func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
	}
}

func connected(t *testing.T, cfg client.Config) *client.Conn {
	t.Helper()
	conn, err := client.Connect(cfg)
	must(t, err)
	for st := range conn.Subscribe(t.Context()) {
		if st.State == client.Connected {
			break
		}
	}
	return conn
}

func withCast(t *testing.T, change func(*demo.Config), f func(t *testing.T, w *world)) {
	t.Helper()
	inWorld(t, worldConfig{cast: change}, f)
}

func (s *world) awaitLeader(t *testing.T, id string) *doctor.State {
	t.Helper()
	return s.await(t, id+" leads", func(st *doctor.State) bool {
		m := st.Member(st.Leader())
		return m != nil && m.ID == id && m.Belief == model.Leading && st.Acknowledged()
	})
}

func (s *world) awaitMember(t *testing.T, id, what string, holds func(model.Member) bool) model.Member {
	t.Helper()
	var found model.Member
	s.await(t, id+" "+what, func(st *doctor.State) bool {
		m, ok := byID(st, id)
		found = m
		return ok && holds(m)
	})
	return found
}

func (s *world) awaitGone(t *testing.T, id string) {
	t.Helper()
	s.await(t, id+" has left the cast", func(st *doctor.State) bool {
		_, ok := byID(st, id)
		return !ok
	})
}

func (s *world) awaitHandoff(t *testing.T, from string) model.Handoff {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		for _, h := range s.handoffs() {
			if h.From != nil && h.From.Label() == from {
				return h
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("no handoff from %s within a minute", from)
	panic("not reached")
}

func (s *world) handoffs() []model.Handoff {
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

func (s *world) lastReport(t *testing.T, id string) *model.Cast {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.latest[id]
	if c == nil {
		t.Fatalf("no observation of %s", id)
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

var openACL = zk.WorldACL(zk.PermAll)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
