package phrase

import (
	"maps"
	"slices"

	"electop/model"
	"electop/model/doctor"
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
