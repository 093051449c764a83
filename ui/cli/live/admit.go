package live

import (
	"context"
	"errors"
	"fmt"

	"electop/demo"
	"electop/model"
	"electop/model/doctor"
	"electop/ui/cli/admission"
	"electop/ui/cli/stage"
	"electop/ui/cli/watch"
)

// admitter decides whether our candidates may join the election: those from the
// command line as soon as the election's system is known, and later ones as long as
// that does not change. An election without candidates at the start may turn out to be
// another system's at any time.
type admitter struct {
	actions  *actions
	cfg      Config
	election *watch.Election
	notice   func(string)
	last     string // the last reason
}

// unknownYet is why no candidate may join before the first read.
const unknownYet = "not known yet whether this election has third-party candidates: reading it"

// run starts the candidates of the command line, then keeps judging.
func (a *admitter) run(ctx context.Context) error {
	// The observer reads first, so that every later change is observed.
	s, err := a.election.Feed.Await(ctx, func(s *doctor.State) bool {
		return s.Phase == model.Live || s.Phase == model.NoParent || s.Phase == model.Forbidden && a.cfg.Consent
	})
	if err != nil {
		return nil // the dashboard has ended
	}
	if a.judge(s) {
		if err := a.enter(ctx); err != nil {
			return stage.IgnoreEnd(err)
		}
	}
	for {
		was := s
		if s, err = a.election.Feed.Await(ctx, func(s *doctor.State) bool { return s.Phase != was.Phase || s.Dialect != was.Dialect }); err != nil {
			return nil
		}
		a.judge(s)
	}
}

// enter starts the candidates of the command line.
func (a *admitter) enter(ctx context.Context) error {
	if a.cfg.Campaign {
		// The user may have pressed the key for it meanwhile.
		if _, err := a.actions.cast.Campaign(a.actions.candidacyName); err != nil && !errors.Is(err, demo.ErrCampaigning) {
			return err
		}
	}
	return a.actions.cast.SpawnInOrder(ctx, a.cfg.Cast)
}

// judge decides whether our candidates may join, and reports it.
func (a *admitter) judge(s *doctor.State) bool {
	why := ""
	e, err := admission.Judge(s)
	switch {
	case s.Phase == model.Unseen && a.cfg.Server == nil && !a.cfg.Admission.Known:
		why = unknownYet
	case err != nil:
		why = err.Error()
	case e.Foreign > 0 && !a.cfg.Consent && a.actions.cast.Len() == 0:
		why = fmt.Sprintf("this is %s: start again with --yes to take part", e.Whose())
	case s.Phase == model.Live && s.Queue.Len() > 0:
		a.actions.cast.Speak(e.Naming())
	}
	a.actions.bar(why)
	if why != "" && why != unknownYet && why != a.last {
		a.notice(why)
	}
	a.last = why
	return why == ""
}
