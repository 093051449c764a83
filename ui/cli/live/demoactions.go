package live

import (
	"fmt"
	"slices"
	"time"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
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

// nextPace returns the next slower or faster pace, or why there is none.
func (a *actions) nextPace(arg string) (p zkserver.Pace, why string) {
	now := a.stage.Pace()
	i := slices.IndexFunc(paces, func(p zkserver.Pace) bool {
		return p.Steps == now.Steps && (p.Steps || p.Delay >= now.Delay)
	})
	switch {
	case arg == action.ArgFaster && i == 0:
		return now, "no message is held. [ slows the server down"
	case arg == action.ArgFaster:
		i--
	case i == len(paces)-1:
		return now, "it goes step by step already. The key . releases the next message"
	default:
		i++
	}
	return paces[i], ""
}

func (a *actions) setPace(act action.Action) error {
	p, _ := a.nextPace(act.Arg)
	a.stage.SetPace(p)
	return action.Did(paceWords(p))
}

func (a *actions) step(action.Action) error {
	step, err := a.stage.Step()
	if err != nil {
		return err
	}
	return action.Did(stepWords(a.elections.State(), step))
}

func (a *actions) setRules(act action.Action) error {
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
