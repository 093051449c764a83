package doctor_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/phrase"
	"electop/model/session"
	"electop/model/znode"
)

// agree fails if the words for who leads do not fit how far the first contender leads, or
// say more than is so. It returns how far it leads.
func agree(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *doctor.State) string {
	t.Helper()
	lead, first := s.Lead(), s.First()
	why, far := phrase.NoLeader(s).Sentence, phrase.Lead(s)
	if nobody := s.Leader() == nil; nobody != (lead == "") || nobody != (why != "") {
		t.Fatalf("%v leads, it is %q, and the words are %q", s.Leader(), lead, why)
	}
	if reserved := lead != "" && lead != doctor.Leads; reserved != (far.Sentence != "") || reserved != (far.Row != "") || reserved != (far.Cell != "") {
		t.Fatalf("it is %q, and the words are %+v", lead, far)
	}
	if first == nil || lead != doctor.Leads {
		return string(lead)
	}
	m := s.Member(first)
	foreign := s.Dialect != nil && s.Dialect.Foreign()
	switch {
	case m != nil && (m.Fault != model.NoFault || m.Belief == model.Waiting || m.Belief == model.Lost || m.Belief == model.Suspended):
		t.Fatalf("%s has the fault %q and believes %s, and leads", m.ID, m.Fault, m.Belief)
	case !foreign && s.Ack.Path != "" && !s.Ack.Names(first) && s.Ack.Presence != model.Denied, s.Risk(first) != nil:
		t.Fatalf("%s has not acknowledged or is at risk (%v), and leads", first.Label(), s.Risk(first))
	}
	return string(lead)
}

// puppet is a member of electop that owns the first znode and reports anything of
// itself: that it is another of its znodes, too.
func puppet(t *rapid.T, s *doctor.State) *model.Cast {
	m := model.Member{ID: "puppet", Name: "puppet", Recipe: "election", Session: s.First().Session, Znode: s.First().Name, Timeout: 4 * time.Second}
	for _, c := range s.Queue.All() {
		if c.Session == m.Session && rapid.Bool().Draw(t, "it goes by this znode") {
			m.Znode = c.Name
		}
	}
	m.Belief = rapid.SampledFrom([]model.Belief{model.Leading, model.Elected, model.Waiting, model.Volunteering, model.Suspended, model.Resigned, model.Lost}).Draw(t, "puppet believes")
	if rapid.IntRange(0, 3).Draw(t, "fault") == 0 {
		m.Fault, m.FaultAt = rapid.SampledFrom([]model.Fault{model.Killed, model.Frozen, model.Partitioned}).Draw(t, "which"), s.At
	}
	m.Ending = rapid.SampledFrom([]model.Ending{model.NoEnding, model.NoEnding, model.Resigning, model.Closing}).Draw(t, "ending")
	m.SlowLead = rapid.Bool().Draw(t, "slow")
	return &model.Cast{At: s.At, Member: m}
}

// Whatever happened, all words say the same of who leads. That the screen, the text and
// the JSON use these words is for TestAnyKeysAnyStates.
func TestNothingContradictsTheHeadline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, all := modeltest.DrawPast(t)
		j := doctor.NewJournal(cfg)
		look := func() bool {
			s := j.State()
			if s.Phase != model.Live || s.Queue.Len() == 0 {
				return false
			}
			agree(t, s)
			return true
		}
		for _, o := range all {
			j.Apply(o)
			if !look() || rapid.IntRange(0, 2).Draw(t, "puppet") > 0 {
				continue
			}
			s := j.State()
			if first := s.First(); first.Session != 0 {
				j.Apply(puppet(t, s))
				look()
				if rapid.Bool().Draw(t, "acknowledges") {
					j.Apply(&model.Ack{At: s.At, Presence: model.Present, Session: first.Session, Czxid: first.Czxid + 1})
					look()
				}
			}
		}
	})
}

// Each way to be first differs from the others, and all say the same of it.
func TestEachWayToLead(t *testing.T) {
	at := time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC)
	first := znode.Znode{Name: "n_0000000001", Session: 1, Czxid: 11, Ctime: at, Data: znode.NewData([]byte("amber"))}
	second := znode.Znode{Name: "n_0000000002", Session: 2, Czxid: 12, Ctime: at, Data: znode.NewData([]byte("birch"))}
	ghost := znode.Znode{Name: "n_0000000002", Session: 1, Czxid: 12, Ctime: at, Data: znode.NewData([]byte("amber"))}
	amber := func(change func(*model.Member)) model.Observation {
		m := model.Member{ID: "amber", Name: "amber", Recipe: "election", Belief: model.Leading, Session: 1, Znode: first.Name, Timeout: 4 * time.Second}
		if change != nil {
			change(&m)
		}
		return &model.Cast{At: at, Member: m}
	}
	believes := func(b model.Belief) model.Observation { return amber(func(m *model.Member) { m.Belief = b }) }
	acked := &model.Ack{At: at, Presence: model.Present, Session: 1, Czxid: 13}
	silent := func(after time.Duration) model.Observation {
		now := at.Add(after)
		ok := session.Answer{State: session.Answered, Via: "http", At: now}
		return &session.Table{At: now, End: now, Whole: true, Every: time.Second, Servers: []session.Server{{
			Addr: "s0:2181", Mode: session.ModeStandalone, Basic: ok, Connections: ok, Sessions: ok, Watches: ok, Tick: 2 * time.Second,
			Clients:   []session.Client{{Session: 1, Addr: "10.0.0.1:1", Timeout: 6 * time.Second, LastResponse: time.Hour, Received: 3}},
			Deadlines: []session.Deadline{{Session: 1, At: time.Hour + 6*time.Second}},
		}}}
	}
	for _, c := range []struct {
		name string
		want string
		also znode.Znode
		then []model.Observation
	}{
		{"acknowledged", "leads", second, []model.Observation{amber(nil), acked}},
		{"a stranger, acknowledged", "leads", second, []model.Observation{acked}},
		{"not acknowledged", "elected", second, []model.Observation{believes(model.Elected)}},
		{"a stranger, not acknowledged", "elected", second, nil},
		{"its procedure does not end", "elected", second, []model.Observation{amber(func(m *model.Member) { m.Belief, m.SlowLead = model.Elected, true })}},
		{"still waits", "unaware", second, []model.Observation{believes(model.Waiting)}},
		{"no connection", "suspended", second, []model.Observation{acked, believes(model.Suspended)}},
		{"resigns", "ending", second, []model.Observation{acked, amber(func(m *model.Member) { m.Ending = model.Resigning })}},
		{"lost its candidacy", "stopped", second, []model.Observation{acked, believes(model.Lost)}},
		{"deleted, not read yet", "deleted", second, []model.Observation{acked, &model.Wake{At: at, Deleted: at, Znode: first.Name, Zxid: 20}}},
		{"killed", "faulty", second, []model.Observation{acked, amber(func(m *model.Member) { m.Fault, m.FaultAt, m.Belief = model.Killed, at, model.Suspended })}},
		{"frozen", "faulty", second, []model.Observation{acked, amber(func(m *model.Member) { m.Fault, m.FaultAt = model.Frozen, at })}},
		{"cut off", "faulty", second, []model.Observation{acked, amber(func(m *model.Member) { m.Fault, m.FaultAt = model.Partitioned, at })}},
		{"not heard from", "at-risk", second, []model.Observation{acked, silent(0), silent(time.Second), silent(2 * time.Second), silent(3 * time.Second), silent(4 * time.Second)}},
		{"a ghost", "", ghost, []model.Observation{acked, amber(func(m *model.Member) { m.Znode, m.Belief = ghost.Name, model.Waiting })}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := doctor.NewJournal(modeltest.Acked)
			j.Apply(&model.Connection{At: at, Link: model.Connected, Session: 9})
			j.Apply(&model.Read{At: at, Presence: model.Present, Full: true, New: []znode.Znode{first, c.also}, Parent: znode.Parent{Czxid: 7, Children: 2, Cversion: 2}})
			for _, o := range c.then {
				j.Apply(o)
			}
			if got := agree(t, j.State()); got != c.want {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}
