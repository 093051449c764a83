package doctor_test

import (
	"slices"
	"testing"
	"time"

	"electop/model"
	"electop/model/session"
)

// TestLeaderWatchers counts everybody who watches the leader's znode: candidates and
// others, each session once, without the owner and electop's own sessions.
func TestLeaderWatchers(t *testing.T) {
	c := newClinic(t, model.Config{Path: "/e"})
	c.Tree.CreateParent(0)
	first := c.Tree.Create("n_", true, 1, "")
	for id := range uint64(3) {
		c.Tree.Create("n_", true, id+2, "")
	}
	c.put(&model.Connection{At: c.Tree.Now, Link: model.Connected, Session: 900})
	c.look()
	if w := c.J.State().LeaderWatchers(); w != nil || c.J.State().WatchersUnknown() == "" {
		t.Fatalf("nobody was asked, and there are %+v", w)
	}
	table := c.healthy()
	table.Anchors = []session.Anchor{{Session: 901, Sent: c.Tree.Now, Timeout: time.Second}}
	table.Servers[0].Clients = append(table.Servers[0].Clients, session.Client{Session: 901, Addr: "10.0.0.9:4000", Timeout: time.Second})
	for i := range table.Servers { // two servers list a client that moved
		table.Servers[i].Watched = []session.Watch{
			{Path: "/e/" + first, Sessions: []uint64{1, 2, 3, 70, 71, 900, 901}},
			{Path: "/e/n_0000000001", Sessions: []uint64{4, 72}},
		}
	}
	c.put(table)
	w := c.J.State().LeaderWatchers()
	if w == nil || w.Candidates != 2 || !slices.Equal(w.Others, []uint64{70, 71}) || w.Total() != 4 || w.Why != "" {
		t.Fatalf("watchers %+v", w)
	}
	refused := c.healthy()
	refused.Servers[1].Watches = session.Answer{State: session.Refused, Why: "not in the whitelist", Hint: "4lw.commands.whitelist"}
	refused.Servers[1].Watched = nil
	c.put(refused)
	if w := c.J.State().LeaderWatchers(); w == nil || w.Total() != 1 || w.Why == "" {
		t.Fatalf("a server did not answer, and the watchers are %+v", w)
	}
	c.Tree.Delete(first)
	c.look()
	if w := c.J.State().LeaderWatchers(); w != nil || c.J.State().WatchersUnknown() == "" {
		t.Fatalf("another znode is the first, and the watchers are %+v", w)
	}
}

// TestEvidenceCountsTheRest: evidence that there is no room for is counted.
func TestEvidenceCountsTheRest(t *testing.T) {
	c := newClinic(t, model.Config{Path: "/e"})
	c.Tree.CreateParent(0)
	first := c.Tree.Create("n_", true, 1, "")
	var waiting []uint64
	for id := range uint64(59) {
		c.Tree.Create("n_", true, id+2, "")
		waiting = append(waiting, id+2)
	}
	c.put(&model.Connection{At: c.Tree.Now, Link: model.Connected, Session: 900})
	c.look()
	c.pass(10 * time.Second)
	table := c.healthy()
	for i := range table.Servers {
		table.Servers[i].Watched = nil
	}
	table.Servers[0].Watched = []session.Watch{{Path: "/e/" + first, Sessions: waiting}}
	c.put(table)
	c.pass(2 * time.Second)
	fs := c.J.State().Findings
	if len(fs) != 1 || fs[0].ID != "herd" || len(fs[0].Sessions) != 59 || fs[0].Evidence[len(fs[0].Evidence)-1] != "and 44 more" {
		t.Fatalf("findings %+v", fs)
	}
}
