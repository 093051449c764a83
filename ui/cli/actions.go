package cli

import (
	"context"
	"fmt"
	"sync/atomic"

	"electop/demo"
	"electop/model"
	"electop/ui"
	"electop/zkwatch"
	"electop/zkwatch/feed"
)

// actions carries out what the dashboard asks for, live and in the demo.
type actions struct {
	path          string
	cast          *demo.Cast
	observer      *zkwatch.Observer
	candidacyName string
	blocked       atomic.Pointer[string] // why nothing may be done; nil or "": it may
}

func (a *actions) block(why string) { a.blocked.Store(&why) }

// Why implements ui.Actions.
func (a *actions) Why(act ui.Action) string {
	if act.Kind == ui.Refresh {
		return ""
	}
	if why := a.blocked.Load(); why != nil && *why != "" {
		return *why
	}
	switch act.Kind {
	case ui.Spawn, ui.Campaign:
		if act.Kind == ui.Spawn && a.cast.Len() >= castMax {
			return fmt.Sprintf("the cast has %d candidates: that is the limit", castMax)
		}
		return ""
	case ui.Herd:
		if a.cast.Len() == 0 {
			return "no candidate of ours to follow another recipe"
		}
		return ""
	case ui.Kill, ui.Freeze, ui.Resign:
		if act.Target == "" {
			return "no candidate is selected"
		}
		has, frozen := a.cast.Has(act.Target)
		switch {
		case !has && act.Target[0] == '/':
			return "this candidate is not ours: only our own can be killed, frozen or made to resign"
		case !has:
			return act.Target + " is dead already: its znode waits for its session to expire"
		case frozen && act.Kind == ui.Resign:
			return act.Target + " is frozen: it can do nothing before it thaws (f)"
		}
		return ""
	}
	return "not in this mode"
}

// Do implements ui.Actions.
func (a *actions) Do(_ context.Context, act ui.Action) error {
	if why := a.Why(act); why != "" {
		return fmt.Errorf("%s", why)
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
		r, ok := model.RecipeNamed(act.Arg)
		if !ok {
			return fmt.Errorf("no recipe is called %q", act.Arg)
		}
		return a.cast.Follow(r)
	case ui.Refresh:
		if act.Arg != "" {
			a.observer.Refresh(model.Base(act.Arg))
		}
	}
	return nil
}

// replayActions are those of a replay: it can only be stopped and continued.
type replayActions struct{ player *feed.Player }

func (a replayActions) Why(act ui.Action) string {
	switch {
	case act.Kind == ui.Pause && a.player.Ended():
		return "the recording has ended"
	case act.Kind == ui.Pause:
		return ""
	}
	return "this is a recording: what happened has happened"
}

func (a replayActions) Do(_ context.Context, act ui.Action) error {
	if why := a.Why(act); why != "" {
		return fmt.Errorf("%s", why)
	}
	a.player.Toggle()
	return nil
}
