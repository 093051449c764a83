package phrase

import (
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// Risk describes a risk to who. Only bounds are known.
func Risk(who string, r *doctor.Risk, now time.Time, name func(*dialect.Candidate) string) string {
	s := who + " is at risk"
	if !r.By.IsZero() {
		s += ", expires in at most " + units.AtMost(r.By.Sub(now))
	}
	var known []string
	if r.Timeout > 0 {
		known = append(known, "session timeout "+units.Exact(r.Timeout))
	}
	if silent := now.Sub(r.Silent); !r.Silent.IsZero() && silent >= time.Second {
		known = append(known, "silent for at least "+units.Exact(silent.Truncate(time.Second)))
	}
	if known != nil {
		s += " (" + strings.Join(known, ", ") + ")"
	}
	if r.Evidence != "" {
		s += ": " + znode.Safe(r.Evidence, 0)
	}
	switch {
	case r.Leader && r.Next != nil:
		s += "; " + name(r.Next) + " would take over"
	case r.Leader && r.Queueless:
		s += "; there is no queue"
	case r.Leader:
		s += "; nobody would take over"
	}
	return s
}

// RiskChanged says that a risk appeared or is over. Candidates go by what name returns.
func RiskChanged(r doctor.RiskChanged, now time.Time, name func(*dialect.Candidate) string) string {
	who := name(r.Risk.Candidate)
	switch {
	case r.Gone:
		if r.Risk.Leader {
			who += ", who led,"
		}
		return who + " is gone: " + Cause(r.Cause).Sentence
	case r.Risk.Leader:
		who += ", who leads,"
	}
	if !r.Raised {
		return who + " is not at risk any more"
	}
	return Risk(who, &r.Risk, now, name)
}

// Missed counts the changes that no read showed.
func Missed(m model.Missed) string {
	if !m.Known {
		return "an unknown number of changes"
	}
	return units.Count(m.Creates, "create", "creates") + ", " + units.Count(m.Deletes, "delete", "deletes")
}
