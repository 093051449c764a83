package demo_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
)

// TestFusesBurn: each answered ping refills a session's fuse, that of a killed leader
// burns down until its znode is deleted, and a held message stops it.
func TestFusesBurn(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.enter(t, 3)
		left := func(i int) time.Duration {
			t.Helper()
			synctest.Wait()
			s := w.feed.State()
			x, ok := s.Fuse(s.Queue.At(i))
			if !ok || !x.Exact || x.Timeout != timeout {
				t.Fatalf("the fuse of %s: %+v, %v", s.Queue.At(i).Label(), x, ok)
			}
			least, _ := x.Left(time.Now())
			return least
		}
		time.Sleep(time.Second / 2) // virtual
		// A healthy client is heard from every third of its timeout; electop looks four
		// times a second.
		least := timeout
		for range 200 {
			time.Sleep(37 * time.Millisecond) // virtual
			synctest.Wait()                   // what happens at this moment has happened
			for i := range 3 {
				at, _, ok := w.server.Deadline(int64(w.feed.State().Queue.At(i).Session))
				if got, is := left(i), time.Until(at); !ok || got > min(is, timeout)+time.Millisecond || is-got > timeout/3+time.Second/2 {
					t.Fatalf("the fuse has %v, and the session %v", got, is)
				}
				least = min(least, left(i))
			}
		}
		if least < timeout/2 || least == timeout {
			t.Errorf("the fuses of healthy sessions burn down to %v of %v", least, timeout)
		}

		leader := w.feed.State().Queue.At(0)
		must(t, w.cast.Kill(w.feed.State().Member(leader).ID))
		before := left(0)
		time.Sleep(timeout / 2) // virtual
		if now := left(0); now > before-timeout/2+timeout/8 {
			t.Errorf("half of the timeout after the kill %v are left of %v", now, before)
		}
		w.await(t, "the leader's session expires", func(s *doctor.State) bool { return s.Queue.Len() == 2 })
		if x, _ := w.feed.State().Fuse(leader); time.Until(x.Least).Abs() > 300*time.Millisecond {
			t.Errorf("its znode was deleted, and its fuse ends %v from now", time.Until(x.Least))
		}

		w.await(t, "the next one leads", func(s *doctor.State) bool {
			return s.Lead() == doctor.Leads && s.Member(s.Leader()).Belief == model.Leading
		})
		w.stage.SetPace(zkserver.Pace{Steps: true})
		must(t, w.cast.Resign(w.feed.State().Member(w.feed.State().Queue.At(0)).ID))
		var x doctor.Fuse
		w.await(t, "a held message stops the fuse", func(s *doctor.State) bool {
			return slices.ContainsFunc(s.Queue.Slice(), func(c *dialect.Candidate) bool {
				x, _ = s.Fuse(c)
				return x.Held
			})
		})
		a, _ := x.Left(time.Now())
		if b, _ := x.Left(time.Now().Add(time.Hour)); a != b {
			t.Errorf("a held fuse burns: %v, %v", a, b)
		}
	})
}

// What does not change by enough to be seen is not passed on.
func TestFewDeadlines(t *testing.T) {
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		w.enter(t, 3)
		time.Sleep(time.Second) // virtual
		w.mu.Lock()
		from := len(w.put)
		w.mu.Unlock()
		time.Sleep(10 * time.Second) // virtual
		w.mu.Lock()
		defer w.mu.Unlock()
		n := 0
		for _, o := range w.put[from:] {
			if _, ok := o.(*model.Deadlines); ok {
				n++
			}
		}
		if n == 0 || n > 41 {
			t.Errorf("%d reports of deadlines in 10 s", n)
		}
	})
}
