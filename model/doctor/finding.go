package doctor

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"electop/model"
	"electop/model/units"
)

// Severity grades a finding.
type Severity string

const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

func (s Severity) rank() int { return slices.Index([]Severity{"", Info, Warning, Critical}, s) }

// Graver compares two severities for a sort: the higher severity comes first.
func Graver(a, b Severity) int { return b.rank() - a.rank() }

// Finding is a problem that the doctor found. It is immutable. Its texts are safe to show.
type Finding struct {
	ID       string // the ID of the rule: "ghost-node"
	Key      string // the ID and the subject; the same if the finding recurs
	Severity Severity
	Title    string
	Evidence []string // observations
	Harm     string   // the consequence
	Advice   string   // what to do
	Znodes   []string // full paths, raw
	Sessions []uint64
	// References are public names: "CURATOR-620", "ZooKeeper recipes: leader election".
	References []string
	Since      time.Time // when the rule first reported it
}

// FindingChanged reports that a finding was raised or cleared. A change of the severity raises the finding again, or
// clears it until the suspicion has lasted long enough for the new severity.
type FindingChanged struct {
	Finding *Finding
	Raised  bool
	Was     Severity // the severity before, if the finding is raised again; "" if it is new or cleared
}

func (FindingChanged) EventBody() {}

// Worst returns the highest severity among fs, "" for none.
func Worst(fs []*Finding) (worst Severity) {
	for _, f := range fs {
		if f.Severity.rank() > worst.rank() {
			worst = f.Severity
		}
	}
	return worst
}

func sameFinding(a, b *Finding) bool {
	return a.Severity == b.Severity && a.Title == b.Title && slices.Equal(a.Evidence, b.Evidence) &&
		slices.Equal(a.Znodes, b.Znodes) && slices.Equal(a.Sessions, b.Sessions) && a.Harm == b.Harm && a.Advice == b.Advice
}

type suspicion struct {
	hold
	finding *Finding
	first   time.Time
	counted int // number of server tables that count for hold.tables
	tableAt time.Time
	raised  bool
	seen    bool // the rule reported the suspicion in this run
}

type hold struct {
	wait   time.Duration
	tables int       // number of server tables, each at least calm after the previous table
	again  time.Time // the rules run again at this time, even if nothing changed
	quiet  bool      // the suspicion is never listed as [Pending]
	shown  bool      // the suspicion has a [Pending.Early]
}

type suspicions struct {
	byKey    map[string]*suspicion
	findings []*Finding // the raised findings, worst first; shared by states
	events   []model.EventBody
}

func (u *suspicions) begin() {
	u.events = nil
	for _, s := range u.byKey {
		s.seen = false
	}
}

// note records the suspicion f. table is the time of a new server table, zero for none.
func (u *suspicions) note(f Finding, h hold, at, table time.Time) {
	s := u.byKey[f.Key]
	if s == nil {
		s = &suspicion{first: at}
		if u.byKey == nil {
			u.byKey = make(map[string]*suspicion)
		}
		u.byKey[f.Key] = s
	}
	f.Since = s.first
	s.seen, s.hold = true, h
	if !table.IsZero() && (s.counted == 0 || table.Sub(s.tableAt) >= calm) {
		s.counted++
		s.tableAt = table
	}
	if s.raised && sameFinding(s.finding, &f) {
		return
	}
	was := s.finding
	switch {
	case !s.raised || was.Severity == f.Severity:
	case s.counted < s.tables || at.Before(s.first.Add(s.wait)):
		u.publish(at, s, false)
	default:
		u.events = append(u.events, FindingChanged{&f, true, was.Severity})
	}
	s.finding = &f
}

func (u *suspicions) has(id string) bool {
	for _, s := range u.byKey {
		if s.finding.ID == id {
			return true
		}
	}
	return false
}

func (u *suspicions) lasted(key string, at time.Time) time.Duration {
	if s := u.byKey[key]; s != nil {
		return max(0, at.Sub(s.first))
	}
	return 0
}

// finish ends a run of the rules. It calls runAgain with each time at which the rules have to run.
func (u *suspicions) finish(at time.Time, runAgain func(time.Time)) {
	for _, key := range slices.Sorted(maps.Keys(u.byKey)) {
		s := u.byKey[key]
		wait := s.first.Add(s.wait)
		switch {
		case !s.seen:
			if s.raised {
				u.publish(at, s, false)
			}
			delete(u.byKey, key)
			continue
		case s.raised, s.counted < s.tables:
		case at.Before(wait):
			runAgain(wait)
		default:
			u.publish(at, s, true)
		}
		if s.again.After(at) {
			runAgain(s.again)
		}
	}
	u.findings = nil
	for _, s := range u.byKey {
		if s.raised {
			u.findings = append(u.findings, s.finding)
		}
	}
	slices.SortFunc(u.findings, func(a, b *Finding) int {
		return cmp.Or(-cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Key, b.Key))
	})
}

func (u *suspicions) publish(at time.Time, s *suspicion, raised bool) {
	s.raised = raised
	u.events = append(u.events, FindingChanged{Finding: s.finding, Raised: raised})
}

// Pending is a suspicion that is not a finding yet.
type Pending struct {
	Rule, Title string
	Severity    Severity
	Znodes      []string      // full paths, raw
	Left        time.Duration // how long the suspicion still has to last; 0: it needs more tables or a run of the rules
	// Early is the finding to show already, at most a warning. It is nil for rules other than no-leader.
	Early *Finding
}

// Decides reports whether the election should be observed for longer.
func (p Pending) Decides() bool { return p.Severity == Critical || p.Rule == "flapping" }

func (u *suspicions) pending(at time.Time) []Pending {
	var out []Pending
	for _, s := range u.byKey {
		if s.raised || s.quiet {
			continue
		}
		f := s.finding
		p := Pending{f.ID, f.Title, f.Severity, f.Znodes, max(0, s.wait-at.Sub(s.first)), nil}
		if s.shown {
			early := *f
			text := "first seen at " + units.Clock(s.first) + ", " + units.Exact(at.Sub(s.first).Round(time.Second)) + " ago"
			if f.Severity == Critical {
				early.Severity = Warning
				text += "; critical if it lasts " + units.Exact(s.wait)
			}
			early.Evidence = append(slices.Clip(f.Evidence), text)
			p.Early = &early
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Pending) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), slices.Compare(a.Znodes, b.Znodes), cmp.Compare(a.Title, b.Title))
	})
	return out
}

func (u suspicions) clone() suspicions {
	u.findings, u.events = slices.Clip(u.findings), nil
	byKey := make(map[string]*suspicion, len(u.byKey))
	for key, s := range u.byKey {
		copied := *s
		byKey[key] = &copied
	}
	u.byKey = byKey
	return u
}
