package feed_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/session"
	"electop/zkwatch/feed"
)

var (
	election    = model.Config{Path: path}
	ackElection = model.Config{Path: path, AckPath: "/leader", AckExpected: true}
)

func TestPutSlowlyWaitsWhileEventsBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const each, observers = 6000, 3
		unblock := make(chan struct{})
		var l log
		var calls atomic.Int64
		f := feed.New(feed.Config{Election: election, Events: func(es []model.Event) error {
			if calls.Add(1) == 1 {
				<-unblock
			}
			return l.take(es)
		}})
		end := start(f)
		s := newScenario()
		f.Put(s.change(1))
		synctest.Wait()

		var put atomic.Int64
		order := make(chan struct{}, 1) // puts the reads in the order of the scenario
		var wg sync.WaitGroup
		for range observers {
			wg.Go(func() {
				for range each {
					order <- struct{}{} // not a mutex: waiting for one stops virtual time
					f.PutSlowly(t.Context(), s.change(1))
					put.Add(1)
					<-order
				}
			})
		}
		// Virtual time passes only if PutSlowly blocks and does not spin.
		time.Sleep(time.Hour)
		if n := put.Load(); n == 0 || n >= each*observers {
			t.Fatalf("got %d queued observations while Config.Events blocks, want more than 0 and less than %d", n, each*observers)
		}
		before := put.Load()
		for i := range 2 * each {
			f.Put(&model.Cast{At: s.at, Member: model.Member{ID: "m", Fence: int64(i)}})
		}
		time.Sleep(time.Hour)
		if put.Load() != before {
			t.Error("PutSlowly returned while the queue was full")
		}
		close(unblock)
		wg.Wait()
		if err := end(); err != nil {
			t.Errorf("Run: %v", err)
		}
		st := f.State()
		if st.Queue.Len() != 1+each*observers || st.Totals.MissedCreates != 0 || st.Totals.Unknown != 0 {
			t.Errorf("got %d candidates and totals %+v, want %d, no missed create and no unknown change", st.Queue.Len(), st.Totals, 1+each*observers)
		}
		if len(st.Members) != 1 || st.Members[0].Fence != 2*each-1 {
			t.Errorf("got members %+v, want one with fence %d", st.Members, 2*each-1)
		}
		if n := l.count(); n != 1+each*observers { // the first is a snapshot
			t.Errorf("got %d events, want %d", n, 1+each*observers)
		}
	})
}

func TestPutSlowlyWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feed.New(feed.Config{Election: election})
		for range 5000 {
			f.Put(&model.Advance{At: newScenario().at})
		}
		var queued atomic.Int64
		for range 10 {
			go func() {
				f.PutSlowly(t.Context(), &model.Advance{At: newScenario().at})
				queued.Add(1)
			}()
		}
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan struct{})
		go func() {
			defer close(gaveUp)
			f.PutSlowly(ctx, newScenario().change(9))
		}()
		time.Sleep(time.Minute)
		if n := queued.Load(); n != 0 {
			t.Errorf("got %d observations put into a full queue, want 0", n)
		}
		cancel()
		<-gaveUp
		end := start(f)
		synctest.Wait()
		if n := queued.Load(); n != 10 {
			t.Errorf("got %d calls of PutSlowly that returned, want 10", n)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		if st := f.State(); st.Phase != model.Unseen {
			t.Errorf("got state %+v, want no observation from the cancelled PutSlowly", st)
		}
	})
}

func TestRunDrainsAtTheEnd(t *testing.T) {
	var l log
	f := feed.New(feed.Config{Election: election, Events: l.take})
	s := newScenario()
	for range 1000 {
		f.Put(s.change(1))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Run(ctx); err != nil {
		t.Errorf("Run: %v", err)
	}
	if n := l.count(); n != 1000 || f.State().Queue.Len() != 1000 {
		t.Errorf("got %d events, %d candidates, want 1000", n, f.State().Queue.Len())
	}
}

func heldHandoff() []model.Observation {
	s := newScenario()
	first := s.change(3)
	return []model.Observation{
		s.connected(), first, s.acked(first.New[0]), s.pass(time.Millisecond).change(0, 0), s.pass(time.Millisecond).change(1),
	}
}

func eventKinds(t *testing.T, l *log) string {
	t.Helper()
	var out []string
	for _, s := range l.lines(t) {
		_, kind, _ := strings.Cut(s[:strings.IndexByte(s, ' ')], ".")
		out = append(out, kind)
	}
	return strings.Join(out, " ")
}

func TestHeldHandoffIsReleasedByTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		record, b := newRecorder(t, ackElection)
		f := feed.New(feed.Config{Election: ackElection, Events: l.take, Record: record})
		end := start(f)
		for _, o := range heldHandoff() {
			f.Put(o)
		}
		time.Sleep(model.AckWait - time.Millisecond)
		synctest.Wait()
		if got := eventKinds(t, &l); got != "Snapshot Left" {
			t.Errorf("before the deadline: got events %q, want Snapshot Left, no handoff", got)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if got := eventKinds(t, &l); got != "Snapshot Left Handoff Joined" {
			t.Errorf("after the deadline: got events %q, want Snapshot Left Handoff Joined", got)
		}
		if h := f.State().Handoffs; len(h) == 0 || h[len(h)-1].Takeover != nil {
			t.Errorf("got handoffs %+v, want the last without a takeover: the next leader did not acknowledge", h)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(b.String(), `"advance"`) {
			t.Error("got a recording without the advance of time")
		}
	})
}

func TestHeldHandoffIsReleasedAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var live log
		record, b := newRecorder(t, ackElection)
		f := feed.New(feed.Config{Election: ackElection, Events: live.take, Record: record})
		end := start(f)
		for _, o := range heldHandoff() {
			f.Put(o)
		}
		synctest.Wait()
		if err := end(); err != nil {
			t.Error(err)
		}
		if got := eventKinds(t, &live); got != "Snapshot Left Handoff Joined" {
			t.Errorf("at the end: got events %q, want Snapshot Left Handoff Joined", got)
		}
		if a, b := live.lines(t), read(t, writeRecording(t, b.Bytes())).lines(t); !slices.Equal(a, b) {
			t.Errorf("got replayed events %q\nwant %q", b, a)
		}
	})
}

func TestAwaitReturnsAMatchingState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feed.New(feed.Config{Election: election})
		end := start(f)
		var found [50]int
		var wg sync.WaitGroup
		for i := range found {
			wg.Go(func() {
				st, err := f.Await(t.Context(), hasQueueOf(i+1))
				if err != nil {
					t.Error(err)
				}
				found[i] = st.Queue.Len()
			})
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		st, err := f.Await(ctx, hasQueueOf(1))
		if !errors.Is(err, context.DeadlineExceeded) || st == nil || st.Phase != model.Unseen {
			t.Errorf("without observations: got state %v, error %v, want an unseen election and the deadline", st, err)
		}
		s := newScenario()
		for range found {
			f.Put(s.change(1))
			synctest.Wait()
		}
		wg.Wait()
		for i, n := range found {
			if n != i+1 {
				t.Errorf("got a state with %d candidates, want %d", n, i+1)
			}
		}
		if err := end(); err != nil {
			t.Error(err)
		}
		if st, err := f.Await(t.Context(), hasQueueOf(len(found))); err != nil || st.Queue.Len() != len(found) {
			t.Errorf("after the end: got error %v, want the last state", err)
		}
	})
}

func TestDirtyCoalesces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feed.New(feed.Config{Election: election})
		end := start(f)
		s := newScenario()
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
			t.Errorf("got %d receives from Dirty after 100 changes, want 1", marks)
		}
		f.Put(s.change(1))
		<-f.Dirty()
		if n := f.State().Queue.Len(); n != 101 {
			t.Errorf("after another change: got %d candidates, want 101", n)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	})
}

type fullDisk struct{ writesLeft int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.writesLeft--; f.writesLeft < 0 {
		return 0, errors.New("no space left\x1b[2J")
	}
	return len(p), nil
}

func TestRecordingErrorEndsOnlyTheRecording(t *testing.T) {
	var l log
	disk := &fullDisk{writesLeft: 3}
	record, err := feed.NewRecorder(disk, history.NewHeader(election, newScenario().at))
	if err != nil {
		t.Fatal(err)
	}
	f := feed.New(feed.Config{Election: election, Events: l.take, Record: record, Notice: l.notice})
	end := start(f)
	s := newScenario()
	for range 10 {
		f.Put(s.change(1))
	}
	if err := end(); err != nil {
		t.Errorf("Run: %v", err)
	}
	if n := l.count(); n != 10 || f.State().Queue.Len() != 10 {
		t.Errorf("got %d events, %d candidates, want 10", n, f.State().Queue.Len())
	}
	if len(l.notices) != 1 || !strings.Contains(l.notices[0], "no space left") || strings.Contains(l.notices[0], "\x1b") {
		t.Errorf("got notices %q, want one with \"no space left\", without control characters", l.notices)
	}
	if disk.writesLeft != -1 {
		t.Errorf("got %d writes after the first error, want 0", -1-disk.writesLeft)
	}
}

func TestEventsErrorEndsRun(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, when := range []string{"live", "at the end", "in the held handoff"} {
		t.Run(when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				f := feed.New(feed.Config{Election: ackElection, Events: func(es []model.Event) error {
					n += len(es)
					for _, e := range es {
						if _, ok := e.Body.(model.Handoff); ok || when != "in the held handoff" {
							return broken
						}
					}
					return nil
				}})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				for _, o := range heldHandoff() {
					f.Put(o)
				}
				if when != "live" {
					cancel()
				}
				if err := f.Run(ctx); !errors.Is(err, broken) {
					t.Errorf("Run: got error %v, want %v", err, broken)
				}
				if when != "in the held handoff" && n != 1 {
					t.Errorf("got %d events after the error, want 0", n-1)
				}
			})
		})
	}
}

func TestFeedKeepsThePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feed.New(feed.Config{Election: election, Keep: true})
		if _, ok := f.Seek(1, history.MoveTo); ok {
			t.Error("got a moment from Seek before the first observation, want none")
		}
		end := start(f)
		s := newScenario()
		f.Put(s.connected())
		for range 10 {
			f.Put(s.pass(time.Second).change(1))
		}
		synctest.Wait()
		last, ok := f.Seek(math.MaxUint64, history.MoveTo)
		if !ok || last.N != 10 || !last.Last || last.State.Queue.Len() != 10 {
			t.Fatalf("got last moment %d with %d candidates, want 10 with 10", last.N, last.State.Queue.Len())
		}
		f.Put(s.pass(time.Second).change(1))
		synctest.Wait()
		back, ok := f.Seek(last.N, history.MoveBack)
		if !ok || back.N != 9 || back.State.Queue.Len() != 9 || !back.At.Equal(s.at.Add(-2*time.Second)) {
			t.Errorf("one moment back: got moment %d with %d candidates at %v, want 9 with 9, 2s before %v", back.N, back.State.Queue.Len(), back.At, s.at)
		}
		if n := f.State().Queue.Len(); n != 11 {
			t.Errorf("after Seek: got %d candidates in the present state, want 11", n)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	f := feed.New(feed.Config{Election: election})
	f.Put(newScenario().change(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Run(ctx); err != nil {
		t.Error(err)
	}
	if _, ok := f.Seek(1, history.MoveTo); ok {
		t.Error("got a moment from a feed that keeps no past")
	}
}

func TestSeekDuringChanges(t *testing.T) {
	const changes = 800
	var mu sync.Mutex
	times := map[int]time.Time{}
	clock := func() time.Time { return newScenario().at } // constant, so no deadline passes
	f := feed.New(feed.Config{Election: election, Keep: true, Now: clock, Applied: func(s *doctor.State, _ []model.Event) {
		mu.Lock()
		defer mu.Unlock()
		if n := s.Queue.Len(); times[n].IsZero() {
			times[n] = s.At
		}
	}})
	end := start(f)
	type seen struct {
		candidates int
		at         time.Time
	}
	var walks [2][]seen
	var wg sync.WaitGroup
	for i := range walks {
		wg.Go(func() {
			for n := uint64(0); n < changes; {
				at, ok := f.Seek(n, history.MoveOn)
				if !ok || at.N == n {
					runtime.Gosched()
					continue
				}
				if at.N != n+1 || len(at.Events) != 1 {
					t.Errorf("got moment %d with %d events, want %d with 1", at.N, len(at.Events), n+1)
					return
				}
				walks[i] = append(walks[i], seen{at.State.Queue.Len(), at.At})
				n = at.N
			}
		})
	}
	s := newScenario()
	for range changes {
		f.Put(s.pass(time.Millisecond).change(1))
	}
	wg.Wait()
	if err := end(); err != nil {
		t.Error(err)
	}
	for _, walk := range walks {
		for i, m := range walk {
			if m.candidates != i+1 || !m.at.Equal(times[i+1]) {
				t.Fatalf("moment %d: got %d candidates at %v, want %[1]d candidates at %[4]v", i+1, m.candidates, m.at, times[i+1])
			}
		}
	}
}

func TestAppliedGetsEachState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		var events []model.Event
		var f *feed.Feed
		f = feed.New(feed.Config{Election: election, Applied: func(s *doctor.State, es []model.Event) {
			select {
			case <-f.Dirty():
				t.Error("got a receive from Dirty before Applied returned, want none")
			default:
			}
			if f.State() != s {
				t.Error("got another state in Applied than from State, want the same")
			}
			at = append(at, s.At)
			events = append(events, es...)
		}})
		end := start(f)
		s := newScenario()
		for i := range 5 {
			f.Put(s.pass(time.Second).change(i % 2))
			synctest.Wait()
			if len(at) != i+1 || !at[i].Equal(s.at) {
				t.Errorf("after %d observations: got states at %v in Applied, want the last at %v", i+1, at, s.at)
			}
			<-f.Dirty()
		}
		if len(events) != 4 { // a snapshot, two joined candidates, and a handoff to the first
			t.Errorf("got %d events, want 4", len(events))
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	})
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type generator struct {
	*scenario
	put     func(model.Observation)
	queue   []*model.Member
	timeout time.Duration
	changes int
}

// putElection puts an election of n candidates. Each second, two candidates leave and two join.
func putElection(n int, d time.Duration, put func(model.Observation)) {
	c := &generator{scenario: newScenario(), put: put, timeout: 10 * time.Second}
	put(c.connected())
	put(&model.Rules{At: c.at})
	c.putChange(n)
	for end := c.at.Add(d); c.at.Before(end); {
		c.putSecond()
	}
}

func (c *generator) putStep(m *model.Member, step model.Step, detail string, belief model.Belief) {
	c.pass(100 * time.Microsecond)
	m.Step, m.StepAt, m.StepOn, m.Belief = step, c.at, model.StepOn{Name: detail}, belief
	c.putMember(m)
}

func (c *generator) putMember(m *model.Member) {
	m.LeaseEnd = c.at.Add(c.timeout)
	c.put(&model.Cast{At: c.at, Member: *m})
}

func (c *generator) putChange(joins int, leavers ...int) {
	first := c.next
	r := c.change(joins, leavers...)
	for i := range r.New {
		z := &r.New[i]
		z.Name = fmt.Sprintf("_c_%032x-n_%s", first+i, z.Name[2:])
	}
	for i, seq := range leavers {
		k := slices.IndexFunc(c.queue, func(m *model.Member) bool { return m.Fence == int64(seq) })
		m := c.queue[k]
		r.Gone[i] = m.Znode
		c.leave(k, c.parent.Pzxid-int64(len(leavers)-1-i))
	}
	c.put(r)
	for i, z := range r.New {
		m := &model.Member{
			ID: "m" + fmt.Sprint(z.Session), Name: "host", Recipe: "election", Session: z.Session, Timeout: c.timeout,
			Znode: z.Name, Fence: int64(first + i),
		}
		c.queue = append(c.queue, m)
		c.putStep(m, model.StepCreate, "guid-n_", model.Volunteering)
		c.putStep(m, model.StepList, "C := {12, 13, 14, 15, 16, 17, 18, 19, … 42 more}", model.Volunteering)
		if len(c.queue) > 1 {
			m.Watches = c.queue[len(c.queue)-2].Znode
			c.putStep(m, model.StepWatch, "12", model.Waiting)
		} else {
			c.lead(m)
		}
	}
}

func (c *generator) lead(m *model.Member) {
	m.Watches = ""
	c.putStep(m, model.StepLowest, "12", model.Elected)
	c.putStep(m, model.StepLead, "", model.Elected)
	c.putStep(m, model.StepAcknowledge, "/leader", model.Leading)
}

func (c *generator) leave(k int, zxid int64) {
	m := c.queue[k]
	m.Ending = model.Closing
	c.putMember(m)
	c.put(&model.Cast{At: c.at, Member: *m, Gone: true})
	c.queue = slices.Delete(c.queue, k, k+1)
	report := model.DeletionReport{At: c.at, Deleted: c.at, Znode: m.Znode, Zxid: zxid, Notified: []uint64{m.Session + 1}}
	first := report
	c.put(&first)
	if k == len(c.queue) {
		return
	}
	next := c.queue[k]
	c.putStep(next, model.StepListAgain, "C := {12, 13, 14, 15, 16, 17, 18, 19, … 42 more}", model.Waiting)
	if k == 0 {
		c.lead(next)
	} else {
		next.Watches = c.queue[k-1].Znode
		c.putStep(next, model.StepWatchAgain, "11", model.Waiting)
	}
	report.At, report.Requests, report.BytesIn, report.BytesOut, report.Settled = c.at, 2, 100, 4000, true
	c.put(&report)
}

func (c *generator) putSecond() {
	for range 2 {
		c.pass(500 * time.Millisecond)
		c.changes++
		k := 0 // the leader, every half minute
		if c.changes%60 != 0 {
			k = 1 + c.changes*7919%(len(c.queue)-1)
		}
		c.putChange(1, int(c.queue[k].Fence))
	}
	for i, m := range c.queue {
		if (i+c.changes)%3 == 0 {
			c.putMember(m)
		}
	}
	link := c.connected()
	link.RTT = time.Millisecond
	c.put(link)
	c.put(c.table())
}

func (c *generator) table() *session.Table {
	answered := session.Answer{State: session.Answered, Via: "http", At: c.at}
	s := session.Server{
		Addr: "127.0.0.1:2181", Version: "3.8.0", Mode: session.ModeStandalone, Zxid: 1000 + int64(c.next),
		Basic: answered, Connections: answered, Sessions: answered, Watches: answered, Tick: 2 * time.Second,
		ConnectionCount: len(c.queue), WatchCount: len(c.queue), DataWatches: len(c.queue),
	}
	for _, m := range c.queue {
		s.Clients = append(s.Clients, session.Client{
			Session: m.Session, Addr: fmt.Sprintf("127.0.0.1:%d", 40000+m.Session%20000), Timeout: c.timeout, LastOp: "GETC",
			Established: c.at, LastResponse: c.at.Sub(newScenario().at), Received: int64(c.changes),
		})
		s.Deadlines = append(s.Deadlines, session.Deadline{Session: m.Session, At: c.at.Sub(newScenario().at) + c.timeout})
		s.Ephemerals = append(s.Ephemerals, session.Ephemeral{Session: m.Session, Path: path + "/" + m.Znode})
		if m.Watches != "" {
			s.Watched = append(s.Watched, session.Watch{Path: path + "/" + m.Watches, Sessions: []uint64{m.Session}})
		}
	}
	return &session.Table{
		At: c.at, End: c.at, Whole: true, Every: time.Second, Servers: []session.Server{s},
		Anchors: []session.Anchor{{Session: 7, Sent: c.at, Timeout: c.timeout}},
	}
}
