//go:build unix

package feed_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"electop/model"
	"electop/zkwatch/feed"
)

const (
	loadQueue  = 10_000
	loadRate   = 1_000 // changes a second
	loadFrames = 30    // states read a second
)

func deltas(r *model.Read) (all []model.Observation) {
	for _, name := range r.Gone {
		all = append(all, &model.Delta{At: r.At, Notified: r.At, AppliedAfter: r.At, Gone: name})
	}
	for i := range r.New {
		all = append(all, &model.Delta{At: r.At, Notified: r.At, AppliedAfter: r.At, New: &r.New[i]})
	}
	return all
}

func asRead(r *model.Read) []model.Observation { return []model.Observation{r} }

// load puts loadRate changes a second for d. It returns processor time, heap growth in bytes, and states read.
func load(t testing.TB, d time.Duration, reported func(*model.Read) []model.Observation) (cpu time.Duration, heap int64, frames int) {
	t.Helper()
	var joined, left, handoffs, others atomic.Int64
	f := feed.New(feed.Config{Election: election, Events: func(es []model.Event) error {
		for _, e := range es {
			switch e.Body.(type) {
			case model.Joined:
				joined.Add(1)
			case model.Left:
				left.Add(1)
			case model.Handoff:
				handoffs.Add(1)
			default:
				others.Add(1)
			}
		}
		return nil
	}})
	end := start(f)
	s := newScenario()
	f.Put(s.connected())
	f.Put(s.change(loadQueue))
	if _, err := f.Await(t.Context(), hasQueueOf(loadQueue)); err != nil {
		t.Fatal(err)
	}

	stop := make(chan struct{})
	var screen sync.WaitGroup
	screen.Go(func() {
		tick := time.NewTicker(time.Second / loadFrames)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if f.State().Queue.Len() < loadQueue {
					t.Errorf("got a state with %d candidates, want at least %d", f.State().Queue.Len(), loadQueue)
				}
				frames++
			case <-stop:
				return
			}
		}
	})

	heapBefore, cpuBefore := heapInUse(), processorTime(t)
	changes, leadersGone := s.putChanges(d, func(r *model.Read) {
		for _, o := range reported(r) {
			f.PutSlowly(t.Context(), o)
		}
	})
	if err := end(); err != nil {
		t.Fatal(err)
	}
	close(stop)
	screen.Wait()
	cpu, heap = processorTime(t)-cpuBefore, heapInUse()-heapBefore

	st := f.State()
	half := int64(changes / 2)
	if joined.Load() != half || left.Load() != half || handoffs.Load() != int64(leadersGone) || others.Load() != 1 || st.Queue.Len() != loadQueue {
		t.Errorf("got %d joined, %d left, %d handoffs, %d other events, %d candidates; want %d, %d, %d, 1, %d",
			joined.Load(), left.Load(), handoffs.Load(), others.Load(), st.Queue.Len(), half, half, leadersGone, loadQueue)
	}
	if st.Totals.MissedCreates != 0 || st.Totals.MissedDeletes != 0 || st.Totals.Unknown != 0 {
		t.Errorf("got totals %+v, want no missed and no unknown change", st.Totals)
	}
	return cpu, heap, frames
}

func (s *scenario) putChanges(d time.Duration, put func(*model.Read)) (changes, leadersGone int) {
	changes = int(d.Seconds() * loadRate)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	began := time.Now()
	for sent := 0; sent < changes; {
		<-tick.C
		for due := min(changes, int(time.Since(began).Seconds()*loadRate)); sent < due; sent++ {
			s.pass(time.Second / loadRate)
			switch {
			case sent%2 == 0:
				put(s.change(1))
			case sent%200 == 1:
				put(s.change(0, leadersGone))
				leadersGone++
			default:
				put(s.change(0, s.next-loadQueue/2))
			}
		}
	}
	return changes, leadersGone
}

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestNoChangeIsMissedUnderLoad(t *testing.T) {
	for name, reported := range map[string]func(*model.Read) []model.Observation{"watch": deltas, "reads": asRead} {
		t.Run(name, func(t *testing.T) { load(t, 2*time.Second, reported) })
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		began := time.Now()
		cpu, heap, frames := load(b, time.Minute, deltas)
		took := time.Since(began).Seconds()
		b.ReportMetric(100*cpu.Seconds()/took, "%cpu")
		b.ReportMetric(float64(heap)/(1<<20), "MB-heap-growth")
		b.ReportMetric(float64(frames)/took, "frames/s")
	}
}
