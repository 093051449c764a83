package phrase

import (
	"maps"
	"slices"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
)

// causes has the words for why a leader stopped. It is never written.
var causes = map[model.Cause]Entry{
	model.CauseExpired:  {"its session expired", "session expired", "expired", doctor.Warning},
	model.CauseResigned: {"it resigned", "resigned", "resigned", doctor.Info},
	model.CauseClosed:   {"it closed its session", "session closed", "closed", doctor.Info},
	model.CauseDeleted:  {"its znode was deleted while its session was alive", "znode deleted", "deleted", doctor.Info},
	model.CauseLeft:     {"its znode was deleted or its session closed", "closed/deleted", "left", doctor.Info},
	model.CauseUnknown:  {"the cause is unknown", "cause unknown", "unknown", ""},
}

// Cause returns the words for why a leader stopped.
func Cause(c model.Cause) Entry {
	if e, ok := causes[c]; ok {
		return e
	}
	return causes[model.CauseUnknown]
}

// Causes returns every cause, sorted.
func Causes() []model.Cause { return slices.Sorted(maps.Keys(causes)) }

// unmeasured has the words for why a duration of a handoff is not known. It is never written.
var unmeasured = map[model.Unmeasured]string{
	model.NobodyLed:   "nobody led before",
	model.NobodyLeads: "nobody leads now",
	model.NotSilent:   "its session was alive",
	model.NotTold:     "electop does not know what the servers heard from it",
	model.NoAck:       "this system's leaders create no znode to acknowledge",
	model.NoAckYet:    "the new leader has not acknowledged yet",
	model.Unwatched:   "electop did not see when it began",
	model.NotVacant:   "another candidate was in the queue",
}

// Unmeasured says why a duration of a handoff is not known.
func Unmeasured(h *model.Handoff, m model.Measure) string {
	switch {
	case m.Why != model.NotTold:
	case h.Untold != "":
		return znode.Safe(h.Untold, 0)
	case h.Cause == model.CauseUnknown && h.Evidence != "":
		return znode.Safe(h.Evidence, 0)
	}
	return unmeasured[m.Why]
}

// CauseOf returns the words for why the leader before a handoff stopped.
func CauseOf(h *model.Handoff) Entry {
	switch {
	case h.From != nil:
		return Cause(h.Cause)
	case h.Vacant != nil:
		return Entry{Row: "no leader", Cell: "no leader"}
	}
	return Entry{Row: "first", Cell: "first"}
}
