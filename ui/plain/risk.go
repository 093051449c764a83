package plain

import (
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// RiskText describes a risk. Only bounds are known.
func RiskText(who string, r *doctor.Risk, now time.Time) string {
	s := who + " is at risk"
	if !r.By.IsZero() {
		s += ", expires in at most " + units.AtMost(r.By.Sub(now))
	}
	if r.Evidence != "" {
		s += ": " + znode.Safe(r.Evidence, 0)
	}
	switch {
	case r.Leader && r.Next != nil:
		s += "; " + Who(r.Next) + " would take over"
	case r.Leader && r.Queueless:
		s += "; there is no queue"
	case r.Leader:
		s += "; nobody would take over"
	}
	return s
}

// CauseText says why a leader's znode was deleted.
func CauseText(c model.Cause) string {
	switch c {
	case model.CauseExpired:
		return "session expired"
	case model.CauseClosed:
		return "session closed"
	case model.CauseResigned:
		return "resigned"
	case model.CauseLeft:
		return "left with its session alive"
	}
	return "cause unknown"
}
