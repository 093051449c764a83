package doctor_test

import (
	"fmt"
	"testing"

	"electop/model"
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
