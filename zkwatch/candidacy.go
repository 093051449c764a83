package zkwatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
)

// candidacy is one stand of a candidate: the recipe, line by line.
type candidacy struct {
	*Candidate
	conn *Conn
	guid string
	name string // of the own znode
	held bool   // it waited or led

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

// volunteer creates the znode. A create whose reply was lost may have been
// carried out, so it is looked for by its guid before another is tried; it
// counts only if this session owns it.
func (s *candidacy) volunteer(ctx context.Context) error {
	prefix := model.Join(s.cfg.Path, s.guid+"-n_")
	s.report(func(m *model.Member) {
		m.Belief, m.Step, m.StepAt, m.Detail = model.Volunteering, model.StepCreate, s.cfg.Now(), s.guid[:8]+"…-n_"
	})
	for {
		path, err := s.conn.Create(ctx, prefix, s.cfg.Data, zk.FlagEphemeral|zk.FlagSequence, s.cfg.ACL)
		switch {
		case err == nil:
			s.name = model.Base(path)
			s.report(func(m *model.Member) { m.Znode = s.name })
			return nil
		case errors.Is(err, zk.ErrNoNode) && s.cfg.Create:
			if err := s.createParent(ctx); err != nil {
				return err
			}
			continue
		case errors.Is(err, zk.ErrNoNode):
			return fmt.Errorf("%w: %s", ErrNoParent, s.cfg.Path)
		case !disconnected(err):
			return err
		}
		if err := s.awaitConnected(ctx, nil); err != nil {
			return err
		}
		found, err := s.find(ctx)
		if err != nil {
			return err
		}
		if found != "" {
			s.name = found
			s.report(func(m *model.Member) { m.Znode, m.Detail = s.name, "found by its guid" })
			return nil
		}
	}
}

// find looks for the own znode by its guid, on a server that knows all that
// was committed before.
func (s *candidacy) find(ctx context.Context) (string, error) {
	var found string
	err := s.retry(ctx, func() error {
		found = ""
		if err := s.conn.Sync(ctx, s.cfg.Path); err != nil {
			return err
		}
		children, _, err := s.conn.Children(ctx, s.cfg.Path)
		if err != nil {
			return err
		}
		for _, name := range children {
			if !strings.HasPrefix(name, s.guid) {
				continue
			}
			ok, stat, err := s.conn.Exists(ctx, model.Join(s.cfg.Path, name))
			if err != nil {
				return err
			}
			if ok && uint64(stat.EphemeralOwner) == s.conn.Status().SessionID {
				found = name
			}
		}
		return nil
	})
	return found, err
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
	s.report(func(m *model.Member) {
		m.Step, m.StepAt, m.Watches = step, s.cfg.Now(), ""
		m.Detail = "C has " + strconv.Itoa(len(children))
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

// createParent creates the election's parent and what is missing above it. A
// server asks for the permission to create before it says that a znode exists,
// so where an ancestor may not be created it may well be there.
func (s *candidacy) createParent(ctx context.Context) error {
	var forbidden error
	parts := strings.Split(strings.TrimPrefix(s.cfg.Path, "/"), "/")
	for i := range parts {
		path := "/" + strings.Join(slices.Clone(parts[:i+1]), "/")
		err := s.retry(ctx, func() error {
			_, err := s.conn.Create(ctx, path, nil, 0, s.cfg.ACL)
			return err
		})
		switch {
		case err == nil, errors.Is(err, zk.ErrNodeExists):
		case errors.Is(err, zk.ErrNoAuth) && i+1 < len(parts):
			forbidden = err
		case errors.Is(err, zk.ErrNoNode) && forbidden != nil:
			return forbidden
		case errors.Is(err, zk.ErrNoNode):
			return fmt.Errorf("%w: %s, and nothing above it to create it under", ErrNoParent, s.cfg.Path)
		default:
			return err
		}
	}
	return nil
}

// sequenceText is how a step names a znode: by its number.
func sequenceText(name string) string {
	if seq, ok := model.Sequence(name); ok {
		return fmt.Sprint(seq)
	}
	return name
}

// leaseMargin is how long before the end of its lease a leader stops: for a
// clock that runs a little differently, and a tick of the server's.
func leaseMargin(timeout time.Duration) time.Duration { return timeout / 10 }
