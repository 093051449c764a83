package zkwatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/model/units"
	"electop/model/znode"
)

// candidacy is one stand of a candidate: the recipe, line by line.
type candidacy struct {
	*Candidate
	conn   *Conn
	prefix string // of the own znode's name
	shown  string // prefix, with less of its guid
	name   string // of the own znode
	fence  int64  // its czxid
	held   bool   // it waited or led
	leased bool   // it leads, or runs its leader procedure: both under a lease

	nameless bool // its znode can not be told from others by its name
	stood    bool // an earlier candidacy waited or led

	status    <-chan Status
	connected bool
	current   uint64 // the change of status that was acted on; earlier ones are old

	own       <-chan zk.Event // a watch on the own znode; nil: it has to be set
	ackWatch  <-chan zk.Event // the last one on the acknowledgement
	ackParent <-chan zk.Event // the last one for the creation of its parent

	unproved int // renewals in a row that were committed and proved no lease

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
	if err := s.conn.checkLease(); err != nil {
		return err
	}
	if !s.stood {
		if err := s.checkAckParent(ctx); err != nil {
			return err
		}
	}
	if err := s.volunteer(ctx); err != nil {
		return err
	}
	if err := s.watchOwn(ctx, s.retry); err != nil {
		return err
	}
	step, watchStep := model.StepList, model.StepWatch
	for {
		target, err := s.list(ctx, step, s.retry)
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
func (s *candidacy) list(ctx context.Context, step model.Step, try attempt) (dialect.Target, error) {
	var children []string
	err := try(ctx, func(ctx context.Context) (err error) {
		children, _, err = s.conn.Children(ctx, s.cfg.Path)
		return err
	})
	if err != nil {
		return dialect.Target{}, err
	}
	target := s.cfg.Recipe.Target(s.name, children, func(n string) bool { return s.notContending[n] })
	if !target.Listed {
		return target, s.deposed()
	}
	if target.Leads && s.contactLeft() <= 0 { // frozen meanwhile: the answer is old
		return target, errLeaseOver
	}
	s.report(func(m *model.Member) {
		m.Step, m.StepAt, m.Watches = step, s.cfg.Now(), ""
		m.Detail, m.Obstacle = listed(children), ""
		if target.Leads {
			m.Belief, m.Step = model.Elected, model.StepLowest
		}
	})
	return target, nil
}

// wait watches one child until it is deleted. It is a data watch: on an
// absent znode getData leaves no watch behind, exists would. deleted is false
// where nothing was waited for and C has to be read again all the same.
//
// Where the predecessor may not be read exists sets the watch, and the
// candidate asks again now and then: servers withhold events of a znode from
// those who may not read it (since CVE-2024-23944).
func (s *candidacy) wait(ctx context.Context, predecessor string, step model.Step) (deleted bool, err error) {
	path := znode.Join(s.cfg.Path, predecessor)
	for {
		var watch <-chan zk.Event
		var stat *zk.Stat
		var obstacle string
		err := s.retry(ctx, func(ctx context.Context) (err error) {
			_, stat, watch, err = s.conn.GetW(ctx, path)
			return err
		})
		if errors.Is(err, zk.ErrNoAuth) {
			obstacle = fmt.Sprintf("%s may not be read: its deletion is noticed within %s", znode.Safe(predecessor, 0), units.Exact(unreadablePause))
			if stat, watch, err = s.watchUnreadable(ctx, path); err == nil && stat == nil {
				return false, nil
			}
		}
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
			m.Obstacle = obstacle
		})
		if obstacle != "" {
			return s.awaitUnreadable(ctx, path, watch)
		}
		what, err := s.await(ctx, watch, nil)
		if what == itsDeletion || err != nil {
			return what == itsDeletion, err
		}
	}
}

// unreadablePause is how often a candidate asks whether a predecessor that it
// may not read is still there.
const unreadablePause = 2 * time.Second

// watchUnreadable sets a watch by exists, which needs no permission. The stat is
// nil where the znode is not there: exists would leave a watch behind then, so it
// is asked without one first.
func (s *candidacy) watchUnreadable(ctx context.Context, path string) (stat *zk.Stat, watch <-chan zk.Event, err error) {
	err = s.retry(ctx, func(ctx context.Context) (err error) {
		if _, stat, err = s.conn.Exists(ctx, path); err != nil || stat == nil {
			return err
		}
		_, stat, watch, err = s.conn.ExistsW(ctx, path)
		return err
	})
	return stat, watch, err
}

// awaitUnreadable waits until a predecessor that may not be read is gone, or has
// changed: it may be readable then, and another watch has to be set.
func (s *candidacy) awaitUnreadable(ctx context.Context, path string, watch <-chan zk.Event) (deleted bool, err error) {
	ticker := time.NewTicker(unreadablePause)
	defer ticker.Stop()
	for {
		what, err := s.await(ctx, watch, ticker.C)
		if what != aTick || err != nil {
			return what == itsDeletion, err
		}
		var exists bool
		err = s.retry(ctx, func(ctx context.Context) (err error) {
			exists, _, err = s.conn.Exists(ctx, path)
			return err
		})
		if !exists || err != nil {
			return err == nil, err
		}
	}
}

// An awaited is what a candidate waited for.
type awaited int

const (
	itsChange   awaited = iota // the watch fired, or is gone
	itsDeletion                // likewise
	aTick
)

// await waits for a watch to fire, or for a tick. It reports suspension and
// resumption on the way.
func (s *candidacy) await(ctx context.Context, watch <-chan zk.Event, tick <-chan time.Time) (awaited, error) {
	for {
		switch {
		case !s.connected && s.m.Belief == model.Waiting:
			s.report(func(m *model.Member) { m.Belief = model.Suspended })
		case s.connected && s.m.Belief == model.Suspended:
			s.report(func(m *model.Member) { m.Belief = model.Waiting })
		}
		select {
		case e, ok := <-watch:
			if err := s.gate.Wait(ctx); err != nil {
				return itsChange, err
			}
			switch {
			case !ok || e.Type == zk.EventNotWatching || e.Err != nil:
				return itsChange, s.awaitConnected(ctx, errWatchLost)
			case e.Type == zk.EventNodeDeleted:
				return itsDeletion, nil
			}
			return itsChange, nil
		case <-tick:
			return aTick, s.gate.Wait(ctx)
		case e, ok := <-s.own:
			if err := s.ownChanged(ctx, e, ok, s.retry); err != nil {
				return itsChange, err
			}
		case st, ok := <-s.status:
			if err := s.note(ctx, st, ok); err != nil {
				return itsChange, err
			}
		case <-s.resign:
			return itsChange, s.withdraw(ctx)
		case <-ctx.Done():
			return itsChange, ctx.Err()
		}
	}
}

// errWatchLost is the session's end as a watch tells it.
var errWatchLost = fmt.Errorf("%w: its watch is gone with the session", errLost)

// withdraw ends the candidacy on purpose. The session is closed next, and the
// znode and the acknowledgement go with it, in one transaction: a delete before
// that would be another, in front of what the successor reads.
func (s *candidacy) withdraw(ctx context.Context) error {
	if err := s.gate.Wait(ctx); err != nil {
		return err
	}
	s.report(func(m *model.Member) { m.Belief, m.Ending, m.Obstacle = model.Resigned, model.Resigning, "" })
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
	if st.change >= s.current {
		s.connected = st.State == Connected
	}
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

// An attempt makes a request, and says what is done where it goes unanswered:
// retry asks again, whileLeased suspends a leader.
type attempt func(ctx context.Context, request func(context.Context) error) error

// retry repeats a harmless request for as long as the session lasts.
func (s *candidacy) retry(ctx context.Context, request func(context.Context) error) error {
	for {
		if err := s.gate.Wait(ctx); err != nil {
			return err
		}
		err := request(ctx)
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
