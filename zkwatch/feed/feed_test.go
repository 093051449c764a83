package feed_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"electop/model"
	"electop/model/history"
	"electop/model/znode"
	"electop/zkwatch/feed"
)

var (
	election = model.Config{Path: path}
	acking   = model.Config{Path: path, AckPath: "/leader", AckExpected: true}
)

// While a reader of events stands still candidates are never made to wait and
// observers are. Nothing is lost of either.
func TestBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const each, observers = 6000, 3
		stop := make(chan struct{})
		var l log
		var stalled atomic.Int64
		f := feed.New(feed.Config{Election: election, Events: func(es []model.Event) error {
			if stalled.Add(1) == 1 {
				<-stop
			}
			return l.take(es)
		}})
		end := running(f)
		s := newStory()
		f.Put(s.change(1)) // the reader of events stops here
		synctest.Wait()

		var put atomic.Int64
		order := make(chan struct{}, 1) // reads are in the order of the story
		var wg sync.WaitGroup
		for range observers {
			wg.Go(func() {
				for range each {
					order <- struct{}{} // a mutex would not let virtual time pass
					f.PutSlowly(t.Context(), s.change(1))
					put.Add(1)
					<-order
				}
			})
		}
		// With time that passes only when all goroutines wait, this shows as
		// well that an observer does not spin.
		time.Sleep(time.Hour)
		if n := put.Load(); n == 0 || n >= each*observers {
			t.Fatalf("%d of %d observations were taken while nobody read", n, each*observers)
		}
		before := put.Load()
		for i := range 2 * each {
			f.Put(&model.Cast{At: s.at, Member: model.Member{ID: "m", Fence: int64(i)}})
		}
		time.Sleep(time.Hour)
		if put.Load() != before {
			t.Error("an observer went on while the queue was full")
		}
		close(stop)
		wg.Wait()
		if err := end(); err != nil {
			t.Errorf("Run: %v", err)
		}
		st := f.State()
		if st.Queue.Len() != 1+each*observers || st.Totals.MissedCreates != 0 || st.Totals.Unknown != 0 {
			t.Errorf("%d stand, want %d; %+v", st.Queue.Len(), 1+each*observers, st.Totals)
		}
		if len(st.Members) != 1 || st.Members[0].Fence != 2*each-1 {
			t.Errorf("members %+v", st.Members)
		}
		if n := l.count(); n != 1+each*observers { // the first is the state
			t.Errorf("%d events, want %d", n, 1+each*observers)
		}
	})
}

// Several observers wait at one full queue; each goes on once there is room.
func TestManyWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feed.New(feed.Config{Election: election})
		for range 5000 {
			f.Put(&model.Advance{At: newStory().at})
		}
		var through atomic.Int64
		for range 10 {
			go func() {
				f.PutSlowly(t.Context(), &model.Advance{At: newStory().at})
				through.Add(1)
			}()
		}
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan struct{})
		go func() {
			defer close(gaveUp)
			f.PutSlowly(ctx, newStory().change(9))
		}()
		time.Sleep(time.Minute) // virtual: all wait
		if n := through.Load(); n != 0 {
			t.Errorf("%d found room in a full queue", n)
		}
		cancel()
		<-gaveUp
		end := running(f)
		synctest.Wait()
		if n := through.Load(); n != 10 {
			t.Errorf("%d of 10 went on", n)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		if st := f.State(); st.Phase != model.Unseen {
			t.Errorf("an observation that was given up was applied: %+v", st)
		}
	})
}

func TestRunDrainsAtTheEnd(t *testing.T) {
	var l log
	f := feed.New(feed.Config{Election: election, Events: l.take})
	s := newStory()
	f.Put(s.change(1))
	for range 999 {
		f.Put(s.change(1))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // over before it began
	if err := f.Run(ctx); err != nil {
		t.Errorf("Run: %v", err)
	}
	if n := l.count(); n != 1000 || f.State().Queue.Len() != 1000 {
		t.Errorf("%d events, %d stand, want 1000", n, f.State().Queue.Len())
	}
}

// held is a story with a handoff that waits for its acknowledgement.
func held() (s *story, os []model.Observation, next znode.Znode) {
	s = newStory()
	first := s.change(3)
	os = []model.Observation{s.connected(), first, s.acked(first.New[0])}
	os = append(os, s.pass(time.Millisecond).change(0, 0), s.pass(time.Millisecond).change(1))
	return s, os, first.New[1]
}

func kinds(t *testing.T, l *log) string {
	t.Helper()
	var out []string
	for _, s := range l.lines(t) {
		_, kind, _ := strings.Cut(s[:strings.IndexByte(s, ' ')], ".") // without its package
		out = append(out, kind)
	}
	return strings.Join(out, " ")
}

func handoff(t *testing.T, l *log) model.Handoff {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if h, ok := e.Body.(model.Handoff); ok {
			return h
		}
	}
	t.Fatal("no handoff")
	panic("not reached")
}

func TestHeldHandoffIsReleasedByTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		record, b := recorder(t, acking)
		f := feed.New(feed.Config{Election: acking, Events: l.take, Record: record})
		end := running(f)
		_, os, _ := held()
		for _, o := range os {
			f.Put(o)
		}
		time.Sleep(model.AckWait - time.Millisecond) // virtual
		synctest.Wait()
		if got := kinds(t, &l); got != "Snapshot Left" {
			t.Errorf("before the deadline: %s", got)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if got := kinds(t, &l); got != "Snapshot Left Handoff Joined" {
			t.Errorf("after the deadline: %s", got)
		}
		if h := handoff(t, &l); h.Takeover != nil {
			t.Errorf("takeover %v of a handoff that nobody acknowledged", *h.Takeover)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(b.String(), `"advance"`) {
			t.Error("the recording does not tell that time passed")
		}
	})
}

func TestHeldHandoffIsReleasedAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var live log
		record, b := recorder(t, acking)
		f := feed.New(feed.Config{Election: acking, Events: live.take, Record: record})
		end := running(f)
		_, all, _ := held()
		for _, o := range all {
			f.Put(o)
		}
		synctest.Wait()
		if err := end(); err != nil {
			t.Error(err)
		}
		if got := kinds(t, &live); got != "Snapshot Left Handoff Joined" {
			t.Errorf("at the end: %s", got)
		}
		file := t.TempDir() + "/recording"
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if a, b := live.lines(t), read(t, file).lines(t); !slices.Equal(a, b) {
			t.Errorf("live     %q\nreplayed %q", a, b)
		}
	})
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feed.New(feed.Config{Election: election})
		end := running(f)
		var found [50]int
		var wg sync.WaitGroup
		for i := range found {
			wg.Go(func() {
				st, err := f.Await(t.Context(), queueOf(i+1))
				if err != nil {
					t.Error(err)
				}
				found[i] = st.Queue.Len()
			})
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		st, err := f.Await(ctx, queueOf(1))
		if !errors.Is(err, context.DeadlineExceeded) || st == nil || st.Phase != model.Unseen {
			t.Errorf("with nothing to await: %v, %v", st, err)
		}
		s := newStory()
		for range found {
			f.Put(s.change(1))
			synctest.Wait()
		}
		wg.Wait()
		for i, n := range found {
			if n != i+1 {
				t.Errorf("waited for %d, got %d", i+1, n)
			}
		}
		// What holds already is not waited for, even when nobody runs it.
		if err := end(); err != nil {
			t.Error(err)
		}
		if st, err := f.Await(t.Context(), queueOf(len(found))); err != nil || st.Queue.Len() != len(found) {
			t.Errorf("after the end: %v", err)
		}
	})
}

func TestDirtyCoalesces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feed.New(feed.Config{Election: election})
		end := running(f)
		s := newStory()
		for range 100 {
			f.Put(s.change(1))
			synctest.Wait()
		}
		marks := 0
		for done := false; !done; {
			select {
			case <-f.Dirty():
				marks++
			default:
				done = true
			}
		}
		if marks != 1 {
			t.Errorf("100 changes are %d marks, want 1", marks)
		}
		f.Put(s.change(1))
		<-f.Dirty() // a change after the mark was taken makes another
		if n := f.State().Queue.Len(); n != 101 {
			t.Errorf("marked, and %d stand, want 101", n)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	})
}

// full is a disk with room for a few writes.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room--; f.room < 0 {
		return 0, errors.New("no space left\x1b[2J")
	}
	return len(p), nil
}

func TestRecordingError(t *testing.T) {
	var l log
	disk := &full{room: 3}
	record, err := feed.NewRecorder(disk, history.NewHeader(election, newStory().at))
	if err != nil {
		t.Fatal(err)
	}
	f := feed.New(feed.Config{Election: election, Events: l.take, Record: record, Notice: l.notice})
	end := running(f)
	s := newStory()
	for range 10 {
		f.Put(s.change(1))
	}
	if err := end(); err != nil {
		t.Errorf("Run: %v", err)
	}
	if n := l.count(); n != 10 || f.State().Queue.Len() != 10 {
		t.Errorf("%d events, %d stand, want 10", n, f.State().Queue.Len())
	}
	if len(l.notices) != 1 || !strings.Contains(l.notices[0], "no space left") || strings.Contains(l.notices[0], "\x1b") {
		t.Errorf("notices %q", l.notices)
	}
	if disk.room != -1 {
		t.Errorf("%d writes after the first that failed", -1-disk.room)
	}
}

func TestEventsErrorEndsRun(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, when := range []string{"live", "at the end", "in the last handoff"} {
		t.Run(when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				f := feed.New(feed.Config{Election: acking, Events: func(es []model.Event) error {
					n += len(es)
					for _, e := range es {
						if _, ok := e.Body.(model.Handoff); ok || when != "in the last handoff" {
							return broken
						}
					}
					return nil
				}})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				_, os, _ := held()
				for _, o := range os {
					f.Put(o)
				}
				if when != "live" {
					cancel()
				}
				if err := f.Run(ctx); !errors.Is(err, broken) {
					t.Errorf("Run: %v", err)
				}
				if when != "in the last handoff" && n != 1 {
					t.Errorf("%d events were handed on after the error", n-1)
				}
			})
		})
	}
}
