package live

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"electop/demo"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/ui/action"
)

// CastMax bounds the candidates in one process. So many are tested.
const CastMax = 2000

// actions carries out the actions of the dashboard, on a cluster and in the demo.
// Our candidates are in one election, the first. The others are only observed.
type actions struct {
	path          string // of the first
	cast          *demo.Cast
	stage         *demo.Stage // the demo's; nil on a live cluster
	elections     *elections
	candidacyName string
	noActing      string                 // why nothing may be changed; "": it may
	barred        atomic.Pointer[string] // why no candidate may join; nil or "": it may
}

// bar stops further candidates of ours from joining, with the reason; "" lets them
// join.
func (a *actions) bar(why string) { a.barred.Store(&why) }

// Why implements [ui.Actions].
func (a *actions) Why(act action.Action) string {
	switch act.Kind {
	case action.Refresh, action.Listing:
		return ""
	case action.Verify:
		if a.elections.watched.Asker() == nil {
			return "--admin off: the servers are not asked"
		}
		return ""
	case action.Discover:
		if a.elections.searcher.running() {
			return "the search for elections is running"
		}
		return ""
	case action.Open:
		if a.elections.full() && a.elections.find(act.Target) == nil {
			return errFull.Error()
		}
		return ""
	}
	if a.noActing != "" {
		return a.noActing
	}
	if act.Election != "" && act.Election != a.path {
		return "electop's candidates are in " + znode.Safe(a.path, 0) + ": this election is read-only"
	}
	if why := a.whyNotStage(act); why != "" {
		return why
	}
	return a.whyNot(act)
}

// whyNot is Why for actions on our candidates.
func (a *actions) whyNot(act action.Action) string {
	switch act.Kind {
	case action.Spawn, action.Campaign:
		why := a.barred.Load()
		switch {
		case act.Arg == action.ArgOff:
		case why != nil && *why != "":
			return *why
		case act.Kind == action.Spawn && a.cast.Len() >= CastMax:
			return fmt.Sprintf("there are %d local candidates: that is the limit", CastMax)
		}
		return ""
	case action.Herd:
		if a.cast.Len() == 0 {
			return "electop has no candidates here to follow another recipe"
		}
		return ""
	case action.Kill, action.Freeze, action.Resign, action.Partition, action.LoseReply, action.NoGuid, action.SlowLead, action.Expire:
		return a.whyNotTarget(act)
	case action.Slow, action.Step, action.Workers:
		return ""
	}
	return "not in this mode"
}

// Do implements [ui.Actions].
func (a *actions) Do(_ context.Context, act action.Action) error {
	if why := a.Why(act); why != "" {
		return errors.New(why)
	}
	switch act.Kind {
	case action.Spawn:
		_, err := a.cast.Spawn()
		return err
	case action.Campaign:
		if act.Arg == action.ArgOff {
			return a.cast.Fault(demo.You, demo.Resign, true)
		}
		_, err := a.cast.Campaign(a.candidacyName)
		return err
	case action.Herd:
		if act.Arg == dialect.Herd().Name() {
			return a.cast.Follow(dialect.Herd())
		}
		return a.cast.Follow(nil)
	case action.Kill, action.Freeze, action.Resign, action.Partition, action.LoseReply, action.NoGuid, action.SlowLead, action.Expire:
		return a.cast.Fault(act.Target, demo.Fault(act.Kind), act.Arg != action.ArgOff)
	case action.Slow, action.Step, action.Workers:
		return a.direct(act)
	case action.Refresh:
		if e := a.elections.find(act.Election); e != nil && act.Arg != "" {
			e.Refresh(znode.Base(act.Arg))
		}
	case action.Verify:
		a.elections.watched.Asker().Verify()
	case action.Discover:
		a.elections.searcher.start("/")
	case action.Listing:
		a.elections.searcher.listed(act.Arg == action.ArgOn)
	case action.Open:
		return a.elections.open(act.Target)
	}
	return nil
}
