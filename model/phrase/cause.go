package phrase

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

var causes = map[model.Cause]Entry{
	model.CauseExpired:  {"its session expired", "session expired", "expired", doctor.Warning},
	model.CauseResigned: {"it resigned", "resigned", "resigned", doctor.Info},
	model.CauseClosed:   {"it closed its session", "session closed", "closed", doctor.Info},
	model.CauseDeleted:  {"its znode was deleted while its session was alive", "znode deleted", "deleted", doctor.Info},
	model.CauseLeft:     {"its znode was deleted or its session closed", "closed/deleted", "left", doctor.Info},
	model.CauseUnknown:  {"the cause is unknown", "cause unknown", "unknown", ""},
}

// Cause returns the words for c.
func Cause(c model.Cause) Entry {
	if e, ok := causes[c]; ok {
		return e
	}
	return causes[model.CauseUnknown]
}

// Causes returns every cause, sorted.
func Causes() []model.Cause { return slices.Sorted(maps.Keys(causes)) }

var unmeasured = map[model.Unmeasured]string{
	model.NobodyLed:   "nobody led before",
	model.NobodyLeads: "nobody leads now",
	model.NotSilent:   "its session was alive",
	model.NotReported: "electop does not know when the servers last received something from it",
	model.NoAck:       "this system's leaders create no znode to acknowledge",
	model.NoAckYet:    "the new leader has not acknowledged yet",
	model.Unwatched:   "electop did not see when it began",
	model.NotVacant:   "another candidate was in the queue",
}

// Unmeasured returns why a duration of a handoff is not known.
func Unmeasured(h *model.Handoff, m model.Measure) string {
	switch {
	case m.Why != model.NotReported:
	case h.Unreported != "":
		return znode.Safe(h.Unreported, 0)
	case h.Cause == model.CauseUnknown && h.Evidence != "":
		return znode.Safe(h.Evidence, 0)
	}
	return unmeasured[m.Why]
}

// CauseOf describes why h.From stopped. If there is no h.From, it describes the vacancy or the first leader.
func CauseOf(h *model.Handoff) Entry {
	switch {
	case h.From != nil:
		e := Cause(h.Cause)
		if h.Lock && e.Severity == doctor.Info { // the old holder's session did not expire
			e.Row, e.Cell = "released", "released"
		}
		return e
	case h.Vacant != nil:
		return Entry{Row: "no leader", Cell: "no leader"}
	}
	return Entry{Row: "first", Cell: "first"}
}

// Risk describes r. The parameter who is the name of the candidate at risk.
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

// RiskChanged describes a risk that was raised or has ended.
func RiskChanged(r doctor.RiskChanged, now time.Time, name func(*dialect.Candidate) string) string {
	who := name(r.Risk.Candidate)
	switch {
	case r.Gone:
		if r.Risk.Leader {
			who += ", who " + map[bool]string{false: "led", true: "held"}[r.Risk.Lock] + ","
		}
		return who + " is gone: " + Cause(r.Cause).Sentence
	case r.Risk.Leader:
		who += ", who " + map[bool]string{false: "leads", true: "holds"}[r.Risk.Lock] + ","
	}
	if !r.Raised {
		return who + " is not at risk any more"
	}
	return Risk(who, &r.Risk, now, name)
}

// Missed describes the changes that no read showed.
func Missed(m model.Missed) string {
	if !m.Known {
		return "an unknown number of changes"
	}
	return units.Count(m.Creates, "create", "creates") + ", " + units.Count(m.Deletes, "delete", "deletes")
}

// To names who got the role in a handoff: "delta +1" if one more contender got it.
func To(h *model.Handoff, name func(*dialect.Candidate) string) string {
	if h.More > 0 {
		return fmt.Sprintf("%s +%d", name(h.To), h.More)
	}
	return name(h.To)
}
