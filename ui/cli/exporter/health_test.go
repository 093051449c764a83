package exporter

import (
	"errors"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/cli/election"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	s := newScript("/election")
	s.link(model.Connected)
	none, connected := s.journal.State(), s.at
	s.after(time.Millisecond).read("host", 1, 0)
	read := s.journal.State()
	now := s.after(time.Hour).at // nothing has changed since
	s.apply(&model.Read{At: now, Presence: model.Denied})
	denied := s.journal.State()
	s.apply(&model.Read{At: now, Presence: model.Absent})
	for _, c := range []struct {
		name   string
		change func(*overview)
		want   string
	}{
		{"healthy", func(*overview) {}, ""},
		{"old answer", func(o *overview) { o.Answered = now.Add(-11 * time.Second) }, "no answer from ZooKeeper for 11.0 s"},
		{"disconnected", func(o *overview) { o.Connected = time.Time{} }, "not connected to ZooKeeper"},
		{"refused", func(o *overview) { o.Connected, o.Err = time.Time{}, "connection refused" }, "ZooKeeper: connection refused"},
		{"searching", func(o *overview) { o.searches = &searches{} }, "no search for elections has ended"},
		{"searched", func(o *overview) { o.searches = &searches{ended: true} }, ""},
		{"search failed", func(o *overview) { o.searches = &searches{ended: true, err: errors.New("no root\x1b")} }, `no root\x1b`},
		{"unread", func(o *overview) { o.elections[1] = none }, "/election: connected, but not read yet"},
		{"reconnected", func(o *overview) { o.Connected = now }, "/election: connected again, but not read again yet"},
		{"forbidden", func(o *overview) { o.elections[1] = denied }, "/election: the ACL does not allow READ"},
		{"no such election", func(o *overview) { o.elections[1] = s.journal.State() }, ""},
	} {
		o := overview{
			Reach:     election.Reach{Connected: connected, Answered: now.Add(-9 * time.Second), Timeout: 10 * time.Second},
			elections: []*doctor.State{read, read},
		}
		c.change(&o)
		if got := o.unhealthy(now); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
