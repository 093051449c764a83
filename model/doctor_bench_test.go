package model_test

import (
	"fmt"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
)

// BenchmarkDiagnosis is a thousand changes a second in an election whose servers
// tell their tables every five seconds.
func BenchmarkDiagnosis(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := newCrowd(n)
			i := 0
			for b.Loop() {
				i++
				c.j.Apply(c.change(i))
				if i%5000 == 1 {
					c.j.Apply(c.table())
				}
				if due, ok := c.j.Deadline(); ok && !due.After(c.at) {
					c.j.Apply(&model.Advance{At: c.at})
				}
			}
		})
	}
}

// table is what three servers say of a healthy crowd.
func (c *crowd) table() *session.Table {
	told := session.Answer{State: session.Answered, At: c.at}
	t := &session.Table{At: c.at, End: c.at, Whole: true, Servers: make([]session.Server, 3)}
	st := c.j.State()
	for i := range t.Servers {
		t.Servers[i] = session.Server{Addr: fmt.Sprint("zk", i), Basic: told, Connections: told, Sessions: told, Watches: told}
	}
	for k, x := range st.Queue {
		s := &t.Servers[x.Session%3]
		s.Clients = append(s.Clients, session.Client{Session: x.Session, Timeout: 10 * time.Second, LastResponse: c.at.Sub(start)})
		s.Ephemerals = append(s.Ephemerals, session.Ephemeral{Session: x.Session, Path: "/e/" + x.Name})
		if k > 0 {
			s.Watched = append(s.Watched, session.Watch{Path: "/e/" + st.Queue[k-1].Name, Sessions: []uint64{x.Session}})
		}
		t.Servers[0].Deadlines = append(t.Servers[0].Deadlines, session.Deadline{Session: x.Session, At: c.at.Sub(start) + time.Hour})
	}
	return t
}

func BenchmarkServerTable(b *testing.B) {
	c := newCrowd(10000)
	t := c.table()
	for b.Loop() {
		c.at = c.at.Add(2 * time.Second)
		x := *t
		x.At, x.End = c.at, c.at
		c.j.Apply(&x)
	}
}

func BenchmarkEdges(b *testing.B) {
	c := newCrowd(10000)
	c.j.Apply(c.table())
	s := c.j.State()
	i := 0
	for b.Loop() {
		if i++; i == len(s.Queue) {
			i = 1
		}
		if e := s.Edge(i); e.State != doctor.Verified {
			b.Fatalf("%+v", e)
		}
	}
}
