package cli_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/demo/zktest"
)

// campaignJSON is a line of `electop campaign --json`.
type campaignJSON struct {
	Belief  string
	Znode   *string
	Watches *string
}

// believes waits until a campaign has said so, and returns its znode.
func believes(t *testing.T, c *command, belief string) (znode string) {
	t.Helper()
	c.out.await(t, belief, func(s string) bool {
		for line := range strings.Lines(s) {
			var l campaignJSON
			if json.Unmarshal([]byte(line), &l) == nil && l.Belief == belief && l.Znode != nil {
				znode = *l.Znode
				return true
			}
		}
		return false
	})
	return znode
}

// TestForeignElectionsGoOn has a candidate of ours stand among those of other
// libraries: behind one of theirs, then leading with one of theirs behind it.
func TestForeignElectionsGoOn(t *testing.T) {
	t.Parallel()
	server := zktest.Apache(t)
	for name, library := range map[string]struct {
		start   func(testing.TB, string, time.Duration) *zktest.Foreign
		recipes []string
	}{
		"kazoo":   {zktest.Kazoo, []string{"election", "lock"}},
		"Curator": {zktest.Curator, []string{"latch", "selector", "mutex"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			theirs := library.start(t, server.Addr, 20*time.Second)
			for _, recipe := range library.recipes {
				t.Run(recipe, func(t *testing.T) {
					path := "/taking-part-" + strings.ToLower(name) + "-" + recipe
					first, last := recipe+"-amber", recipe+"-cedar"
					amber := theirs.Stand(t, recipe, path, first)
					theirs.Leads(t, first)

					c := run(t, "campaign", path, "--yes", "--name", "birch", "--json", "--servers", server.Addr)
					own := believes(t, c, "waiting")
					if said := c.errs.all(); !strings.Contains(said, "behind 1 candidate") {
						t.Errorf("it does not name the candidate before it: %q", said)
					}
					cedar := theirs.Stand(t, recipe, path, last)
					for znode, session := range map[string]string{amber.Znode: "", own: hex(cedar.Session)} {
						zktest.Await(t, "the watch of "+znode, func() bool {
							_, watchers, ok := strings.Cut(server.Ask(t, "wchp"), znode+"\n")
							watchers, _, _ = strings.Cut(watchers, "\n/") // ours watches its own, too
							return ok && strings.Contains("\n"+watchers, "\n\t"+session)
						})
					}
					theirs.Resign(t, first)
					believes(t, c, "leading")
					// What the servers have told cedar by now it has told us.
					s := decode[statusJSON](t, printed(t, 0, "status", path, "--json", "--servers", server.Addr, "--admin", "4lw"))
					var edges []string
					for _, c := range s.Candidates {
						edges = append(edges, c.Znode+" "+c.WatchState)
					}
					if want := []string{own + " unknown", cedar.Znode + " verified"}; !slices.Equal(edges, want) || !strings.Contains(text(s.System), name) {
						t.Errorf("%s: %q, want %q", text(s.System), edges, want)
					}
					if theirs.Led(last) {
						t.Errorf("%s leads besides us", last)
					}
					if exists, _, err := session(t, server.Addr).Exists(path + "-leader"); err != nil || exists {
						t.Errorf("an acknowledgement of ours: %v, %v", exists, err)
					}
					c.cancel()
					if code := c.finish(t); code != 130 {
						t.Errorf("exit code %d after an interrupt: %s", code, c.errs.all())
					}
					theirs.Leads(t, last)
					theirs.Resign(t, last)
				})
			}
		})
	}
}
