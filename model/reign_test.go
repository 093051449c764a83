package model_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"electop/model"
	"electop/model/internal/modeltest"
)

// TestReignBounds: the age of a znode does not show when its owner became the first.
func TestReignBounds(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for _, c := range []struct {
		name             string
		play             func(s *modeltest.Script)
		earliest, latest time.Duration // from the beginning
	}{
		{"the leader before it left", func(s *modeltest.Script) {
			a := s.Join(1)
			s.After(second)
			s.Join(2)
			s.After(second)
			s.Join(3)
			s.After(45 * second)
			s.Tree.Delete(a)
			s.After(12 * second)
		}, second, 59 * second},
		{"another joined after that", func(s *modeltest.Script) {
			a := s.Join(1)
			s.After(second)
			s.Join(2)
			s.After(45 * second)
			s.Tree.Delete(a)
			s.After(2 * second)
			s.Join(3)
			s.After(10 * second)
		}, second, 58 * second},
		{"one behind it left, which looks the same", func(s *modeltest.Script) {
			s.Tree.Delete(s.Join(1))
			s.After(second)
			s.Join(2)
			a := s.Join(3)
			s.After(45 * second)
			s.Tree.Delete(a)
			s.After(12 * second)
		}, second, 58 * second},
		{"nobody ever left", func(s *modeltest.Script) {
			s.Join(1)
			s.After(45 * second)
			s.Join(2)
			s.After(12 * second)
		}, 0, 0},
		{"it is the last change", func(s *modeltest.Script) {
			s.Tree.Delete(s.Join(1))
			s.After(45 * second)
			s.Join(2)
			s.After(12 * second)
		}, 45 * second, 45 * second},
		{"the servers' clock is ahead", func(s *modeltest.Script) {
			s.Tree.Delete(s.Join(1))
			s.After(time.Hour)
			s.Join(2)
			s.After(-time.Hour + second)
		}, second, second},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modeltest.NewScript(t, model.Config{})
			c.play(s)
			s.Read()
			r, ok := s.J.State().Reign()
			if !ok || r.FromKnown || !r.From.Equal(s.Tree.Now) {
				t.Fatalf("reign %+v, %v", r, ok)
			}
			if e, l := r.Earliest.Sub(modeltest.Start), r.Latest.Sub(modeltest.Start); e != c.earliest || l != c.latest {
				t.Errorf("it began between %s and %s, want %s and %s", e, l, c.earliest, c.latest)
			}
		})
	}
}

// TestReignBoundsHold: whatever happened before the first read, and in a gap, the leader
// became the first within the bounds.
func TestReignBoundsHold(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 24))
		s := modeltest.NewScript(t, model.Config{})
		first, since := "", time.Time{}
		play := func() {
			for range 1 + random.IntN(8) {
				s.After(time.Duration(1+random.IntN(20)) * time.Second)
				if names := s.Tree.Names(); len(names) > 0 && random.IntN(2) == 0 {
					s.Tree.Delete(names[random.IntN(len(names))])
				} else {
					s.Join(1 + random.Uint64N(3))
				}
				if names := s.Tree.Names(); len(names) == 0 {
					first = ""
				} else if names[0] != first {
					first, since = names[0], s.Tree.Now
				}
			}
			s.After(time.Duration(random.IntN(10)) * time.Second)
		}
		check := func(when string) {
			r, ok := s.J.State().Reign()
			if ok != (first != "") || ok && (since.Before(r.Earliest) || since.After(r.Latest) || r.Latest.After(s.Tree.Now)) {
				t.Fatalf("seed %d, %s: %s is the first since %s; %v %+v", seed, when, first, since, ok, r)
			}
		}
		play()
		s.Read()
		check("first read")
		s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Disconnected})
		play()
		s.Apply(&model.Connection{At: s.Tree.Now, Link: model.Connected, Session: 9})
		s.Apply(s.W.Read(true, false, nil))
		check("after a gap")
	}
}
