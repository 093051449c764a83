package plain_test

import (
	"strings"
	"testing"

	"electop/model/session"
	"electop/ui/plain"
)

// herd is an election of three in which all watch the leader, and two others do, too.
func herd() session.Watch {
	return session.Watch{Path: path + "/n_0000000001", Sessions: []uint64{2, 3, 70, 71}}
}

// TestLeaderWatchers: text and JSON count the same sessions, and say where they are.
func TestLeaderWatchers(t *testing.T) {
	s := asked(t, herd())
	const want = "\n2 candidates and 2 other sessions watch the leader's znode, from 10.0.0.70 (1), an unknown host (1).\n"
	if text := plain.StatusText(s); !strings.Contains(text, want) {
		t.Errorf("status says\n%s", text)
	}
	v := decode[struct {
		Watchers struct{ Total, Candidates, Others int } `json:"leader_watchers"`
	}](t, line(t, plain.Status(s))).Watchers
	if v.Total != 4 || v.Candidates != 2 || v.Others != 2 {
		t.Errorf("JSON has %+v", v)
	}
}

// TestFirstAnswerReplacesInference: what one answer of the servers shows replaces what the
// recipe asks for, in text and in JSON.
func TestFirstAnswerReplacesInference(t *testing.T) {
	s := asked(t, herd())
	if text := plain.StatusText(s); !strings.Contains(text, "n_0000000001, should be 2\n") || strings.Contains(text, "inferred") {
		t.Errorf("status says\n%s", text)
	}
	c := decode[struct {
		Candidates []struct {
			State   string `json:"watch_state"`
			Watched []string
		}
	}](t, line(t, plain.Status(s))).Candidates
	if c[1].State != "verified" || c[2].State != "other" || c[2].Watched[0] != path+"/n_0000000001" {
		t.Errorf("JSON has %+v", c)
	}
}
