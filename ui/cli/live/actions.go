package live

import (
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

// acts returns the table of the actions.
func (a *actions) acts() action.Acts {
	search := &a.elections.searcher
	of := map[action.Kind]action.Act{
		action.Spawn:    {Why: a.whyNoSpawn, Do: func(action.Action) error { _, err := a.cast.Spawn(); return err }},
		action.Campaign: {Why: a.whyNoSpawn, Do: a.campaign},
		action.Herd:     {Why: action.If(func() bool { return a.cast.Len() == 0 }, "electop has no candidates here. s adds one"), Do: a.follow},
		action.Refresh:  {Do: a.refresh},
		action.Verify: {
			Why: action.If(func() bool { return a.elections.watched.Asker() == nil }, "--admin off: the servers are not asked. Start without it"),
			Do:  func(action.Action) error { a.elections.watched.Asker().Verify(); return nil },
		},
		action.Discover: {
			Why: action.If(search.running, "a search is running. The list will have its result"),
			Do:  func(action.Action) error { search.start("/"); return nil },
		},
		action.Listing: {Do: func(act action.Action) error { search.listed(act.Arg == action.ArgOn); return nil }},
		action.Open:    {Do: func(act action.Action) error { return a.elections.open(act.Target) }},
	}
	for _, kind := range action.Faults() {
		of[kind] = action.Act{Why: a.whyNoFault, Do: a.fault}
	}
	if a.stage != nil {
		of[action.Slow] = action.Act{Why: func(x action.Action) string { _, why := a.nextPace(x.Arg); return why }, Do: a.setPace}
		of[action.Step] = action.Act{Do: a.step}
		of[action.Workers] = action.Act{Do: a.setRules}
	}
	for kind, act := range of {
		if kind.Changes() {
			of[kind] = a.ours(act)
		}
	}
	return action.Acts{Of: of, Other: "it needs the embedded server. Start electop demo"}
}

// ours returns act, which is impossible in a read-only election.
func (a *actions) ours(act action.Act) action.Act {
	why := act.Why
	act.Why = func(x action.Action) string {
		switch {
		case a.noActing != "":
			return a.noActing
		case x.Election != "" && x.Election != a.path:
			return "electop's candidates are in " + znode.Safe(a.path, 0) + ". This election is read-only"
		case why != nil:
			return why(x)
		}
		return ""
	}
	return act
}

// whyNoSpawn is the Why of Spawn and Campaign.
func (a *actions) whyNoSpawn(act action.Action) string {
	why := a.barred.Load()
	switch {
	case act.Arg == action.ArgOff:
	case why != nil && *why != "":
		return *why
	case act.Kind == action.Spawn && a.cast.Len() >= CastMax:
		return fmt.Sprintf("there are %d local candidates, which is the limit. d removes one", CastMax)
	}
	return ""
}

func (a *actions) campaign(act action.Action) error {
	if act.Arg == action.ArgOff {
		return a.cast.Fault(demo.You, demo.Resign, true)
	}
	_, err := a.cast.Campaign(a.candidacyName)
	return err
}

func (a *actions) follow(act action.Action) error {
	if act.Arg == action.ArgOn {
		return a.cast.Follow(dialect.Herd())
	}
	return a.cast.Follow(nil)
}

func (a *actions) refresh(act action.Action) error {
	if e := a.elections.find(act.Election); e != nil && act.Arg != "" {
		e.Refresh(znode.Base(act.Arg))
	}
	return nil
}

func (a *actions) whyNoFault(act action.Action) string {
	switch err := a.cast.Why(act.Target, demo.Fault(act.Kind), act.Arg != action.ArgOff); {
	case err == nil:
		return ""
	case !errors.Is(err, demo.ErrNoMember):
		return err.Error()
	case act.Target[0] == '/':
		return "this is a third-party candidate. Select one of electop's own"
	}
	return act.Target + " is dead already. Its znode is deleted when its session expires"
}

func (a *actions) fault(act action.Action) error {
	return a.cast.Fault(act.Target, demo.Fault(act.Kind), act.Arg != action.ArgOff)
}
