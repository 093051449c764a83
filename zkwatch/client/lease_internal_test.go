package client

import (
	"container/heap"
	"electop/demo/zktest"
	"math/rand/v2"
	"testing"
	"time"
)

// ensemble is a follower, its ensemble leader and one client, in time that a
// test counts. The links between the servers keep the order of what passes, and
// delay it for as long as they like. The follower answers pings by itself.
type ensemble struct {
	random        *rand.Rand
	session, tick time.Duration

	now     time.Time
	events  events
	count   int
	down    time.Time // when what the ensemble leader sent last arrives
	up      time.Time // when what the follower sent last arrives
	touched bool      // the follower heard of the client since it told of it
	heard   time.Time // when the ensemble leader counted the session's timeout from
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

// delay is how long a link takes: little mostly, and now and then longer than
// any session.
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

// ping is the ensemble leader's, and so are all that follow.
func (e *ensemble) ping() {
	e.send(&e.down, func() { // the follower has it
		touched := e.touched
		e.touched = false
		e.send(&e.up, func() {
			if touched {
				e.heard = e.now
			}
		})
	})
	e.at(e.now.Add(e.tick/2+e.upTo(maxPingDelay(e.session))), e.ping)
}

// request is one of the client's. A write is committed by the ensemble leader:
// proved is called with what the session is sure of by then.
func (e *ensemble) request(write bool, answer func(sent time.Time), proved func(heard time.Time)) {
	sent := e.now
	e.at(sent.Add(e.upTo(e.session/50)), func() { // the follower has it
		e.touched = true
		answered := func() { e.at(e.now.Add(e.upTo(e.session/50)), func() { answer(sent) }) }
		if !write {
			answered()
			return
		}
		e.send(&e.up, func() {
			proved(e.heard)
			e.send(&e.down, answered)
		})
	})
}

// leases runs a client that renews its lease against an ensemble, and returns
// by how much what its lease claims exceeds what the ensemble is sure to do, and
// for how much of the time it had a lease.
func leases(seed uint64, known func(tick time.Duration) time.Duration) (excess time.Duration, share float64) {
	random := rand.New(rand.NewPCG(seed, 7))
	start := time.Unix(1e9, 0)
	e := &ensemble{random: random, now: start, down: start, up: start, heard: start}
	e.session = time.Duration(200+random.IntN(20000)) * time.Millisecond
	e.tick = e.session / time.Duration(2+random.IntN(8))
	every := e.session / time.Duration(5+random.IntN(20))

	l := &lease{tick: known(e.tick)}
	l.connected(start.Add(-e.upTo(e.session/20)), e.session)
	var held time.Duration
	last := start
	account := func() {
		if l.end.After(last) {
			held += min(e.now.Sub(last), l.end.Sub(last))
		}
		last = e.now
	}
	var renew, idle func()
	renew = func() {
		var sure time.Time
		e.request(true, func(sent time.Time) {
			account()
			l.answered(exchange{sent, e.now})
			l.committed(exchange{sent, e.now})
			excess = max(excess, l.end.Sub(sure.Add(e.session)))
			next := sent.Add(every)
			if next.Before(e.now) {
				next = e.now
			}
			e.at(next, renew)
		}, func(heard time.Time) { sure = heard })
	}
	idle = func() {
		e.request(false, func(sent time.Time) { l.answered(exchange{sent, e.now}) }, nil)
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
	account()
	return excess, float64(held) / float64(e.now.Sub(start))
}

// TestLeaseIsNeverLongerThanTheSession: whatever the links between the servers
// do, no lease reaches beyond what the ensemble leader has counted.
func TestLeaseIsNeverLongerThanTheSession(t *testing.T) {
	t.Parallel()
	seed := zktest.Seed(t)
	const runs = 500
	for _, c := range []struct {
		name  string
		known func(time.Duration) time.Duration
	}{
		{"tick not known", func(time.Duration) time.Duration { return 0 }},
		{"tick known", func(tick time.Duration) time.Duration { return tick }},
	} {
		var share float64
		for i := range uint64(runs) {
			excess, s := leases(seed+i, c.known)
			if excess > 0 {
				t.Fatalf("%s: seed %d: the lease ends %v after the session", c.name, seed+i, excess)
			}
			share += s / runs
		}
		if share < 0.1 { // some 20 % over many runs
			t.Errorf("%s: a lease holds for %.0f %% of the time: the test shows little", c.name, 100*share)
		}
	}
	// The test can fail: with a gap that is too short, it does.
	for i := range uint64(runs) {
		if excess, _ := leases(seed+i, func(tick time.Duration) time.Duration { return tick / 10 }); excess > 0 {
			return
		}
	}
	t.Error("a gap of a tenth does no harm in this test: it shows nothing")
}

// TestLeaseOfAQuietEnsemble is how long a lease is where nothing is slow: what
// the figures of a leader rest on.
func TestLeaseOfAQuietEnsemble(t *testing.T) {
	const session = 10 * time.Second
	start := time.Unix(1e9, 0)
	l := &lease{}
	l.connected(start, session)
	at := func(d time.Duration) exchange { return exchange{start.Add(d), start.Add(d)} }
	for d := time.Duration(0); d < time.Minute; d += session / 3 {
		l.answered(at(d)) // a waiting candidate's pings
	}
	elected := time.Minute
	l.committed(at(elected)) // its acknowledgement
	l.committed(at(elected)) // its first renewal
	if left := l.end.Sub(start.Add(elected)); left < session*3/10 {
		t.Errorf("the first lease is %v of %v", left, session)
	}
	for d := elected; d < 2*time.Minute; d += session / 10 {
		l.answered(at(d))
		l.committed(at(d))
		if left := l.end.Sub(start.Add(d)); left < session/5 || d > elected+session && left < session*45/100 {
			t.Errorf("%v after the election the lease is %v of %v", d-elected, left, session)
		}
	}
}
