package client

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"

	"electop/demo/zktest"
)

// An ensemble simulates an ensemble leader and a follower with one session. Messages between these two
// stay in order. The follower answers reads without the ensemble leader.
type ensemble struct {
	random        *rand.Rand
	session, tick time.Duration

	now     time.Time
	events  events
	count   int
	down    time.Time // when the last message to the follower arrives
	up      time.Time // when the last message to the ensemble leader arrives
	touched bool      // the follower received a request since the last ping
	counted time.Time // the ensemble leader counts the session's timeout from this time
}

type event struct {
	at time.Time
	n  int
	do func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at.Before(e[j].at) || e[i].at.Equal(e[j].at) && e[i].n < e[j].n
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

func (e *ensemble) at(t time.Time, do func()) {
	e.count++
	heap.Push(&e.events, event{t, e.count, do})
}

func (e *ensemble) upTo(d time.Duration) time.Duration {
	return time.Duration(e.random.Int64N(int64(d) + 1))
}

func (e *ensemble) delay() time.Duration {
	switch e.random.IntN(20) {
	case 0:
		return e.upTo(2 * e.session)
	case 1, 2:
		return e.upTo(e.session / 2)
	}
	return e.upTo(e.session / 100)
}

func (e *ensemble) send(link *time.Time, arrive func()) {
	t := e.now.Add(e.delay())
	if t.Before(*link) {
		t = *link
	}
	*link = t
	e.at(t, arrive)
}

func (e *ensemble) ping() {
	e.send(&e.down, func() { // at the follower
		touched := e.touched
		e.touched = false
		e.send(&e.up, func() {
			if touched {
				e.counted = e.now
			}
		})
	})
	e.at(e.now.Add(e.tick/2+e.upTo(maxPingDelay(e.session))), e.ping)
}

// request sends a request now. At the commit of a write, committed receives the time from which the
// ensemble leader counts the session's timeout.
func (e *ensemble) request(write bool, answer func(sent time.Time), committed func(counted time.Time)) {
	sent := e.now
	e.at(sent.Add(e.upTo(e.session/50)), func() {
		e.touched = true
		answered := func() { e.at(e.now.Add(e.upTo(e.session/50)), func() { answer(sent) }) }
		if !write {
			answered()
			return
		}
		e.send(&e.up, func() {
			committed(e.counted)
			e.send(&e.down, answered)
		})
	})
}

// leases simulates a candidate that renews its lease and assumes that the tick is assumed(tick). excess is how long,
// at most, a lease outlasts the session's timeout. share is the fraction of time with a lease.
func leases(seed uint64, assumed func(tick time.Duration) time.Duration) (excess time.Duration, share float64) {
	random := rand.New(rand.NewPCG(seed, 7))
	start := time.Unix(1e9, 0)
	e := &ensemble{random: random, now: start, down: start, up: start, counted: start}
	e.session = time.Duration(200+random.IntN(20000)) * time.Millisecond
	e.tick = e.session / time.Duration(2+random.IntN(8))
	every := e.session / time.Duration(5+random.IntN(20))

	l := &lease{tick: assumed(e.tick)}
	l.connected(start.Add(-e.upTo(e.session/20)), e.session)
	var held time.Duration
	last := start
	addHeld := func() {
		if l.end.After(last) {
			held += min(e.now.Sub(last), l.end.Sub(last))
		}
		last = e.now
	}
	var renew, idle func()
	renew = func() {
		var from time.Time
		e.request(true, func(sent time.Time) {
			addHeld()
			l.answered(requestTimes{sent, e.now})
			l.committed(requestTimes{sent, e.now})
			excess = max(excess, l.end.Sub(from.Add(e.session)))
			next := sent.Add(every)
			if next.Before(e.now) {
				next = e.now
			}
			e.at(next, renew)
		}, func(counted time.Time) { from = counted })
	}
	idle = func() {
		e.request(false, func(sent time.Time) { l.answered(requestTimes{sent, e.now}) }, nil)
		e.at(e.now.Add(e.session/3), idle)
	}
	e.at(start, e.ping)
	e.at(start, idle)
	e.at(start.Add(e.upTo(e.session)), renew)
	for end := start.Add(100 * e.session); e.now.Before(end); {
		next := heap.Pop(&e.events).(event)
		e.now = next.at
		next.do()
	}
	addHeld()
	return excess, float64(held) / float64(e.now.Sub(start))
}

func TestLeaseNeverOutlivesTheSession(t *testing.T) {
	t.Parallel()
	seed := zktest.Seed(t)
	const runs = 500
	for _, c := range []struct {
		name    string
		assumed func(time.Duration) time.Duration
	}{
		{"tick unknown", func(time.Duration) time.Duration { return 0 }},
		{"tick known", func(tick time.Duration) time.Duration { return tick }},
	} {
		var share float64
		for i := range uint64(runs) {
			excess, s := leases(seed+i, c.assumed)
			if excess > 0 {
				t.Fatalf("%s: seed %d: the lease ends %v after the session", c.name, seed+i, excess)
			}
			share += s / runs
		}
		if share < 0.1 {
			t.Errorf("%s: there is a lease for %.0f %% of the time, want at least 10 %%", c.name, 100*share)
		}
	}
	for i := range uint64(runs) {
		if excess, _ := leases(seed+i, func(tick time.Duration) time.Duration { return tick / 10 }); excess > 0 {
			return
		}
	}
	t.Error("the client assumes a tenth of the tick, but no lease outlives its session; want one that does")
}

func TestLeaseWithImmediateAnswers(t *testing.T) {
	const session = 10 * time.Second
	start := time.Unix(1e9, 0)
	l := &lease{}
	l.connected(start, session)
	at := func(d time.Duration) requestTimes { return requestTimes{start.Add(d), start.Add(d)} }
	for d := time.Duration(0); d < time.Minute; d += session / 3 {
		l.answered(at(d)) // the pings of a waiting candidate
	}
	elected := time.Minute
	l.committed(at(elected)) // the leader's acknowledgement
	l.committed(at(elected)) // the leader's first renewal
	if left := l.end.Sub(start.Add(elected)); left < session*3/10 {
		t.Errorf("the first lease is %v, want 30 %% of %v or more", left, session)
	}
	for d := elected; d < 2*time.Minute; d += session / 10 {
		l.answered(at(d))
		l.committed(at(d))
		if left := l.end.Sub(start.Add(d)); left < session/5 || d > elected+session && left < session*45/100 {
			t.Errorf("%v after the election the lease is %v, want at least 20 %% of %v; 45 %% if later than %[3]v", d-elected, left, session)
		}
	}
}
