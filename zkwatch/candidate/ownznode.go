package candidate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/znode"
)

// errDeposed: somebody deleted the own znode. It is one kind of errLost.
var errDeposed = fmt.Errorf("%w: its znode was deleted", errLost)

func (s *candidacy) deposed() error { return fmt.Errorf("%w: %s", errDeposed, s.name) }

// watchOwn reads the own znode and watches it. A candidate whose znode somebody
// deletes is no longer in the queue, and nothing else would notify it.
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

// owns returns what a read of the own znode means.
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

// ownChanged takes in an event of the watch on the own znode. An error means
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

// A deposed leader lets its successor go first for as long as the way to the
// server takes, within these bounds.
const (
	successorPauseLeast = 300 * time.Microsecond // for what a program does in between
	successorPauseMost  = 100 * time.Millisecond
)

// letSuccessorRead lets the successor read C before this session is closed, for
// a leader whose znode somebody deleted. Both are notified at the same time.
// Closing is a write: a standalone server makes what comes behind it wait until
// that is on disk. Half a round trip later the successor's request is ahead, unless the
// successor is twice as far away. The pause is not longer than that, as the
// acknowledgement is in the successor's way until the session is closed.
func (s *candidacy) letSuccessorRead(ctx context.Context) {
	select {
	case <-time.After(min(max(s.conn.Status().Distance/2, successorPauseLeast), successorPauseMost)):
	case <-ctx.Done():
	}
}
