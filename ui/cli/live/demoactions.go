package live

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui"
	"electop/ui/action"
	"electop/ui/wording"
)

// paces are the speeds of the embedded server, from full speed to step by step.
var paces = []zkserver.Pace{
	{},
	{Delay: 100 * time.Millisecond},
	{Delay: 250 * time.Millisecond},
	{Delay: 500 * time.Millisecond},
	{Delay: time.Second},
	{Delay: zkserver.PaceMax},
	{Steps: true},
}

// whyNotStage is Why for actions that need the demo's own server.
func (a *actions) whyNotStage(act action.Action) string {
	const own = "only in the demo, with the embedded server"
	switch act.Kind {
	case action.Slow, action.Step, action.Workers:
		if a.stage == nil {
			return own
		}
	}
	switch act.Kind {
	case action.Slow:
		if _, ok := a.nextPace(act.Arg); !ok {
			return map[string]string{
				action.ArgSlower: "it is step by step already: . releases the next message",
				action.ArgFaster: "no message is held: [ slows down",
			}[act.Arg]
		}
	}
	return ""
}

// nextPace returns the next slower or faster pace; false if there is none.
func (a *actions) nextPace(arg string) (zkserver.Pace, bool) {
	now := a.stage.Pace()
	i := slices.IndexFunc(paces, func(p zkserver.Pace) bool {
		return p.Steps == now.Steps && (p.Steps || p.Delay >= now.Delay)
	})
	if arg == action.ArgSlower {
		i++
	} else {
		i--
	}
	if i < 0 || i >= len(paces) {
		return zkserver.Pace{}, false
	}
	return paces[i], true
}

// whyNotTarget is Why for actions on one of our candidates.
func (a *actions) whyNotTarget(act action.Action) string {
	if act.Target == "" {
		return "no candidate is selected"
	}
	switch err := a.cast.Why(act.Target, demo.Fault(act.Kind), act.Arg != action.ArgOff); {
	case err == nil:
		return ""
	case !errors.Is(err, demo.ErrNoMember):
		return err.Error()
	case act.Target[0] == '/':
		return "this is a third-party candidate: you can kill, freeze and resign only electop's own"
	}
	return act.Target + " is dead already: its znode is deleted when its session expires"
}

// direct carries out actions on the demo as a whole.
func (a *actions) direct(act action.Action) error {
	switch act.Kind {
	case action.Slow:
		p, _ := a.nextPace(act.Arg)
		a.stage.SetPace(p)
		return ui.Did(paceWords(p))
	case action.Step:
		step, err := a.stage.Step()
		if err != nil {
			return err
		}
		return ui.Did(stepWords(a.elections.State(), step))
	}
	r := a.stage.Rules()
	r.Workers, r.Fenced = act.Arg != action.ArgOff, act.Arg == action.ArgGuard
	return a.stage.SetRules(r)
}

// stepWords describes what a step did.
func stepWords(s *doctor.State, did demo.Step) string {
	switch {
	case did.Began:
		return paceWords(zkserver.Pace{Steps: true})
	case did.Released != nil:
		return "released " + wording.Addressed(s, did.Released)
	case did.Skipped != "":
		return "skipped " + units.Took(did.Wait) + ": the session of " + znode.Safe(did.Skipped, 40) + " expires now"
	}
	return "no message is held, and no session is about to expire"
}

// paceWords describes a pace.
func paceWords(p zkserver.Pace) string {
	switch {
	case p.Steps:
		return "step by step: each reply and notification is held until . releases it; pings are answered"
	case p.Delay > 0:
		return fmt.Sprintf("slow motion: each reply and notification is held for %s; pings are answered", units.Exact(p.Delay))
	}
	return "full speed"
}
