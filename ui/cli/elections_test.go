package cli_test

import (
	"strings"
	"testing"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

// TestWallInATerminal watches two elections at once, looks for a third and
// opens it.
func TestWallInATerminal(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		c := zktest.Client(t, addr)
		root := unique("wall")
		create(t, c, root, "", 0)
		for _, name := range []string{"one", "two", "three"} {
			create(t, c, root+"/"+name, "", 0)
			create(t, c, root+"/"+name+"/n_", "who-"+name, contender)
		}
		x := openTerminal(t, 140, 40, "/one", "/two", "-s", addr+root, "--admin", "4lw")
		x.sees("/one", "who-one", "leads")
		x.press("ej\r")
		x.sees("/two", "who-two", "leads")
		x.press("ek\r")
		x.sees("who-one")
		x.press("e")
		x.sees("/three")
		x.press("G\r")
		x.sees("(3/3)", "Candidate who-three") // the list has it too
		x.press("vS")
		x.sees("standalone", "sessions every 2 s")
		x.quits("\x03")
	})
}

func TestObserveOnlyHasNoKeysThatAct(t *testing.T) {
	t.Parallel()
	addr := zktest.Apache(t).Addr
	path := unique("observe")
	create(t, zktest.Client(t, addr), path, "", 0)
	x := openTerminal(t, 120, 36, path, "-s", addr, "--observe-only")
	x.sees(path, "connected", "quit")
	if s := x.text(); strings.Contains(s, "spawn") || strings.Contains(s, "campaign") {
		t.Errorf("it offers to act:\n%s", s)
	}
	x.press("?")
	x.sees("ask the servers now")
	if s := x.text(); strings.Contains(s, "this program stands for election") {
		t.Errorf("the help has keys that act:\n%s", s)
	}
	x.quits("\x03")
}

// The demo verifies its own watches, also after a handoff, and finds its own
// election.
func TestDemoVerifies(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, 120, 36, "demo", "--cast", "3")
	x.sees("↑ 0 ✓", "↑ 1 ✓")
	x.press("s")
	x.sees("↑ 2 ✓")
	x.press("gd")
	x.sees("resigned", "↑ 1 ✓", "↑ 2 ✓")
	x.press("e")
	x.sees("1 watched, 1 found")
	x.quits("\x03")
}

// TestDashboardWithoutPath begins with the elections of the cluster: with their list, with
// the only one, or with the reason why there is none.
func TestDashboardWithoutPath(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := zktest.Client(t, addr)
	for _, path := range []string{"/none", "/one", "/one/locks", "/two", "/two/east", "/two/west", "/acting", "/odd", "/odd/group", "/odd/jobs", "/odd/more", "/one/servers"} {
		create(t, c, path, "", 0)
	}
	for _, path := range []string{"/one/locks", "/two/east", "/two/west"} {
		create(t, c, path+"/n_", "who-"+path[5:], contender)
	}
	create(t, c, "/odd/group/member_", "who-group", contender)
	create(t, c, "/one/servers/member_", "who-server", contender)
	for range 2 {
		create(t, c, "/odd/jobs/job-", "who-job", contender)
		create(t, c, "/odd/more/job-", "who-more", contender)
	}
	// Nobody said that these are elections: with the same names at a PATH of the
	// command line, the first would be said to lead.
	t.Run("of an unknown kind", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", addr+"/odd")
		x.sees("1 watched, 2 found", "/jobs", "/more", "unknown")
		x.press("G\r")
		x.sees("who-more", "unknown kind", "unknown whether this is an election")
		x.quits("\x03")
	})
	t.Run("several", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", addr+"/two")
		x.sees("1 watched, 2 found", "/east", "/west", "who-west")
		x.press("G\r")
		x.sees("who-west", "leads")
		x.quits("\x03")
	})
	t.Run("one, and a list of members", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", addr+"/one")
		x.sees("/locks", "who-locks", "leads")
		if s := x.text(); strings.Contains(s, "Elections") {
			t.Errorf("it shows a list of one election:\n%s", s)
		}
		x.quits("\x03")
	})
	t.Run("of a path above the elections", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", addr, "/two")
		x.sees("No election seen here", "2 children are no candidates")
		if s := x.text(); strings.Contains(s, "volunteer") && strings.Contains(s, "leads at once") {
			t.Errorf("it speaks of the next volunteer:\n%s", s)
		}
		x.quits("\x03")
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", addr+"/none")
		x.sees("no election found on "+addr+"/none", "give the PATH")
		x.leaves(1)
	})
	t.Run("unreachable", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", "127.0.0.1:1", "--connect-timeout", "300ms")
		x.sees("no server of 127.0.0.1:1 reached")
		x.leaves(3)
	})
	t.Run("acting", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", addr+"/acting", "--cast", "1", "--create")
		x.sees("/election", "leads")
		x.quits("\x03")
	})
}
