package session_test

import (
	"testing"
	"time"

	"electop/model/session"
)

// rounds asks a leader and a follower about session 7, which has a timeout of 10 s.
type rounds struct{ tracker session.Tracker }

var began = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

func at(sec int) time.Time { return began.Add(time.Duration(sec) * time.Second) }

// deadline returns the deadline of a session last heard from after so many seconds, with a tick of 2 s.
func deadline(id uint64, heard int) session.Deadline {
	return session.Deadline{Session: id, At: time.Duration(heard+10)/2*2*time.Second + 2*time.Second}
}

func (r *rounds) hear(sec int, epoch int64, lists bool, deadlines ...session.Deadline) {
	answered := session.Answer{State: session.Answered, At: at(sec)}
	follower := session.Server{Addr: "b:1", Mode: session.ModeFollower, Basic: answered, Connections: session.Answer{State: session.Failed}}
	if lists {
		follower.Connections = answered
		follower.Clients = []session.Client{{Session: 7, Addr: "10.0.0.1:7", Timeout: 10 * time.Second, Received: int64(sec)}}
	}
	leader := session.Server{Addr: "a:1", Mode: session.ModeLeader, Zxid: epoch << 32, Tick: 2 * time.Second,
		Basic: answered, Connections: answered, Sessions: answered, Deadlines: deadlines}
	t := &session.Table{At: at(sec), End: at(sec), Whole: true, Servers: []session.Server{leader, follower},
		Anchors: []session.Anchor{{Session: 9, Sent: at(sec), Timeout: 10 * time.Second}}}
	r.tracker.Hear(t, at(sec), []session.Holder{{Session: 7, Timeout: 10 * time.Second, SeenAt: began}}, func(uint64) bool { return true })
}

// TestUnreportedSessionAfterAnElection: nothing is to be awaited of a session that no
// server reports any more.
func TestUnreportedSessionAfterAnElection(t *testing.T) {
	var r rounds
	r.hear(0, 1, false, deadline(7, 0))
	for sec := 1; sec < 8; sec++ {
		r.hear(sec, 2, false)
		if n, left := r.tracker.View().Unheard(); n > 0 {
			t.Fatalf("after %d s: %d sessions are awaited, for another %v", sec, n, left)
		}
	}
}

// TestDeadlineAfterTheLastList: a client lives on after its server has stopped to list
// connections. What the last list showed is no bound then.
func TestDeadlineAfterTheLastList(t *testing.T) {
	const stopped = 40
	var r rounds
	shown := false
	for sec := range stopped + 12 {
		r.hear(sec, 1, sec < 10, deadline(7, min(sec, stopped)/2*2), deadline(9, sec))
		d := r.tracker.Danger(7, at(sec))
		if sec <= stopped {
			if d != nil {
				t.Fatalf("after %d s: %+v", sec, d)
			}
			continue
		}
		if d != nil && !d.By.IsZero() {
			shown = true
			if expires := began.Add(deadline(7, stopped).At); d.By.Before(expires) {
				t.Fatalf("after %d s: the session expires by %v, it does at %v", sec, d.By.Sub(began), expires.Sub(began))
			}
		}
	}
	if !shown {
		t.Error("no danger was shown")
	}
}
