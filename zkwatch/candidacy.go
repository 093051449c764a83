package zkwatch

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"electop/model"
)

// candidacy is one stand of a candidate: the recipe, line by line.
type candidacy struct {
	*Candidate
	conn   *Conn
	prefix string // of the own znode's name
	shown  string // prefix, with less of its guid
	name   string // of the own znode
	held   bool   // it waited or led

	nameless bool // its znode can not be told from others by its name

	status    <-chan Status
	connected bool

	// notContending holds children that look numbered but are persistent.
	notContending map[string]bool
}

func (s *candidacy) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.status = s.conn.Subscribe(ctx)
	if err := s.awaitConnected(ctx, nil); err != nil {
		return err
	}
	if err := s.volunteer(ctx); err != nil {
		return err
	}
	step, watchStep := model.StepList, model.StepWatch
	for {
		target, err := s.list(ctx, step)
		if err != nil {
			return err
		}
		if target.Leads {
			return s.lead(ctx)
		}
		deleted, err := s.wait(ctx, target.Watch, watchStep)
		if err != nil {
			return err
		}
		if deleted { // a watched predecessor went: the second half of the recipe
			step, watchStep = model.StepListAgain, model.StepWatchAgain
		}
	}
}

// list reads C and decides. Its one request is all it takes to know.
func (s *candidacy) list(ctx context.Context, step model.Step) (model.Target, error) {
	var children []string
	err := s.retry(ctx, func() (err error) {
		children, _, err = s.conn.Children(ctx, s.cfg.Path)
		return err
	})
	if err != nil {
		return model.Target{}, err
	}
	target := s.cfg.Recipe.Target(s.name, children, func(n string) bool { return s.notContending[n] })
	if !target.Listed {
		return target, fmt.Errorf("%w: %s was deleted", errLost, s.name)
	}
	if target.Leads && s.leaseLeft() <= 0 { // frozen meanwhile: the answer is old
		return target, errLeaseOver
	}
	s.report(func(m *model.Member) {
		m.Step, m.StepAt, m.Watches = step, s.cfg.Now(), ""
		m.Detail = listed(children)
		if target.Leads {
			m.Belief, m.Step = model.Elected, model.StepLowest
		}
	})
	return target, nil
}

// wait watches one child until it is deleted. It is a data watch: on an
// absent znode getData leaves no watch behind, exists would. deleted is false
// where nothing was waited for and C has to be read again all the same.
func (s *candidacy) wait(ctx context.Context, predecessor string, step model.Step) (deleted bool, err error) {
	path := model.Join(s.cfg.Path, predecessor)
	for {
		var watch <-chan zk.Event
		var stat *zk.Stat
		err := s.retry(ctx, func() (err error) {
			_, stat, watch, err = s.conn.GetW(ctx, path)
			return err
		})
		switch {
		case errors.Is(err, zk.ErrNoNode):
			return false, nil
		case err != nil:
			return false, err
		}
		if stat.EphemeralOwner == 0 { // numbered, but nobody's: it will not go
			if s.notContending == nil {
				s.notContending = make(map[string]bool)
			}
			s.notContending[predecessor] = true
			return false, nil
		}
		s.held = true
		s.report(func(m *model.Member) {
			m.Belief, m.Watches = model.Waiting, predecessor
			m.Step, m.StepAt, m.Detail = step, s.cfg.Now(), sequenceText(predecessor)
		})
		gone, err := s.await(ctx, watch)
		if gone || err != nil {
			return gone, err
		}
	}
}

// await waits for a watch to fire. It reports suspension and resumption on
// the way.
func (s *candidacy) await(ctx context.Context, watch <-chan zk.Event) (deleted bool, err error) {
	for {
		select {
		case e, ok := <-watch:
			if err := s.gate.Wait(ctx); err != nil {
				return false, err
			}
			if !ok || e.Type == zk.EventNotWatching || e.Err != nil {
				return false, s.awaitConnected(ctx, errWatchLost)
			}
			return e.Type == zk.EventNodeDeleted, nil
		case st, ok := <-s.status:
			was := s.m.Belief
			if err := s.note(ctx, st, ok); err != nil {
				return false, err
			}
			if !s.connected && was == model.Waiting {
				s.report(func(m *model.Member) { m.Belief = model.Suspended })
			} else if s.connected && was == model.Suspended {
				s.report(func(m *model.Member) { m.Belief = model.Waiting })
			}
		case <-s.resign:
			return false, s.withdraw(ctx)
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// errWatchLost is the session's end as a watch tells it.
var errWatchLost = fmt.Errorf("%w: its watch is gone with the session", errLost)

// withdraw deletes the own znode. Whether that succeeds or not the session is
// closed next, which deletes it too.
func (s *candidacy) withdraw(ctx context.Context) error {
	if err := s.gate.Wait(ctx); err != nil {
		return err
	}
	s.report(func(m *model.Member) { m.Belief, m.Ending = model.Resigned, model.Resigning })
	if s.name != "" && s.connected {
		// The error does not matter: closing the session deletes it as well.
		_ = s.conn.Delete(ctx, model.Join(s.cfg.Path, s.name), -1)
	}
	return errResigned
}

// note takes in a change of the connection. It returns an error when the
// candidacy is over.
func (s *candidacy) note(ctx context.Context, st Status, ok bool) error {
	if err := s.gate.Wait(ctx); err != nil {
		return err
	}
	if !ok || st.State.Terminal() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.conn.Status().Err; err != nil {
			return fmt.Errorf("%w: session %v: %v", errLost, s.conn.Status().State, err)
		}
		return fmt.Errorf("%w: session %v", errLost, s.conn.Status().State)
	}
	s.connected = st.State == Connected
	return nil
}

// awaitConnected waits until the session is connected. ended is the error to
// return should it already be over.
func (s *candidacy) awaitConnected(ctx context.Context, ended error) error {
	if ended != nil {
		// The watch's channel may be ahead of the status.
		select {
		case <-s.conn.Done():
			return ended
		default:
		}
	}
	for {
		if st := s.conn.Status(); st.State == Connected && s.connected {
			return s.gate.Wait(ctx)
		}
		select {
		case st, ok := <-s.status:
			if err := s.note(ctx, st, ok); err != nil {
				return err
			}
		case <-s.resign:
			return s.withdraw(ctx)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// retry repeats a harmless request for as long as the session lasts.
func (s *candidacy) retry(ctx context.Context, request func() error) error {
	for {
		if err := s.gate.Wait(ctx); err != nil {
			return err
		}
		err := request()
		if gateErr := s.gate.Wait(ctx); gateErr != nil { // frozen meanwhile: nothing is decided
			return gateErr
		}
		if err == nil || !disconnected(err) {
			return err
		}
		if err := s.awaitConnected(ctx, nil); err != nil {
			return err
		}
	}
}

// disconnected tells the errors after which the session may go on from those
// that are the server's answer. Too large a reply would be so again.
func disconnected(err error) bool {
	if errors.Is(err, ErrReplyTooLarge) {
		return false
	}
	return errors.Is(err, ErrNotConnected) || errors.Is(err, ErrUnknownOutcome) ||
		errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrNoServer) ||
		errors.Is(err, zk.ErrClosing) || errors.Is(err, zk.ErrSessionExpired)
}
