package candidate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/znode"
)

// errDeposed: the own znode was deleted by someone else. It is one kind of errLost.
var errDeposed = fmt.Errorf("%w: its znode was deleted", errLost)

func (s *candidacy) deposed() error { return fmt.Errorf("%w: %s", errDeposed, s.name) }

// watchOwn reads the own znode and watches it. A candidate whose znode is deleted
// by someone else is no longer in the queue, and nothing else would notify it.
func (s *candidacy) watchOwn(ctx context.Context, try attempt) error {
	var stat *zk.Stat
	var watch <-chan zk.Event
	err := try(ctx, func(ctx context.Context) (err error) {
		_, stat, watch, err = s.conn.GetW(ctx, znode.Join(s.cfg.Path, s.name))
		return err
	})
	if err := s.owns(stat, err); err != nil {
		return err
	}
	s.own, s.fence = watch, stat.Czxid
	return nil
}

// owns returns why the own znode is lost, by the result of reading it.
func (s *candidacy) owns(stat *zk.Stat, err error) error {
	switch {
	case errors.Is(err, zk.ErrNoNode):
		return s.deposed()
	case err != nil:
		return err
	case uint64(stat.EphemeralOwner) != s.conn.Status().SessionID:
		return fmt.Errorf("%w: %s belongs to another session", errLost, s.name)
	}
	return nil
}

// ownChanged handles an event of the watch on the own znode. An error means
// that the candidacy is over.
func (s *candidacy) ownChanged(ctx context.Context, e zk.Event, ok bool, try attempt) error {
	if err := s.gate.Wait(ctx); err != nil {
		return err
	}
	s.own = nil
	switch {
	case !ok || e.Type == zk.EventNotWatching:
		return nil // the status says what happened
	case e.Type == zk.EventNodeDeleted:
		return s.deposed()
	}
	return s.watchOwn(ctx, try)
}

// A deposed leader lets its successor go first for half a round trip, within
// these bounds.
const (
	successorPauseLeast = 300 * time.Microsecond // for what a program does in between
	successorPauseMost  = 100 * time.Millisecond
)

// letSuccessorRead lets the successor read C before this session is closed. It is
// for a leader whose znode was deleted by someone else; both are notified at the
// same time. Closing is a write: in a standalone server later requests wait until
// it is on disk. Half a round trip later the successor's request has arrived
// first, unless the successor is twice as far away. The pause is not longer,
// because the acknowledgement exists until the session is closed.
func (s *candidacy) letSuccessorRead(ctx context.Context) {
	select {
	case <-time.After(min(max(s.conn.Status().Distance/2, successorPauseLeast), successorPauseMost)):
	case <-ctx.Done():
	}
}
