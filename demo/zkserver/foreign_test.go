package zkserver_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

// These tests let other people's clients hold an election on the embedded
// server.

const (
	foreignPath = "/election"
	// foreignTimeout is that of the sessions: longer than a virtual machine that
	// starts on a busy one leaves its connection alone.
	foreignTimeout = 3 * time.Second
)

// foreigners start a candidate in a process of its own and return when it
// stands. It says "leads NAME" when it does, and resigns when its input ends.
var foreigners = map[string]func(t *testing.T, addr, name string) *zktest.Program{
	"kazoo": func(t *testing.T, addr, name string) *zktest.Program {
		p := zktest.Kazoo(t, addr, foreignTimeout)
		p.Stand(t, "election", foreignPath, name)
		return p.Program
	},
	"curator-latch":    curator("latch"),
	"curator-selector": curator("selector"),
	"c": func(t *testing.T, addr, name string) *zktest.Program {
		p := zktest.Run(t, zktest.CCandidate(t), addr, foreignPath, name, strconv.FormatInt(foreignTimeout.Milliseconds(), 10))
		p.Line(t, "standing")
		return p
	},
}

func curator(recipe string) func(*testing.T, string, string) *zktest.Program {
	return func(t *testing.T, addr, name string) *zktest.Program {
		p := zktest.Curator(t, addr, foreignTimeout)
		p.Stand(t, recipe, foreignPath, name)
		return p.Program
	}
}

// TestForeignElections lets each client elect among two processes, kills the
// one that leads, and waits for the other.
func TestForeignElections(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the clients come from Debian packages")
	}
	for name, start := range foreigners {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, addr := zkserver.Start(t, zkserver.Options{})
			look := observer(t, addr)
			look.create(foreignPath, 0)
			amber := start(t, addr, "amber")
			amber.Await(t, "leads amber")
			head := queue(t, look, 1)[0]
			birch := start(t, addr, "birch")
			queue(t, look, 2)
			// It stands in line when it watches the one before.
			zktest.Await(t, "birch watches "+head, func() bool { return strings.Contains(word(t, addr, "wchp"), head+"\n") })
			if said := birch.Output(); strings.Contains(said, "leads") {
				t.Errorf("birch leads besides amber:\n%s", said)
			}
			amber.Kill()
			birch.Await(t, "leads birch")
			if exists(look, head) {
				t.Errorf("birch leads while %s is there", head)
			}
			if n := s.Counters().Expired; n != 1 {
				t.Errorf("%d sessions expired before the handoff, want amber's", n)
			}
			if left := queue(t, look, 1); left[0] == head {
				t.Errorf("left over: %q", left)
			}
			birch.Finish(t)
			queue(t, look, 0)
			if n := s.Counters().Expired; n != 1 {
				t.Errorf("birch resigned but its session expired")
			}
			inOrder(t, s)
		})
	}
}

// observer opens a session that outlives any virtual machine's start.
func observer(t *testing.T, addr string) *rawClient {
	t.Helper()
	return connectRaw(t, dialTCP(t, addr), wire.ConnectRequest{Timeout: 60_000})
}

// queue waits until there are n candidates and returns their paths.
func queue(t *testing.T, c *rawClient, n int) []string {
	t.Helper()
	var rsp wire.StringsResponse
	zktest.Await(t, "candidates in the queue", func() bool {
		c.must(wire.OpGetChildren, &wire.PathWatchRequest{Path: foreignPath}, &rsp)
		return len(rsp.Strings) == n
	})
	for i, name := range rsp.Strings {
		rsp.Strings[i] = foreignPath + "/" + name
	}
	return rsp.Strings
}

// inOrder fails if the server had to survive a bug or drop a client.
func inOrder(t *testing.T, s *zkserver.Server) {
	t.Helper()
	if k := s.Counters(); k.Panics+k.CutOff+k.Rejected != 0 {
		t.Errorf("panics %d, cut off %d, rejected %d", k.Panics, k.CutOff, k.Rejected)
	}
}
