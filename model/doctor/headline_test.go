package doctor_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/session"
	"electop/model/znode"
	"electop/ui/candidates"
	"electop/ui/plain"
	"electop/ui/term"
	"electop/ui/wording"
)

// claim is what a text says of who leads.
type claim string

const (
	somebody claim = "somebody leads"
	reserved claim = "somebody is first, with a reservation"
	noOne    claim = "nobody is said to lead"
)

var (
	beliefs  = regexp.MustCompile(`[^;]*wrongly believes? (it|they) leads?; |still believes it leads|stopped leading|in truth .*`)
	denial   = regexp.MustCompile(`^(nobody|no leader|no candidate|unknown who|unknown whether|no election|two lead)`)
	leadings = regexp.MustCompile(`\b(leads?|holds?)\b`)
)

// claimed reads the claim out of a headline.
func claimed(text string) claim {
	text = beliefs.ReplaceAllString(text, "")
	switch {
	case denial.MatchString(text):
		return noOne
	case leadings.MatchString(text):
		return somebody
	}
	return reserved
}

// firstRow is the row of the first contender, as the panel draws it.
func firstRow(s *doctor.State, at time.Time) string {
	theme := term.NewTheme(term.Mono, lipgloss.NewRenderer(nil))
	f := &term.Frame{Canvas: new(term.Canvas), Theme: theme, Now: at, Picture: at}
	f.Resize(150, 40)
	var p candidates.Panel
	p.Reselect(s)
	p.Settle(candidates.Shown{State: s}, term.Rect{W: 150, H: 40})
	p.Draw(f)
	lines := strings.Split(ansi.Strip(f.Render(theme)), "\n")[2:]
	for strings.HasPrefix(lines[0], "│ ✗") && s.Lead() != doctor.Deleted {
		lines = lines[1:] // it was before the first
	}
	return lines[0]
}

// agree fails if what is said of who leads differs: in the status line, the row of the
// first contender, the text of electop status and its JSON; or if it is more than is
// so. It returns how far the first contender leads.
func agree(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *doctor.State) string {
	t.Helper()
	var out struct {
		Leader      *string
		LeaderState *string `json:"leader_state"`
		First       *struct{ Why string }
		Candidates  []struct{ Role string }
	}
	b, err := json.Marshal(plain.Status(s))
	if err != nil || json.Unmarshal(b, &out) != nil {
		t.Fatalf("no JSON: %v", err)
	}
	want, state := noOne, ""
	if out.LeaderState != nil {
		want, state = reserved, *out.LeaderState
	}
	if state == string(doctor.Leads) {
		want = somebody
	}
	f := &term.Frame{Canvas: new(term.Canvas), Now: s.At, Picture: s.At}
	_, headline := wording.Headline(f, s, false, false)
	row := firstRow(s, s.At)
	text, _, _ := strings.Cut(plain.StatusText(s), "\n")
	_, text, _ = strings.Cut(text, ": ")
	if (out.Leader == nil) != (want == noOne) {
		t.Fatalf("leader %v, and leader_state %q", out.Leader, state)
	}
	if got := claimed(headline); got != want {
		t.Fatalf("%s (%q), and the headline says %q", want, state, headline)
	}
	if got := claimed(text); got != want {
		t.Fatalf("%s (%q), and electop status says %q", want, state, text)
	}
	if leads := strings.Contains(row, "★"); leads != (want == somebody) {
		t.Fatalf("%s (%q, %v), and the row says %q", want, state, out.First, row)
	}
	if words := strings.ReplaceAll(row, "nobody leads", ""); want != somebody && (strings.Contains(row, "ack ✓") || leadings.MatchString(words)) {
		t.Fatalf("%s (%q), and the row says %q", want, state, row)
	}
	if len(out.Candidates) > 0 && (out.Candidates[0].Role == "leader") != (out.Leader != nil) {
		t.Fatalf("leader %v, and the role of the first is %q", out.Leader, out.Candidates[0].Role)
	}

	// And it is so.
	first := s.First()
	m := s.Member(first)
	foreign := s.Dialect != nil && s.Dialect.Foreign()
	switch {
	case want != somebody || first == nil:
	case m != nil && m.Fault != model.NoFault:
		t.Fatalf("%s has the fault %s, and %q", m.ID, m.Fault, headline)
	case m != nil && (m.Belief == model.Waiting || m.Belief == model.Lost || m.Belief == model.Suspended):
		t.Fatalf("%s believes %s, and %q", m.ID, m.Belief, headline)
	case !foreign && s.Ack.Path != "" && !s.Ack.Names(first) && s.Ack.Presence != model.Denied:
		t.Fatalf("%s has not acknowledged, and %q", first.Label(), headline)
	case s.Risk(first) != nil:
		t.Fatalf("%s is at risk, and %q", first.Label(), headline)
	}
	return state
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

// Whatever happened, the status line, the rows, the text and the JSON say the same of
// who leads.
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
