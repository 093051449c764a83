package candidate

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// acknowledge reads before it creates, except after EventNodeDeleted. A deposed leader's acknowledgement often still
// exists. A create would then fail, but servers log even a failed create, which would delay that znode's deletion.
func (r *reign) acknowledge(ctx context.Context) error {
	if r.cfg.Ack == "" {
		r.acked = true
		return nil
	}
	r.report(func(m *model.Member) {
		m.Step, m.StepAt, m.StepOn = model.StepAcknowledge, r.cfg.Now(), model.StepOn{Name: znode.Base(r.cfg.Ack)}
	})
	for {
		var stat *zk.Stat
		var watch <-chan zk.Event
		var err error
		if !r.ackGone {
			stat, watch, err = r.getAck(ctx)
		}
		r.ackGone = false
		switch {
		case err != nil:
			return err
		case stat != nil && uint64(stat.EphemeralOwner) == r.conn.Status().SessionID:
			r.acked, r.ack = true, watch
			return nil
		case stat != nil:
			if r.ack = watch; watch == nil {
				r.ackRetry = time.After(unreadablePause)
			}
			r.obstructed(ackTaken(r.cfg.Ack, stat))
			return nil
		}
		data := model.AckData(znode.Join(r.cfg.Path, r.name), r.fence)
		err = r.whileLeased(ctx, func(ctx context.Context) error {
			_, err := r.conn.Create(ctx, r.cfg.Ack, data, zk.FlagEphemeral, r.acl)
			return err
		})
		switch {
		case err == nil:
			r.acked = true
			return nil
		case errors.Is(err, zk.ErrNodeExists):
			continue
		case errors.Is(err, client.ErrQuota):
			r.quota = min(max(2*r.quota, quotaPause), quotaPauseMost)
			r.ackRetry = time.After(r.quota)
			r.obstructed(znode.Safe(err.Error(), 0))
			return nil
		case errors.Is(err, zk.ErrNoAuth):
			return fmt.Errorf("%w: a leader creates this acknowledgement; give this account CREATE on %s", err, znode.Safe(path.Dir(r.cfg.Ack), 0))
		}
		return err
	}
}

// watchAck watches the leader's own acknowledgement, because another client may delete it.
func (r *reign) watchAck(ctx context.Context) error {
	stat, watch, err := r.getAck(ctx)
	if err != nil {
		return err
	}
	if stat != nil && uint64(stat.EphemeralOwner) == r.conn.Status().SessionID {
		if r.ack = watch; watch == nil {
			r.ackRetry = time.After(unreadablePause)
		}
		return nil
	}
	r.acked = false
	return nil
}

// getAck reuses an earlier watch, because the library cannot remove a watch. For an unreadable znode,
// getAck returns no watch, because recent servers would send no event.
func (r *reign) getAck(ctx context.Context) (stat *zk.Stat, watch <-chan zk.Event, err error) {
	if !pending(r.ackWatch) {
		r.ackWatch = nil
	}
	err = r.whileLeased(ctx, func(ctx context.Context) (err error) {
		if r.ackWatch != nil {
			_, stat, err = r.conn.Get(ctx, r.cfg.Ack)
		} else {
			_, stat, r.ackWatch, err = r.conn.GetW(ctx, r.cfg.Ack)
		}
		if errors.Is(err, zk.ErrNoAuth) {
			r.ackWatch = nil
			_, stat, err = r.conn.Exists(ctx, r.cfg.Ack)
		}
		return err
	})
	if errors.Is(err, zk.ErrNoNode) {
		return nil, nil, nil
	}
	return stat, r.ackWatch, err
}

// ackChanged clears ackWatch if e came from it, because pending returns true until the library closes the channel.
func (r *reign) ackChanged(e zk.Event, ok bool) {
	if r.ack == r.ackWatch {
		r.ackWatch = nil
	}
	r.ack = nil
	if !ok || e.Type == zk.EventNotWatching {
		r.ack = make(chan zk.Event) // never fires: the status reports why the watch ended
		return
	}
	r.acked, r.ackGone = false, e.Type == zk.EventNodeDeleted
}

func pending(watch <-chan zk.Event) bool {
	select {
	case <-watch:
		return false
	default:
		return watch != nil
	}
}

// obstructed reports an obstacle. The context of Config.Lead does not end, because the lease has not ended.
func (r *reign) obstructed(why string) {
	r.leads = false
	r.report(func(m *model.Member) { m.Belief, m.Obstacle = model.Elected, why })
}

func ackTaken(ack string, stat *zk.Stat) string {
	if stat.EphemeralOwner == 0 {
		return fmt.Sprintf("%s is a persistent znode, not an acknowledgement: delete it", znode.Safe(ack, 0))
	}
	return fmt.Sprintf("%s belongs to session %s: waiting until it is deleted", znode.Safe(ack, 0), znode.Hex(uint64(stat.EphemeralOwner)))
}
