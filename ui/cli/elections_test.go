package cli_test

import (
	"strings"
	"testing"

	"electop/demo/zktest"
)

// TestWallInATerminal watches two elections at once, looks for a third and
// opens it.
func TestWallInATerminal(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		c := rawClient(t, addr)
		root := unique("wall")
		create(t, c, root, "", 0)
		for _, name := range []string{"one", "two", "three"} {
			create(t, c, root+"/"+name, "", 0)
			create(t, c, root+"/"+name+"/n_", "who-"+name, contender)
		}
		x := openTerminal(t, 140, 40, "/one", "/two", "-s", addr+root, "--admin", "4lw")
		x.sees("/one", "who-one", "leads")
		x.press(")")
		x.sees("/two", "who-two", "leads")
		x.press("(")
		x.sees("who-one")
		x.press("e")
		x.sees("/three")
		x.press("G\r")
		x.sees("who-three", "leads")
		x.press("vS")
		x.sees("standalone", "only when v asks")
		x.press("\x03")
		x.leaves(0)
	})
}

func TestObserveOnlyHasNoKeysThatAct(t *testing.T) {
	t.Parallel()
	addr := zktest.Apache(t).Addr
	path := unique("observe")
	create(t, rawClient(t, addr), path, "", 0)
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
	x.press("\x03")
	x.leaves(0)
}

// The demo verifies its own watches, also after a handoff, and finds its own
// election.
func TestDemoVerifies(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, 120, 36, "demo", "--cast", "3", "--session-timeout", "1s")
	x.sees("↑ 0 ✓", "↑ 1 ✓")
	x.press("s")
	x.sees("↑ 2 ✓")
	x.press("gd")
	x.sees("resigned", "↑ 1 ✓", "↑ 2 ✓")
	x.press("e")
	x.sees("1 watched, 1 found")
	x.press("\x03")
	x.leaves(0)
}
