package plain_test

import (
	"strings"
	"testing"

	"electop/model/session"
	"electop/ui/plain"
)

// TestLeaderWatchers: text and JSON count the same sessions, and say where they are.
func TestLeaderWatchers(t *testing.T) {
	s := asked(t, session.Watch{Path: path + "/n_0000000001", Sessions: []uint64{2, 3, 70, 71}})
	const want = "\n2 candidates and 2 other sessions watch the leader's znode, from 10.0.0.70 (1), an unknown host (1).\n"
	if text := plain.StatusText(s); !strings.Contains(text, want) {
		t.Errorf("status says\n%s", text)
	}
	type watcher struct{ Session, Address string }
	v := decode[struct {
		Watchers struct {
			Total, Candidates, Others int
			Sessions                  []watcher `json:"other_sessions"`
		} `json:"leader_watchers"`
	}](t, line(t, plain.Status(s))).Watchers
	if v.Total != 4 || v.Candidates != 2 || v.Others != 2 || len(v.Sessions) != 2 || v.Sessions[0] != (watcher{"0x46", "10.0.0.70:4000"}) || v.Sessions[1] != (watcher{"0x47", ""}) {
		t.Errorf("JSON has %+v", v)
	}
}
