package doctor_test

import (
	"fmt"
	"testing"
	"time"

	"electop/model"
	"electop/model/internal/modeltest"
	"electop/model/session"
)

// BenchmarkDiagnosis is a thousand changes a second in an election whose servers
// report their tables every five seconds.
func BenchmarkDiagnosis(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := modeltest.NewCrowd(n)
			i := 0
			for b.Loop() {
				i++
				c.J.Apply(c.Change(i))
				if i%5000 == 1 {
					c.J.Apply(crowdTable(c))
				}
				if due, ok := c.J.Deadline(); ok && !due.After(c.At) {
					c.J.Apply(&model.Advance{At: c.At})
				}
			}
		})
	}
}

// crowdTable is what three servers report of a healthy crowd.
func crowdTable(c *modeltest.Crowd) *session.Table {
	answered := session.Answer{State: session.Answered, At: c.At}
	t := &session.Table{At: c.At, End: c.At, Whole: true, Servers: make([]session.Server, 3)}
	st := c.J.State()
	for i := range t.Servers {
		t.Servers[i] = session.Server{Addr: fmt.Sprint("zk", i), Basic: answered, Connections: answered, Sessions: answered, Watches: answered}
	}
	for k, x := range st.Queue.All() {
		s := &t.Servers[x.Session%3]
		s.Clients = append(s.Clients, session.Client{Session: x.Session, Timeout: 10 * time.Second, LastResponse: c.At.Sub(modeltest.Start)})
		s.Ephemerals = append(s.Ephemerals, session.Ephemeral{Session: x.Session, Path: "/e/" + x.Name})
		if k > 0 {
			s.Watched = append(s.Watched, session.Watch{Path: "/e/" + st.Queue.At(k-1).Name, Sessions: []uint64{x.Session}})
		}
		t.Servers[0].Deadlines = append(t.Servers[0].Deadlines, session.Deadline{Session: x.Session, At: c.At.Sub(modeltest.Start) + time.Hour})
	}
	return t
}
