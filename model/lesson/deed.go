package lesson

import (
	"slices"

	"electop/model"
)

// A deed is what was done to one of our own candidates.
type deed string

const (
	resigned    deed = "resigned"
	killed      deed = "was killed"
	frozen      deed = "was frozen"
	partitioned deed = "was partitioned"
	thawed      deed = "was thawed"
)

var deedOf = map[model.Fault]deed{model.Killed: killed, model.Frozen: frozen, model.Partitioned: partitioned}

// done returns what was done to a member, "" for nothing.
func (m *moment) done(old, now *model.Member) deed {
	switch {
	case now.Fault != old.Fault && now.Fault != model.NoFault:
		return deedOf[now.Fault]
	case old.Fault == model.Frozen && now.Fault == model.NoFault:
		return thawed
	case now.Ending != old.Ending && now.Ending == model.Resigning && now.Recipe == m.after.Recipe.Name():
		return resigned
	}
	return ""
}

// wanted is the deed that the act asks for, "" for something else.
func (a *Act) wanted() deed {
	switch {
	case a.Fault == "partition":
		return partitioned
	case slices.Contains(a.Keys, "d"):
		return resigned
	case slices.Contains(a.Keys, "x"):
		return killed
	case slices.Contains(a.Keys, "f") && a.Target == FrozenOne:
		return thawed
	case slices.Contains(a.Keys, "f"):
		return frozen
	}
	return ""
}

// strict reports whether the act's conditions tell its deed from others.
func (a *Act) strict() bool {
	return slices.ContainsFunc(a.Until, func(c Condition) bool {
		switch c.Event {
		case Left, Handoff:
			return c.Cause != ""
		case Elected, Acknowledged, Woke, Joined, AllSettled, Watches, Believers:
			return false
		}
		return true
	})
}

// suits reports whether a deed to the target can bring about what the part waits
// for. A session expires in the same way whatever has silenced its client.
func (a *Act) suits(d deed) bool {
	want := a.wanted()
	switch {
	case d == want || d == thawed || !a.strict():
		return true
	case want == "":
		return a.Fault == "" || d == resigned // as for a lost reply
	case want == thawed:
		return d == frozen
	}
	expires := slices.ContainsFunc(a.Until, func(c Condition) bool { return c.Cause == model.CauseExpired })
	return want == killed && expires && (d == frozen || d == partitioned)
}
