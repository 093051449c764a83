package doctor

import (
	"slices"
	"time"

	"electop/model/dialect"
)

// Severity grades a finding.
type Severity string

const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

func (s Severity) rank() int {
	switch s {
	case Critical:
		return 3
	case Warning:
		return 2
	case Info:
		return 1
	}
	return 0
}

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
	// ghosts are contenders of one session, in queue order. Its owner goes by the
	// last one and may not know of the others.
	ghosts []dialect.ID
}

// FindingChanged is a finding that was raised or cleared. One whose severity
// changed is cleared and raised.
type FindingChanged struct {
	Finding *Finding
	Raised  bool
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

// Ghost returns the contender that the owner of c goes by, where c is an older
// znode of the same session and its owner may not know of it; nil where c is no
// such znode as far as is known.
func (s *State) Ghost(c *dialect.Candidate) *dialect.Candidate {
	for _, f := range s.Findings {
		n := len(f.ghosts)
		if n < 2 || f.Severity == Info || f.ghosts[n-1] == c.ID() || !slices.Contains(f.ghosts, c.ID()) {
			continue
		}
		if known, _ := s.Candidate(f.ghosts[n-1]); known != nil {
			return known
		}
	}
	return nil
}
