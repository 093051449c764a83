package doctor

import (
	"slices"
	"time"
)

// Severity grades a finding.
type Severity string

const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

func (s Severity) rank() int { return slices.Index([]Severity{"", Info, Warning, Critical}, s) }

// Graver compares two severities: the graver comes first.
func Graver(a, b Severity) int { return b.rank() - a.rank() }

// Finding is a problem that the doctor noticed. It is immutable.
type Finding struct {
	ID       string // of the kind: "ghost-node"
	Key      string // ID and subject: a finding that recurs has the same key
	Severity Severity
	Title    string
	// Evidence is what was seen, Harm the consequence, Advice what to do. All
	// are safe to show.
	Evidence []string
	Harm     string
	Advice   string
	Znodes   []string // full paths, raw
	Sessions []uint64
	// References are public names: "CURATOR-620", "ZooKeeper recipes: leader election".
	References []string
	Since      time.Time // when it was first seen
}

// FindingChanged is a finding that was raised or cleared, or whose severity
// changed: then it is raised again, and Was is its severity before.
type FindingChanged struct {
	Finding *Finding
	Raised  bool
	Was     Severity // "": it was not raised before
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

// sameFinding reports whether nothing is new.
func sameFinding(a, b *Finding) bool {
	return a.Severity == b.Severity && a.Title == b.Title && slices.Equal(a.Evidence, b.Evidence) &&
		slices.Equal(a.Znodes, b.Znodes) && slices.Equal(a.Sessions, b.Sessions) && a.Harm == b.Harm && a.Advice == b.Advice
}
