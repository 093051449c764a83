package zktest_test

import (
	"strings"
	"testing"
	"time"

	"electop/demo/zktest"
)

// TestForeignCandidates has two candidates of each library stand in one
// process, resign and wait.
func TestForeignCandidates(t *testing.T) {
	t.Parallel()
	server := zktest.Apache(t)
	for recipe, start := range map[string]func(testing.TB, string, time.Duration) *zktest.Foreign{
		"election": zktest.Kazoo, "latch": zktest.Curator,
	} {
		t.Run(recipe, func(t *testing.T) {
			path := "/" + recipe
			p := start(t, server.Addr, 20*time.Second)
			amber := p.Stand(t, recipe, path, "amber")
			p.Leads(t, "amber")
			birch := p.Stand(t, recipe, path, "birch")
			if amber.Session == birch.Session || amber.Session == 0 {
				t.Errorf("sessions %#x and %#x", amber.Session, birch.Session)
			}
			if !strings.HasPrefix(amber.Znode, path+"/") || amber.Znode == birch.Znode {
				t.Errorf("znodes %s and %s", amber.Znode, birch.Znode)
			}
			if p.Led("birch") {
				t.Errorf("birch leads besides amber:\n%s", p.Output())
			}
			p.Pause(t)
			p.Resume(t)
			p.Resign(t, "amber")
			p.Leads(t, "birch")
			p.Finish(t)
			if dump := server.Ask(t, "dump"); strings.Contains(dump, path) {
				t.Errorf("all resigned, and the server says:\n%s", dump)
			}
		})
	}
}
