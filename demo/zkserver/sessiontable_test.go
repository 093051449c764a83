package zkserver

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestSessionTable lets sessions live at random, and compares with a model that looks
// at every session at every millisecond: each expires within a tick of its
// deadline, a pause not counted, and at a tick if there was none.
func TestSessionTable(t *testing.T) {
	const tick = 100 * time.Millisecond
	seed := rand.Uint64()
	t.Logf("seed %d", seed) // shown on failure
	rng := rand.New(rand.NewPCG(seed, 0))
	type client struct {
		silent time.Duration // without pauses
		moved  bool          // by a pause: after it a deadline that had passed is not at a tick
	}
	table := newSessionTable(tick, time.Now())
	live := make(map[*session]*client)
	pick := func() *session {
		for s := range live {
			return s
		}
		return nil
	}
	expired, full := 0, 0
	next := never
	end := func(s *session) {
		delete(table.byID, s.id)
		delete(live, s)
	}
	for now := time.Duration(0); now < 2*time.Minute; now += time.Millisecond {
		for s, c := range live {
			if s.held == 0 {
				c.silent += time.Millisecond
			}
		}
		if next <= now {
			due := table.due(now, 2)
			for _, s := range due {
				if late := live[s].silent - s.timeout; late < 0 || late >= tick || s.held > 0 || now%tick != 0 && !live[s].moved {
					t.Fatalf("at %v: expired %v after its deadline, paused %t", now, late, s.held > 0)
				}
				end(s)
				expired++
			}
			next = table.check
			if len(due) == 2 && next > now {
				t.Fatalf("at %v: there may be more that are due, and the next time is %v", now, next)
			}
			if len(due) == 2 {
				full++
				due = table.due(now, 1000) // the others
				for _, s := range due {
					end(s)
				}
				next = table.check
			}
		}
		for s, c := range live {
			if c.silent >= s.timeout+tick {
				t.Fatalf("at %v: %v after its deadline it lives", now, c.silent-s.timeout)
			}
			if at := table.expiry(s, now); !c.moved && at < now || at%tick != 0 {
				t.Fatalf("at %v: expiry at %v", now, at)
			}
		}
		if rng.IntN(5) > 0 {
			continue
		}
		changed := false
		switch s := pick(); {
		case s == nil || rng.IntN(20) == 0:
			s = table.open()
			s.timeout = time.Duration(1+rng.IntN(2000)) * time.Millisecond
			live[s] = &client{}
			changed = table.touch(s, now)
		case rng.IntN(4) == 0:
			live[s].moved = true
			if s.held == 0 {
				s.hold(now)
			} else {
				changed = table.release(s, now)
			}
		case rng.IntN(50) == 0:
			end(s)
			changed = true
		case rng.IntN(3) == 0:
			if rng.IntN(4) == 0 {
				s.timeout = time.Duration(1+rng.IntN(2000)) * time.Millisecond
			}
			live[s].silent, live[s].moved = 0, s.held > 0
			changed = table.touch(s, now)
		}
		if changed {
			next = table.check
		}
	}
	if len(table.byID) != len(live) || expired < 20 || full == 0 {
		t.Errorf("%d sessions of %d, %d expired, %d times two and more", len(table.byID), len(live), expired, full)
	}
}
