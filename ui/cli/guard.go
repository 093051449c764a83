package cli

import (
	"context"
	"errors"
	"fmt"

	"electop/demo"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/ui"
)

// guard lets candidates of ours into an election: those that were asked for at
// the start, once it is known whose election it is, and later ones for as long
// as that does not change. An election that nobody stood in at the start may
// turn out to be somebody else's at any time.
type guard struct {
	*actions
	screen   screen
	election *watched
	notice   func(string)
	told     string // the reason given last
}

// unknownYet is why nothing is done before the first look.
const unknownYet = "not known yet whether this is somebody else's election: it is being looked at"

// run lets in those asked for, then watches on.
func (g *guard) run(ctx context.Context) error {
	// Looking comes first, so that whatever happens is seen to happen.
	s, err := g.election.feed.Await(ctx, func(s *doctor.State) bool {
		return s.Phase == model.Live || s.Phase == model.NoParent || s.Phase == model.Forbidden && g.screen.consent
	})
	if err != nil {
		return nil // the dashboard was left
	}
	if g.judge(s) {
		if err := g.enter(ctx); err != nil {
			return left(err)
		}
	}
	for {
		was := key(s)
		if s, err = g.election.feed.Await(ctx, func(s *doctor.State) bool { return key(s) != was }); err != nil {
			return nil
		}
		g.judge(s)
	}
}

// enter lets in the candidates that were asked for.
func (g *guard) enter(ctx context.Context) error {
	if g.screen.campaign {
		// The key for it may have been pressed meanwhile.
		if _, err := g.cast.Campaign(g.candidacyName); err != nil && !errors.Is(err, demo.ErrCampaigning) {
			return err
		}
	}
	return g.cast.SpawnInOrder(ctx, g.screen.cast)
}

// facts are what the judgement depends on.
type facts struct {
	phase   model.Phase
	dialect *dialect.Dialect
}

func key(s *doctor.State) facts { return facts{s.Phase, s.Dialect} }

// judge opens or closes the election to candidates of ours, and reports
// whether they may enter.
func (g *guard) judge(s *doctor.State) bool {
	why := ""
	e, err := entryOf(s)
	switch {
	case s.Phase == model.Unseen && g.screen.mode != ui.ModeDemo && !g.screen.entry.known:
		why = unknownYet
	case err != nil:
		why = err.Error()
	case e.foreign > 0 && !g.screen.consent && g.cast.Len() == 0:
		why = fmt.Sprintf("this is %s: start again with --yes to take part in it", e.whose())
	case s.Phase == model.Live && len(s.Queue) > 0:
		g.cast.Speak(e.naming())
	}
	g.bar(why)
	if why != "" && why != unknownYet && why != g.told {
		g.notice(why)
	}
	g.told = why
	return why == ""
}

// left is nil for the errors of a dashboard that is being left.
func left(err error) error {
	if errors.Is(err, demo.ErrClosed) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
