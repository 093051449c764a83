package metrics_test

import (
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/ui/metrics"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	healthy := func() (*script, metrics.Health) {
		s := newScript("/election")
		s.link(model.Connected)
		connected := s.at
		s.after(time.Millisecond).read("host", 1, 0)
		now := s.after(time.Hour).at // nothing has changed since
		return s, metrics.Health{State: s.journal.State(), Connected: connected, Answered: now.Add(-9 * time.Second), Timeout: 10 * time.Second, Now: now}
	}
	unread := newScript("/election")
	unread.link(model.Connected)
	refused := newScript("/election")
	refused.apply(&model.Connection{At: refused.at, Link: model.Connecting, Err: "connection to zk1:2181: connection refused"})
	for _, c := range []struct {
		name   string
		change func(*script, *metrics.Health)
		want   string
	}{
		{"healthy", func(*script, *metrics.Health) {}, ""},
		{"old answer", func(_ *script, h *metrics.Health) { h.Answered = h.Now.Add(-11 * time.Second) }, "no answer from ZooKeeper for 11.0 s"},
		{"disconnected", func(_ *script, h *metrics.Health) { h.Connected = time.Time{} }, "not connected to ZooKeeper"},
		{"refused", func(_ *script, h *metrics.Health) { h.Connected, h.State = time.Time{}, refused.journal.State() }, "connection refused"},
		{"behind", func(_ *script, h *metrics.Health) { h.Behind = 6 * time.Second }, "output is not read"},
		{"briefly behind", func(_ *script, h *metrics.Health) { h.Behind = time.Second }, ""},
		{"unread", func(_ *script, h *metrics.Health) { h.State = unread.journal.State() }, "not read yet"},
		{"reconnected", func(_ *script, h *metrics.Health) { h.Connected = h.Now }, "not read again yet"},
		{"forbidden", func(s *script, h *metrics.Health) {
			s.apply(&model.Read{At: h.Now, Presence: model.Denied})
			h.State = s.journal.State()
		}, "READ"},
		{"no such election", func(s *script, h *metrics.Health) {
			s.apply(&model.Read{At: h.Now, Presence: model.Absent})
			h.State = s.journal.State()
		}, ""},
	} {
		s, h := healthy()
		c.change(s, &h)
		if got := h.Why(); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
