package zktest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"electop/demo/zktest"
)

// memberPorts returns the quorum and election ports. Members say them only while they
// serve, which a busy machine may end at any moment.
func memberPorts(t *testing.T, e *zktest.Ensemble) map[int64]bool {
	t.Helper()
	ports := make(map[int64]bool)
	zktest.Await(t, fmt.Sprintf("ports of %d members", len(e.Members)), func() bool {
		for _, s := range e.Members {
			for line := range strings.Lines(s.Ask(t, "conf")) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				if key == "quorumPort" || key == "electionPort" {
					p, err := strconv.ParseInt(value, 10, 32)
					if err != nil {
						t.Fatal(err)
					}
					ports[p] = true
				}
			}
		}
		return len(ports) == 2*len(e.Members)
	})
	return ports
}

// betweenMembers returns how many connections are established to the members' ports, and
// those of them that are not this process's, by inode: the links are. One that is made
// while this looks can be among them. Only Linux tells.
func betweenMembers(t *testing.T, ports map[int64]bool) (n int, past map[string]string) {
	t.Helper()
	past = make(map[string]string)
	ours := make(map[string]bool)
	fds, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		name, _ := os.Readlink(fd) // one that is closed by now is not ours any more
		ours[name] = true
	}
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		b, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(line)
			const established = "01"
			if len(f) < 10 || f[3] != established {
				continue
			}
			_, hex, _ := strings.Cut(f[2], ":")
			if p, _ := strconv.ParseInt(hex, 16, 32); !ports[p] {
				continue
			}
			n++
			if !ours["socket:["+f[9]+"]"] {
				past[f[9]] = line
			}
		}
	}
	return n, past
}

// TestMembersReachEachOtherOverLinks: a member whose links are held stops
// serving, whichever it is, and serves again when they are healed.
func TestMembersReachEachOtherOverLinks(t *testing.T) {
	t.Parallel()
	const tick, syncLimit = 100 * time.Millisecond, 5
	e := zktest.NewEnsemble(t, 3, zktest.WithLinks(), zktest.WithTick(tick), zktest.WithLimits(20, syncLimit))
	ports := memberPorts(t, e)
	check := func() {
		t.Helper()
		if runtime.GOOS != "linux" {
			return
		}
		// Two followers, and an election connection for each pair.
		var n int
		zktest.Await(t, "five connections", func() bool {
			var past map[string]string
			if n, past = betweenMembers(t, ports); len(past) > 0 {
				_, still := betweenMembers(t, ports)
				for inode, line := range past {
					if still[inode] != "" {
						t.Fatalf("past the links: %s", line)
					}
				}
			}
			return n >= 5
		})
	}
	check()
	// isolate returns how long a member with that role still served.
	isolate := func(role string) time.Duration {
		member := e.Leader(t)
		for _, s := range e.Members {
			if role == "follower" && s != e.Leader(t) {
				member = s
			}
		}
		start := time.Now()
		e.Isolate(t, member)
		zktest.Await(t, fmt.Sprint("the isolated ", role, " stops serving"), func() bool { return !member.Serving() })
		took := time.Since(start)
		t.Logf("%s %s: out of quorum after %v", role, member.Addr, took)
		others := 0
		for _, s := range e.Members {
			if s != member {
				zktest.Await(t, "the others serve", func() bool { return s.Serving() })
				others++
			}
		}
		if member.Serving() {
			t.Errorf("the %s serves while it is isolated and %d others serve", role, others)
		}
		e.Heal(t)
		zktest.Await(t, fmt.Sprint("the ", role, " serves again"), func() bool { return member.Serving() })
		check()
		return took
	}
	for _, role := range []string{"follower", "leader", "follower"} {
		// A member that a busy machine stops for as long leaves the quorum too, and
		// may do so at any moment.
		for attempts := 5; ; attempts-- {
			took := isolate(role)
			if took >= (syncLimit-2)*tick {
				break
			}
			if attempts == 1 {
				t.Fatalf("the %s stopped serving after %v, syncLimit is %v", role, took, syncLimit*tick)
			}
		}
	}
}
