package admin

import (
	"testing"
	"time"

	"electop/model/session"
)

func TestAnchors(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1000+int64(s), 0) }
	before := []session.Anchor{{Session: 1, Sent: at(10), Answered: at(11), Timeout: 4 * time.Second}, {Session: 2, Sent: at(8), Answered: at(9), Timeout: 10 * time.Second}}
	here := []session.Client{{Session: 1}}
	equal(t, "one of them is connected to the server", bracket(before, at(20), here), []session.Anchor{
		{Session: 1, Sent: at(10), Answered: at(20), Timeout: 4 * time.Second},
		{Session: 2, Sent: at(3), Answered: at(20), Timeout: 10 * time.Second},
	})
	if before[1].Sent != at(8) {
		t.Error("the anchors handed in were changed")
	}
	a := []session.Anchor{{Session: 1, Sent: at(5), Answered: at(9)}}
	b := []session.Anchor{{Session: 1, Sent: at(4), Answered: at(8)}, {Session: 2, Sent: at(1), Answered: at(2)}}
	equal(t, "two dumps", widen(a, b), []session.Anchor{{Session: 1, Sent: at(4), Answered: at(9)}, b[1]})
}

// TestAnchorsAreTakenBefore has the anchors move while the lists are on their way.
func TestAnchorsAreTakenBefore(t *testing.T) {
	var moves int
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
		c.Mode = FourLetter
		s.delay.set(time.Second)
		s.replies["dump"] = "SessionTracker dump:\nSession Sets (1)/(1):\n1 expire at Fri Nov 20 15:14:03 UTC 2026:\n\t0x1\nephemeral nodes dump:\n"
		s.replies["cons"] = "\n"
		c.Anchors = func() []session.Anchor {
			moves++
			now := time.Now()
			return []session.Anchor{{Session: 1, Sent: now.Add(-2 * time.Second), Answered: now.Add(-time.Second), Timeout: 8 * time.Second}}
		}
	}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		began := time.Now()
		askNow(t, a, l) // conf, srvr, mntr, wchs, cons, dump: cons is asked for after four seconds
		got := l.last(t)
		want := []session.Anchor{{Session: 1, Sent: began.Add(4*time.Second - 2*time.Second - 4*time.Second), Answered: began.Add(6 * time.Second), Timeout: 8 * time.Second}}
		equal(t, "anchors", got.Anchors, want)
		if len(got.Servers[0].Deadlines) != 1 || moves != 1 {
			t.Errorf("%+v, asked %d times", got.Servers[0], moves)
		}
	})
}
