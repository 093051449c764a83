package session_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"electop/demo/zkserver/session"
)

const tick = 100 * time.Millisecond

// TestExpiry lets sessions live at random, and compares with a model that looks
// at every session at every millisecond: each expires within a tick of its
// deadline, a pause not counted, and at a tick if there was none.
func TestExpiry(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed) // shown on failure
	rng := rand.New(rand.NewPCG(seed, 0))
	type client struct {
		silent time.Duration // without pauses
		paused bool
		moved  bool // by a pause: after it a deadline that had passed is not at a tick
	}
	table := session.New[client](tick, time.Now())
	live := make(map[int64]*session.Session[client])
	pick := func() *session.Session[client] {
		for _, s := range live {
			return s
		}
		return nil
	}
	expired, full := 0, 0
	next, armed := time.Duration(0), false
	arm := func() { next, armed = table.Next() }
	for now := time.Duration(0); now < 2*time.Minute; now += time.Millisecond {
		for _, s := range live {
			if !s.Client.paused {
				s.Client.silent += time.Millisecond
			}
		}
		if armed && next <= now {
			due := table.Due(now, 2)
			for _, s := range due {
				if late := s.Client.silent - s.Timeout; late < 0 || late >= tick || s.Client.paused || now%tick != 0 && !s.Client.moved {
					t.Fatalf("at %v: expired %v after its deadline, paused %t", now, late, s.Client.paused)
				}
				table.End(s)
				delete(live, s.ID)
				expired++
			}
			arm()
			if len(due) == 2 && (!armed || next > now) {
				t.Fatalf("at %v: there may be more that are due, and the next time is %v", now, next)
			}
			if len(due) == 2 {
				full++
				due = table.Due(now, 1000) // the others
				for _, s := range due {
					table.End(s)
					delete(live, s.ID)
				}
				arm()
			}
		}
		for _, s := range live {
			if s.Client.silent >= s.Timeout+tick {
				t.Fatalf("at %v: %v after its deadline it lives", now, s.Client.silent-s.Timeout)
			}
			if at := table.Expiry(s, now); !s.Client.moved && at < now || at%tick != 0 {
				t.Fatalf("at %v: expiry at %v", now, at)
			}
		}
		if rng.IntN(5) > 0 {
			continue
		}
		changed := false
		switch s := pick(); {
		case s == nil || rng.IntN(20) == 0:
			s = table.Open()
			s.Timeout = time.Duration(1+rng.IntN(2000)) * time.Millisecond
			live[s.ID] = s
			changed = table.Touch(s, now)
		case rng.IntN(4) == 0:
			s.Client.moved = true
			if s.Client.paused = !s.Client.paused; s.Client.paused {
				table.Pause(s, now)
			} else {
				changed = table.Resume(s, now)
			}
		case rng.IntN(50) == 0:
			table.End(s)
			delete(live, s.ID)
			changed = true
		case rng.IntN(3) == 0:
			if rng.IntN(4) == 0 {
				s.Timeout = time.Duration(1+rng.IntN(2000)) * time.Millisecond
			}
			s.Client.silent, s.Client.moved = 0, s.Client.paused
			changed = table.Touch(s, now)
		}
		if changed {
			arm()
		}
	}
	if table.Len() != len(live) || expired < 20 || full == 0 {
		t.Errorf("%d sessions of %d, %d expired, %d times two and more", table.Len(), len(live), expired, full)
	}
}
