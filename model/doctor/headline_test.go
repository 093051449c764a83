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
	for _, c := range s.Queue {
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
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		cfg, all := modeltest.DrawPast(t)
		j := doctor.NewJournal(cfg)
		look := func() bool {
			s := j.State()
			if s.Phase != model.Live || len(s.Queue) == 0 {
				return false
			}
			state := agree(t, s)
			if state == "" {
				state = string(s.NoLeader())
			}
			seen[state]++
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
	for _, x := range []doctor.Lead{doctor.Leads, doctor.Elected, doctor.Unaware, doctor.Suspended, doctor.Ending, doctor.Stopped, doctor.Deleted, doctor.Faulty, doctor.Lead(model.GhostFirst)} {
		if seen[string(x)] == 0 {
			t.Errorf("nothing was %q: %v", x, seen)
		}
	}
}
