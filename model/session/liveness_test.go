package session_test

import (
	"testing"
	"time"

	"electop/model/session"
)

// rounds applies tables about session 7, whose timeout is 10 s.
type rounds struct{ tracker session.Tracker }

var began = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

func at(sec int) time.Time { return began.Add(time.Duration(sec) * time.Second) }

// deadline returns the deadline of a session whose last sign of life was in second sec.
func deadline(id uint64, sec int) session.Deadline {
	return session.Deadline{Session: id, At: time.Duration(sec+10)/2*2*time.Second + 2*time.Second}
}

func (r *rounds) apply(sec int, epoch int64, lists bool, deadlines ...session.Deadline) {
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
	r.tracker.Apply(t, at(sec), []session.Holder{{Session: 7, Timeout: 10 * time.Second, SeenAt: began}}, func(uint64) bool { return true })
}

func TestUnreportedSessionIsNotCountedAsUnknown(t *testing.T) {
	var r rounds
	r.apply(0, 1, false, deadline(7, 0))
	for sec := 1; sec < 8; sec++ {
		r.apply(sec, 2, false)
		if n, left := r.tracker.View().LivenessUnknown(); n > 0 {
			t.Fatalf("after %d s: the liveness of %d sessions is unknown for another %v, want 0", sec, n, left)
		}
	}
}

func TestNoBoundFromAnOldListOfConnections(t *testing.T) {
	const stopped = 40
	var r rounds
	shown := false
	for sec := range stopped + 12 {
		r.apply(sec, 1, sec < 10, deadline(7, min(sec, stopped)/2*2), deadline(9, sec))
		d := r.tracker.Danger(7, at(sec))
		if sec <= stopped {
			if d != nil {
				t.Fatalf("after %d s: danger %+v, want none", sec, d)
			}
			continue
		}
		if d != nil && !d.By.IsZero() {
			shown = true
			if expires := began.Add(deadline(7, stopped).At); d.By.Before(expires) {
				t.Fatalf("after %d s: the bound is %v, but the session expires at %v", sec, d.By.Sub(began), expires.Sub(began))
			}
		}
	}
	if !shown {
		t.Error("no danger with a bound was shown")
	}
}

func TestEvidenceOfAnEndedConnection(t *testing.T) {
	var k session.Tracker
	apply := func(sec int, clients ...session.Client) {
		answered := session.Answer{State: session.Answered, At: at(sec)}
		s := session.Server{Addr: "a:1", Mode: session.ModeStandalone, Tick: time.Second,
			Basic: answered, Connections: answered, Sessions: answered, Clients: clients}
		k.Apply(&session.Table{At: at(sec), End: at(sec), Whole: true, Servers: []session.Server{s}}, at(sec),
			[]session.Holder{{Session: 7, SeenAt: began.Add(-time.Second)}}, func(uint64) bool { return false })
	}
	evidence := func(sec int, want string) {
		if got := k.Danger(7, at(sec)).Evidence; got != want {
			t.Errorf("evidence after %d s: got %q, want %q", sec, got, want)
		}
	}
	apply(0)
	evidence(0, "not connected when queried at 12:00:00.0Z")
	apply(1, session.Client{Session: 7, Addr: "10.0.0.1:7", Timeout: 10 * time.Second})
	apply(4)
	apply(6)
	evidence(6, "last seen connected at 12:00:01.0Z and not connected when queried at 12:00:04.0Z")
	if x, listed := k.View().Last(7); listed || x.Conn == nil || x.Conn.Addr != "10.0.0.1:7" || !x.At.Equal(at(1)) {
		t.Errorf("Last(7) = %+v, listed %v; want the connection of second 1, not listed", x, listed)
	}
	if d := k.Danger(7, at(6)); d.Timeout != 10*time.Second || !d.Silent.Equal(at(4)) {
		t.Errorf("danger with timeout %v, silent since %v; want 10s, %v", d.Timeout, d.Silent, at(4))
	}
}

func TestSilenceBeforeTheFirstRound(t *testing.T) {
	var r rounds
	for _, sec := range []int{7, 8} {
		r.apply(sec, 1, true, deadline(7, 0), deadline(9, sec))
	}
	d := r.tracker.Danger(7, at(8))
	if d == nil || d.By.IsZero() || d.Silent.After(d.By.Add(-10*time.Second)) || d.Silent.Before(began) {
		t.Fatalf("danger %+v, want a Silent between second 0 and one timeout before By", d)
	}
}
