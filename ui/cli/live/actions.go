package live

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"electop/demo"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/ui"
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
func (a *actions) Why(act ui.Action) string {
	switch act.Kind {
	case ui.Refresh, ui.Listing:
		return ""
	case ui.Verify:
		if a.elections.watched.Asker() == nil {
			return "--admin off: the servers are not asked"
		}
		return ""
	case ui.Discover:
		if a.elections.searcher.running() {
			return "the search for elections is running"
		}
		return ""
	case ui.Open:
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
func (a *actions) whyNot(act ui.Action) string {
	switch act.Kind {
	case ui.Spawn, ui.Campaign:
		why := a.barred.Load()
		switch {
		case act.Arg == ui.ArgWithdraw:
		case why != nil && *why != "":
			return *why
		case act.Kind == ui.Spawn && a.cast.Len() >= CastMax:
			return fmt.Sprintf("there are %d local candidates: that is the limit", CastMax)
		}
		return ""
	case ui.Herd:
		if a.cast.Len() == 0 {
			return "electop has no candidates here to follow another recipe"
		}
		return ""
	case ui.Kill, ui.Freeze, ui.Resign, ui.Partition, ui.LoseReply, ui.NoGuid, ui.SlowLead, ui.Expire:
		return a.whyNotTarget(act)
	case ui.Slow, ui.Step, ui.Workers, ui.Fence:
		return ""
	}
	return "not in this mode"
}

// Do implements [ui.Actions].
func (a *actions) Do(_ context.Context, act ui.Action) error {
	if why := a.Why(act); why != "" {
		return errors.New(why)
	}
	switch act.Kind {
	case ui.Spawn:
		_, err := a.cast.Spawn()
		return err
	case ui.Kill:
		return a.cast.Kill(act.Target)
	case ui.Resign:
		return a.cast.Resign(act.Target)
	case ui.Freeze:
		if act.Arg == ui.ArgThaw {
			return a.cast.Thaw(act.Target)
		}
		return a.cast.Freeze(act.Target)
	case ui.Campaign:
		if act.Arg == ui.ArgWithdraw {
			return a.cast.Resign(demo.You)
		}
		_, err := a.cast.Campaign(a.candidacyName)
		return err
	case ui.Herd:
		if act.Arg == dialect.Herd().Name() {
			return a.cast.Follow(dialect.Herd())
		}
		return a.cast.Follow(nil)
	case ui.Partition, ui.LoseReply, ui.NoGuid, ui.SlowLead, ui.Expire:
		return a.fault(act)
	case ui.Slow, ui.Step, ui.Workers, ui.Fence:
		return a.direct(act)
	case ui.Refresh:
		if e := a.elections.find(act.Election); e != nil && act.Arg != "" {
			e.Refresh(znode.Base(act.Arg))
		}
	case ui.Verify:
		a.elections.watched.Asker().Verify()
	case ui.Discover:
		a.elections.searcher.start("/")
	case ui.Listing:
		a.elections.searcher.listed(act.Arg == ui.ArgOn)
	case ui.Open:
		return a.elections.open(act.Target)
	}
	return nil
}
