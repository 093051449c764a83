package doctor_test

import (
	"fmt"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
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
					c.J.Apply(c.Table())
				}
				if due, ok := c.J.Deadline(); ok && !due.After(c.At) {
					c.J.Apply(&model.Advance{At: c.At})
				}
			}
		})
	}
}

func BenchmarkServerTable(b *testing.B) {
	c := modeltest.NewCrowd(10000)
	t := c.Table()
	for b.Loop() {
		c.At = c.At.Add(2 * time.Second)
		x := *t
		x.At, x.End = c.At, c.At
		c.J.Apply(&x)
	}
}

func BenchmarkEdges(b *testing.B) {
	c := modeltest.NewCrowd(10000)
	c.J.Apply(c.Table())
	s := c.J.State()
	i := 0
	for b.Loop() {
		if i++; i == s.Queue.Len() {
			i = 1
		}
		if e := s.Edge(i); e.State != doctor.Verified {
			b.Fatalf("%+v", e)
		}
	}
}
