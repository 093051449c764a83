package plain_test

import (
	"strings"
	"testing"
	"time"

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
	if text := plain.StatusText(s); !strings.Contains(text, "  1, should be 2\n") || strings.Contains(text, "inferred") {
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

// TestTimeLeft: status and doctor say for how long a session lasts at most, its timeout, for
// how long its client was silent and where it was connected last.
func TestTimeLeft(t *testing.T) {
	j := askedJournal(t, 1, 2, 3)
	for sec := range 4 {
		j.Apply(answers(start.Add(time.Duration(sec+2)*time.Second), nil, 2, 3))
	}
	s := j.State()
	const left = "n_0000000001 is at risk, expires in at most 10 s (session timeout 10 s, silent for at least 3 s): last seen connected at "
	if text := plain.StatusText(s); !strings.Contains(text, left) || !strings.Contains(text, "10.0.0.1:4000  not connected, last to zk1:2181") {
		t.Errorf("status says\n%s", text)
	}
	if text := plain.DoctorText(s, time.Second); !strings.Contains(text, left) {
		t.Errorf("doctor says\n%s", text)
	}
	type risk struct {
		Expires float64 `json:"expires_within_ms"`
		Timeout float64 `json:"session_timeout_ms"`
		Silent  float64 `json:"silent_ms"`
	}
	c := decode[struct {
		Candidates []struct {
			risk
			Address   string
			Connected bool
		}
	}](t, line(t, plain.Status(s))).Candidates[0]
	r := decode[struct{ Risks []risk }](t, line(t, plain.Doctor(s, time.Second))).Risks
	if len(r) != 1 || r[0] != c.risk || r[0].Timeout != 10000 || r[0].Silent != 3000 || c.Address != "10.0.0.1:4000" || c.Connected {
		t.Errorf("status has %+v, doctor %+v", c, r)
	}
}
