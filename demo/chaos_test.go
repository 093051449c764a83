package demo_test

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/demo"
)

func acts(c demo.Chaos, d time.Duration) (out []demo.Act) {
	for a := range c.Acts() {
		if a.At > d {
			break
		}
		out = append(out, a)
	}
	return out
}

func TestChaosActsOfASeed(t *testing.T) {
	c := demo.Chaos{Seed: 42, Rate: 2, Cast: 5}
	var got []string
	for _, a := range acts(c, 6*time.Second) {
		got = append(got, a.String())
	}
	want := []string{
		"0.822s spawn fjord", "0.994s partition birch", "1.627s spawn grove", "2.158s partition cedar",
		"2.659s resign ember", "3.250s spawn heath", "3.300s resign fjord", "3.909s partition amber",
		"4.539s freeze delta", "4.654s spawn inlet", "5.448s heal cedar", "5.944s spawn jetty",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the first acts of %v: got\n%q, want\n%q", c, got, want)
	}
}

func TestChaosWithoutARateDoesNothing(t *testing.T) {
	for _, rate := range []float64{0, -1} {
		for a := range (demo.Chaos{Seed: 1, Rate: rate, Cast: 5}).Acts() {
			t.Fatalf("rate %v: got act %v, want none", rate, a)
		}
	}
}

func TestChaosKeepsItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := demo.Chaos{Seed: rapid.Uint64().Draw(t, "seed"), Rate: 2, Cast: rapid.IntRange(0, 12).Draw(t, "cast")}
		faults := make(map[string]demo.ActKind) // fault of each member; "": none
		for _, name := range castNames(c.Cast) {
			faults[name] = ""
		}
		healthy := func() (n int) {
			for _, a := range faults {
				if a == "" {
					n++
				}
			}
			return n
		}
		last, enough, since := time.Duration(0), healthy() >= 2, make(map[string]time.Duration)
		kinds := make(map[demo.ActKind]int)
		n := 0
		for a := range c.Acts() {
			if n++; n > 2000 {
				break
			}
			kinds[a.Kind]++
			if a.At <= last {
				t.Fatalf("got act %v, want it after the previous act at %v", a, last)
			}
			last = a.At
			was, exists := faults[a.Member]
			if a.Kind == demo.ActResign && a.At-since[a.Member] < time.Second {
				t.Fatalf("%v: the member joined or was repaired at %v, less than a second before", a, since[a.Member])
			}
			if a.Kind == demo.ActSpawn || a.Kind == demo.ActThaw || a.Kind == demo.ActHeal {
				since[a.Member] = a.At
			}
			if exists == (a.Kind == demo.ActSpawn) {
				t.Fatalf("%v: got a member that exists: %t, want %t", a, exists, !exists)
			}
			switch a.Kind {
			case demo.ActSpawn:
				faults[a.Member] = ""
			case demo.ActKill:
				delete(faults, a.Member)
			case demo.ActFreeze, demo.ActPartition, demo.ActResign:
				if was != "" {
					t.Fatalf("%v: the member already has the fault %s", a, was)
				}
				faults[a.Member] = a.Kind
				if a.Kind == demo.ActResign {
					delete(faults, a.Member)
				}
			case demo.ActThaw, demo.ActHeal:
				want := map[demo.ActKind]demo.ActKind{demo.ActThaw: demo.ActFreeze, demo.ActHeal: demo.ActPartition}[a.Kind]
				if was != want {
					t.Fatalf("%v: the member has the fault %q, want %q", a, was, want)
				}
				faults[a.Member] = ""
			default:
				t.Fatalf("%v: unknown kind of act", a)
			}
			enough = enough || healthy() >= 2
			if len(faults) > 12 || enough && healthy() < 2 {
				t.Fatalf("after %v there are %d members, %d of them healthy; want at most 12, and at least 2 healthy", a, len(faults), healthy())
			}
		}
		for kind, least := range map[demo.ActKind]int{
			demo.ActSpawn: 300, demo.ActKill: 150, demo.ActResign: 50, demo.ActFreeze: 150, demo.ActThaw: 100, demo.ActPartition: 100, demo.ActHeal: 80,
		} {
			if kinds[kind] < least {
				t.Errorf("of 2,000 acts %d are %s, want at least %d; number of each kind: %v", kinds[kind], kind, least, kinds)
			}
		}
		if mean := last / 2000; mean < 450*time.Millisecond || mean > 550*time.Millisecond {
			t.Errorf("mean time between acts at 2/s: got %v, want 450ms to 550ms", mean)
		}
	})
}

func castNames(n int) (out []string) {
	for a := range (demo.Chaos{Rate: 1}).Acts() {
		if len(out) == n {
			break
		}
		if a.Kind == demo.ActSpawn {
			out = append(out, a.Member)
		}
	}
	return out
}

func TestChaosFreezeDurations(t *testing.T) {
	since := make(map[string]time.Duration)
	short, long := 0, 0
	for _, a := range acts(demo.Chaos{Seed: 7, Rate: 2, Cast: 5}, time.Hour) {
		switch a.Kind {
		case demo.ActFreeze:
			since[a.Member] = a.At
		case demo.ActThaw:
			if d := a.At - since[a.Member]; d < timeout {
				short++
			} else if d > timeout+time.Second {
				long++
			}
		}
	}
	if short < 100 || long < 50 {
		t.Errorf("got %d freezes shorter than the session timeout and %d more than a second longer, want 100 and 50 at least", short, long)
	}
}

func TestChaosRun(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 5)
		_, err := s.cast.Spawn() // chaos does not plan this member
		must(t, err)
		c := demo.Chaos{Seed: 3, Rate: 2, Cast: 5}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var reported []demo.Act
		began := time.Now()
		err = c.Run(ctx, s.cast, func(a demo.Act) {
			if late := time.Since(began) - a.At; late != 0 {
				t.Errorf("%v was applied %v late", a, late)
			}
			reported = append(reported, a)
		})
		must(t, err)
		planned := acts(c, time.Minute)
		atEnd := reported[len(planned):]
		names := make(map[string]string)
		for i, p := range planned {
			a := reported[i]
			if p.Kind == demo.ActSpawn {
				names[p.Member] = a.Member
			}
			if a.At != p.At || a.Kind != p.Kind {
				t.Fatalf("act %d: got %v, planned %v", i, a, p)
			}
			if want := cmp.Or(names[p.Member], p.Member); a.Member != want {
				t.Errorf("planned act %v: got member %s, want %s", p, a.Member, want)
			}
		}
		if len(names) == 0 {
			t.Error("no member was spawned")
		}
		repairs := make(map[string]demo.ActKind)
		for _, a := range reported[:len(planned)] {
			switch a.Kind {
			case demo.ActFreeze:
				repairs[a.Member] = demo.ActThaw
			case demo.ActPartition:
				repairs[a.Member] = demo.ActHeal
			default:
				delete(repairs, a.Member)
			}
		}
		for _, a := range atEnd {
			if repairs[a.Member] != a.Kind {
				t.Errorf("act %v at the end repairs no fault", a)
			}
			delete(repairs, a.Member)
		}
		if len(repairs) > 0 {
			t.Errorf("missing repairs at the end: %v", repairs)
		}
	})
}
