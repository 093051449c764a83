package dashboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/cli/election"
	"electop/ui/wording"
)

// CastMax bounds --cast. The key s is disabled when electop has CastMax candidates or more.
const CastMax = 2000

// actions executes the actions of the keys. Elections other than the first are read-only.
type actions struct {
	path          string // of the first election
	cast          *demo.Cast
	sandbox       *demo.Sandbox // nil on a live cluster
	elections     *elections
	candidacyData string
	whyReadOnly   string                 // why keys that change something are disabled; "": enabled
	noJoining     atomic.Pointer[string] // why no candidate may join; nil or "": candidates may join
}

func (a *actions) acts() action.Acts {
	search := &a.elections.searcher
	of := map[action.Kind]action.Act{
		action.Spawn:    {Why: a.whyNoJoining, Do: func(action.Action) error { _, err := a.cast.Spawn(); return err }},
		action.Campaign: {Why: a.whyNoJoining, Do: a.campaign},
		action.Herd:     {Why: action.If(func() bool { return a.cast.Len() == 0 }, "electop has no candidates here. s adds one"), Do: a.follow},
		action.Refresh:  {Do: a.refresh},
		action.Verify: {
			Why: action.If(func() bool { return a.elections.watched.Poller() == nil }, "--admin off: the servers are not queried. Start without it"),
			Do:  func(action.Action) error { a.elections.watched.Poller().Verify(); return nil },
		},
		action.Discover: {
			Why: action.If(search.running, "a search is running. The list shows the elections as they are found"),
			Do:  func(action.Action) error { search.start("/"); return nil },
		},
		action.Listing: {Do: func(act action.Action) error { search.listed(act.Arg == action.ArgOn); return nil }},
		action.Open:    {Do: func(act action.Action) error { return a.elections.open(act.Target) }},
	}
	for _, kind := range action.Faults() {
		of[kind] = action.Act{Why: a.whyNoFault, Do: a.fault}
	}
	if a.sandbox != nil {
		of[action.Slow] = action.Act{Why: func(x action.Action) string { _, why := a.nextPace(x.Arg); return why }, Do: a.setPace}
		of[action.Step] = action.Act{Do: a.step}
		of[action.Workers] = action.Act{Do: a.setRules}
	}
	for kind, act := range of {
		if kind.Changes() {
			of[kind] = a.onlyIfAllowed(act)
		}
	}
	return action.Acts{Of: of, Other: "it needs the embedded server. Start electop demo"}
}

func (a *actions) onlyIfAllowed(act action.Act) action.Act {
	why := act.Why
	act.Why = func(x action.Action) string {
		switch kind := a.cast.Kind(); {
		case a.whyReadOnly != "":
			return a.whyReadOnly
		case kind != dialect.KindElection && slices.Contains([]action.Kind{action.Campaign, action.Herd, action.Workers}, x.Kind):
			return "this demo shows a " + kind.String()
		case x.Election != "" && x.Election != a.path:
			return "electop's candidates are in " + znode.Safe(a.path, 0) + ". This election is read-only"
		case why != nil:
			return why(x)
		}
		return ""
	}
	return act
}

func (a *actions) whyNoJoining(act action.Action) string {
	why := a.noJoining.Load()
	switch {
	case act.Arg == action.ArgOff:
	case why != nil && *why != "":
		return *why
	case act.Kind == action.Spawn && a.cast.Len() >= CastMax:
		return fmt.Sprintf("the limit of %d local candidates is reached. d removes one", CastMax)
	}
	return ""
}

func (a *actions) campaign(act action.Action) error {
	if act.Arg == action.ArgOff {
		return a.cast.Fault(demo.You, demo.Resign, true)
	}
	_, err := a.cast.Campaign(a.candidacyData)
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
		return map[bool]string{false: "this is a third-party candidate. Select one of electop's own", true: "this is an item of the queue. Select a participant"}[a.elections.State().Kind() == dialect.KindQueue]
	}
	return act.Target + " is dead already. Its znode is deleted when its session expires"
}

func (a *actions) fault(act action.Action) error {
	return a.cast.Fault(act.Target, demo.Fault(act.Kind), act.Arg != action.ArgOff)
}

var paces = []zkserver.Pace{
	{},
	{Delay: 100 * time.Millisecond},
	{Delay: 250 * time.Millisecond},
	{Delay: 500 * time.Millisecond},
	{Delay: time.Second},
	{Delay: zkserver.PaceMax},
	{Steps: true},
}

func (a *actions) nextPace(arg string) (p zkserver.Pace, why string) {
	now := a.sandbox.Pace()
	i := slices.IndexFunc(paces, func(p zkserver.Pace) bool {
		return p.Steps == now.Steps && (p.Steps || p.Delay >= now.Delay)
	})
	switch {
	case arg == action.ArgFaster && i == 0:
		return now, "no message is held. [ slows the server down"
	case arg == action.ArgFaster:
		i--
	case i == len(paces)-1:
		return now, "the server goes step by step already. The key . releases the next message"
	default:
		i++
	}
	return paces[i], ""
}

func (a *actions) setPace(act action.Action) error {
	p, _ := a.nextPace(act.Arg)
	a.sandbox.SetPace(p)
	return action.Success(paceWords(p))
}

func (a *actions) step(action.Action) error {
	step, err := a.sandbox.Step()
	if err != nil {
		return err
	}
	return action.Success(stepWords(a.elections.State(), step))
}

func (a *actions) setRules(act action.Action) error {
	r := a.sandbox.Rules()
	r.Workers, r.Fenced = act.Arg != action.ArgOff, act.Arg == action.ArgGuard
	a.sandbox.SetRules(r)
	return nil
}

func stepWords(s *doctor.State, step demo.Step) string {
	switch {
	case step.Began:
		return paceWords(zkserver.Pace{Steps: true})
	case step.Released != nil:
		return "released " + wording.Addressed(s, step.Released)
	case step.Skipped != "":
		return "skipped " + units.Took(step.Wait) + ": the session of " + znode.Safe(step.Skipped, 40) + " expires now"
	}
	return "no message is held, and no session is about to expire"
}

func paceWords(p zkserver.Pace) string {
	switch {
	case p.Steps:
		return "step by step: each reply and notification is held until . releases it; pings are answered"
	case p.Delay > 0:
		return fmt.Sprintf("slow motion: each reply and notification is held for %s; pings are answered", units.Exact(p.Delay))
	}
	return "full speed"
}

// admitter decides whether electop's candidates may join. Third-party candidates can change the decision.
type admitter struct {
	actions  *actions
	cfg      Config
	election *election.Election
	notice   func(string)
	last     string // why no candidate may join, according to the last decision
}

const unknownYet = "not known yet whether this election has third-party candidates: reading it"

func (a *admitter) run(ctx context.Context) error {
	// The candidates join after the first read, so that the observer sees them join.
	s, err := a.election.Feed.Await(ctx, func(s *doctor.State) bool {
		return s.Phase == model.Live || s.Phase == model.NoParent || s.Phase == model.Forbidden && a.cfg.Consent
	})
	if err != nil {
		return nil
	}
	if a.decide(s) {
		if err := a.start(ctx); err != nil {
			return election.IgnoreEnd(err)
		}
	}
	for {
		was := s
		if s, err = a.election.Feed.Await(ctx, func(s *doctor.State) bool { return s.Phase != was.Phase || s.Dialect != was.Dialect }); err != nil {
			return nil
		}
		a.decide(s)
	}
}

func (a *admitter) start(ctx context.Context) error {
	if a.cfg.Campaign {
		// The user may have started the candidacy with a key.
		if _, err := a.actions.cast.Campaign(a.actions.candidacyData); err != nil && !errors.Is(err, demo.ErrCampaigning) {
			return err
		}
	}
	return a.actions.cast.SpawnInOrder(ctx, a.cfg.Cast)
}

func (a *admitter) decide(s *doctor.State) bool {
	if a.actions.cast.Kind() != dialect.KindElection {
		return true
	}
	why := ""
	e, err := election.Admit(s)
	switch {
	case s.Phase == model.Unseen && a.cfg.Server == nil && !a.cfg.Admission.Known:
		why = unknownYet
	case err != nil:
		why = err.Error()
	case e.Foreign > 0 && !a.cfg.Consent && a.actions.cast.Len() == 0:
		why = fmt.Sprintf("this is %s: start again with --yes to take part", e.Whose())
	case s.Phase == model.Live && s.Queue.Len() > 0:
		a.actions.cast.SetDialect(e.Naming())
	}
	a.actions.noJoining.Store(&why)
	if why != "" && why != unknownYet && why != a.last {
		a.notice(why)
	}
	a.last = why
	return why == ""
}
