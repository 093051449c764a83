package candidate

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/zkwatch/client"
)

type candidacy struct {
	*Candidate
	conn        *client.Conn
	prefix      string // the own znode's name without its number
	shown       string // prefix with only eight digits of its guid
	name        string // the own znode's name
	fence       int64  // the own znode's czxid
	established bool   // the candidacy waited or led
	leased      bool   // the candidate led in this reign, or began its leader procedure
	noGuid      bool

	status    <-chan client.Status
	connected bool
	current   uint64 // the last Status.Change that awaitLease read; older ones in status are out of date

	own      <-chan zk.Event // a watch on the own znode; nil if not set
	ackWatch <-chan zk.Event // the last watch on the acknowledgement

	unproved int // committed renewals in a row that proved no lease

	persistent map[string]bool // names of persistent children
}

func (s *candidacy) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.status = s.conn.Subscribe(ctx)
	if err := s.awaitConnected(ctx); err != nil {
		return err
	}
	if err := s.conn.CheckLease(); err != nil {
		return err
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
		if deleted {
			step, watchStep = model.StepListAgain, model.StepWatchAgain
		}
	}
}

func (s *candidacy) list(ctx context.Context, step model.Step, try attempt) (dialect.Target, error) {
	var children []string
	err := try(ctx, func(ctx context.Context) (err error) {
		children, _, err = s.conn.Children(ctx, s.cfg.Path)
		return err
	})
	if err != nil {
		return dialect.Target{}, err
	}
	target := s.cfg.Recipe.Target(s.name, children, func(n string) bool { return s.persistent[n] })
	if !target.Listed {
		return target, s.deposed()
	}
	if target.Leads && s.expiryLeft() <= 0 { // after a freeze the list may be out of date
		return target, errLeaseOver
	}
	s.report(func(m *model.Member) {
		m.Step, m.StepAt, m.Watches = step, s.cfg.Now(), ""
		m.StepOn, m.Obstacle = listed(children), ""
		if target.Leads {
			m.Belief, m.Step = model.Elected, model.StepLowest
		}
	})
	return target, nil
}

func (s *candidacy) withdraw(ctx context.Context) error {
	if err := s.gate.Wait(ctx); err != nil {
		return err
	}
	s.report(func(m *model.Member) { m.Belief, m.Ending, m.Obstacle = model.Resigned, model.Resigning, "" })
	return errResigned
}

func (s *candidacy) noteStatus(ctx context.Context, st client.Status, ok bool) error {
	if err := s.gate.Wait(ctx); err != nil {
		return err
	}
	if !ok || st.State.Terminal() {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.conn.Status().Err
		if errors.Is(err, zk.ErrAuthFailed) {
			return fmt.Errorf("%w: session %v: %w", errLost, s.conn.Status().State, err)
		}
		if err != nil {
			return fmt.Errorf("%w: session %v: %v", errLost, s.conn.Status().State, err)
		}
		return fmt.Errorf("%w: session %v", errLost, s.conn.Status().State)
	}
	if st.Change >= s.current {
		s.connected = st.State == client.Connected
	}
	return nil
}

func (s *candidacy) awaitConnected(ctx context.Context) error {
	for {
		if st := s.conn.Status(); st.State == client.Connected && s.connected {
			return s.gate.Wait(ctx)
		}
		select {
		case st, ok := <-s.status:
			if err := s.noteStatus(ctx, st, ok); err != nil {
				return err
			}
		case <-s.resign:
			return s.withdraw(ctx)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

type attempt func(ctx context.Context, request func(context.Context) error) error

// retry repeats request until it gets an answer, so request must be safe to repeat.
func (s *candidacy) retry(ctx context.Context, request func(context.Context) error) error {
	for {
		if err := s.gate.Wait(ctx); err != nil {
			return err
		}
		err := request(ctx)
		if gateErr := s.gate.Wait(ctx); gateErr != nil {
			return gateErr
		}
		if err == nil || !client.Unanswered(err) {
			return err
		}
		if err := s.awaitConnected(ctx); err != nil {
			return err
		}
	}
}
