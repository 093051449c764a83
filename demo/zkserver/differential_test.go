package zkserver_test

import (
	"crypto/sha1"
	"encoding/base64"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

var differentialOps = flag.Int("differential.ops", 4000, "operations of the differential test, about")

// stepsPerTalk is the mean length of a conversation: long enough for state to
// build up, short enough to be shrunk.
const stepsPerTalk = 150

// TestDifferential lets three clients do at random whatever the protocol has,
// with the embedded server and with Apache ZooKeeper, and compares all that
// comes back: replies, errors, Stats and zxids (counted from the beginning of
// the conversation), and where between the replies of a client each watch
// event stands. What may differ is in onPurpose. A difference is reduced to a
// short conversation and printed with the seed; `-rapid.seed` repeats it,
// `-differential.ops` sets the length.
func TestDifferential(t *testing.T) {
	both := bothServers(t)
	seed := rand.Uint64() >> 1
	if f := flag.Lookup("rapid.seed"); f.Value.String() != "0" {
		seed, _ = strconv.ParseUint(f.Value.String(), 0, 64)
	}
	talks := max(1, *differentialOps/stepsPerTalk)
	for name, value := range map[string]any{"seed": seed, "checks": talks, "steps": stepsPerTalk, "nofailfile": true, "shrinktime": "1ns"} {
		f := flag.Lookup("rapid." + name)
		old := f.Value.String()
		f.Value.Set(fmt.Sprint(value))
		t.Cleanup(func() { f.Value.Set(old) })
	}
	ops, told := 0, 0
	// compare has one conversation with both and returns where they part.
	compare := func(steps []step) (difference string) {
		want, ours := both(t, steps)
		ops += len(steps)
		told += strings.Count(want, " event ")
		if want == ours {
			return ""
		}
		return firstDifference(want, ours)
	}
	reported := make(map[string]string) // rapid repeats what failed
	rapid.Check(t, func(rt *rapid.T) {
		var steps []step
		rt.Repeat(map[string]func(*rapid.T){"step": func(rt *rapid.T) { steps = append(steps, anyStep.Draw(rt, "step")) }})
		steps = withoutPurpose(steps)
		key := listed(steps)
		if reported[key] == "" {
			difference := compare(steps)
			if difference == "" {
				return
			}
			first := difference
			steps = reduced(steps, func(fewer []step) bool {
				if d := compare(fewer); d != "" {
					difference = d
					return true
				}
				return false
			})
			reported[key] = fmt.Sprintf("%s\nin this conversation:\n%s\nwhich was at first:\n%s", difference, listed(steps), first)
		}
		rt.Fatalf("seed %d: the embedded server differs from Apache (-):\n%s", seed, reported[key])
	})
	t.Logf("seed %d: %d operations and %d events compared in %d conversations", seed, ops, told, talks)
	if ops < *differentialOps/4 || told == 0 {
		t.Errorf("%d operations and %d events: too little to tell anything", ops, told)
	}
}

// bothServers starts an Apache ZooKeeper, and returns a function that has a conversation
// with it and with an embedded server of its own, and returns the two texts.
func bothServers(t *testing.T) func(t *testing.T, steps []step) (theirs, ours string) {
	// Apache must not reap on its own: when it does depends on the clock.
	apache := zktest.NewApache(t, zktest.WithProperty("znode.container.checkIntervalMs", "86400000"),
		zktest.WithProperty("zookeeper.DigestAuthenticationProvider.superDigest", digestID(superAuth))).Addr
	return func(t *testing.T, steps []step) (theirs, ours string) {
		var l testingT
		defer l.end()
		s, addr := zkserver.Start(&l, zkserver.Options{})
		text := make(chan string)
		go func() { text <- talkWith(t, dialTo(apache), steps) }()
		ours = talkWith(t, dialTo(addr), steps)
		if s.Counters().Panics > 0 {
			ours += "panics"
		}
		return <-text, ours
	}
}

// firstDifference shows where two texts part, and what led up to it.
func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	i := 0
	for i < len(as) && i < len(bs) && as[i] == bs[i] {
		i++
	}
	var out strings.Builder
	for _, line := range as[max(0, i-8):i] {
		fmt.Fprintf(&out, "  %s\n", line)
	}
	for _, line := range as[i:min(len(as), i+4)] {
		fmt.Fprintf(&out, "- %s\n", line)
	}
	for _, line := range bs[i:min(len(bs), i+4)] {
		fmt.Fprintf(&out, "+ %s\n", line)
	}
	return out.String()
}

func listed(steps []step) string {
	var list strings.Builder
	for i, st := range steps {
		fmt.Fprintf(&list, "%4d %v\n", i, st)
	}
	return list.String()
}

// reduced takes away from a conversation that fails whatever it fails without.
// It knows what a step is, which makes it much faster than rapid, to which
// a conversation is thousands of random bits.
func reduced(steps []step, fails func([]step) bool) []step {
	deadline := time.Now().Add(time.Minute)
	for size := len(steps) / 2; size > 0; {
		smaller := false
		for from := 0; from < len(steps) && time.Now().Before(deadline); {
			fewer := withoutPurpose(slices.Concat(steps[:from], steps[min(len(steps), from+size):]))
			if fails(fewer) {
				steps, smaller = fewer, true
			} else {
				from += size
			}
		}
		if size > 1 || !smaller {
			size /= 2
		}
	}
	for i := range steps {
		r, ok := steps[i].req.(*wire.MultiRequest)
		for j := 0; ok && j < len(r.Ops) && time.Now().Before(deadline); {
			fewer := &wire.MultiRequest{Ops: slices.Concat(r.Ops[:j], r.Ops[j+1:])}
			with := slices.Clone(steps)
			with[i].req = fewer
			if fails(with) {
				steps, r = with, fewer
			} else {
				j++
			}
		}
	}
	return steps
}

// superAuth is who cleans up after a conversation, whatever the ACLs are.
const superAuth = "super:cleaner"

func digestID(auth string) string {
	sum := sha1.Sum([]byte(auth))
	user, _, _ := strings.Cut(auth, ":")
	return user + ":" + base64.StdEncoding.EncodeToString(sum[:])
}
