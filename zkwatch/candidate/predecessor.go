package candidate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/units"
	"electop/model/znode"
)

// wait uses getData, because exists would leave a watch on a missing znode. Since the fix of CVE-2024-23944,
// servers withhold events of unreadable znodes, so wait also polls an unreadable predecessor.
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
			obstacle = fmt.Sprintf("no permission to read %s: its deletion is noticed within %s", znode.Safe(predecessor, 0), units.Exact(unreadablePause))
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
		if stat.EphemeralOwner == 0 { // a persistent znode belongs to no candidate
			if s.persistent == nil {
				s.persistent = make(map[string]bool)
			}
			s.persistent[predecessor] = true
			return false, nil
		}
		s.established = true
		s.report(func(m *model.Member) {
			m.Belief, m.Watches = model.Waiting, predecessor
			m.Step, m.StepAt, m.StepOn = step, s.cfg.Now(), model.StepOn{Name: bounded(predecessor)}
			m.Obstacle = obstacle
		})
		if obstacle != "" {
			return s.awaitUnreadable(ctx, path, watch)
		}
		what, err := s.await(ctx, watch, nil)
		if what == awaitedDeletion || err != nil {
			return what == awaitedDeletion, err
		}
	}
}

const unreadablePause = 2 * time.Second

// watchUnreadable uses exists, which needs no permission. A watch on a missing znode would remain, so
// the first exists sets no watch.
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

// awaitUnreadable returns after any change, because the znode may then be readable.
func (s *candidacy) awaitUnreadable(ctx context.Context, path string, watch <-chan zk.Event) (deleted bool, err error) {
	ticker := time.NewTicker(unreadablePause)
	defer ticker.Stop()
	for {
		what, err := s.await(ctx, watch, ticker.C)
		if what != awaitedTick || err != nil {
			return what == awaitedDeletion, err
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

type awaited int

const (
	awaitedChange awaited = iota
	awaitedDeletion
	awaitedTick
)

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
				return awaitedChange, err
			}
			switch {
			case !ok || e.Type == zk.EventNotWatching || e.Err != nil:
				return awaitedChange, s.awaitConnected(ctx)
			case e.Type == zk.EventNodeDeleted:
				return awaitedDeletion, nil
			}
			return awaitedChange, nil
		case <-tick:
			return awaitedTick, s.gate.Wait(ctx)
		case e, ok := <-s.own:
			if err := s.ownChanged(ctx, e, ok, s.retry); err != nil {
				return awaitedChange, err
			}
		case st, ok := <-s.status:
			if err := s.noteStatus(ctx, st, ok); err != nil {
				return awaitedChange, err
			}
		case <-s.resign:
			return awaitedChange, s.withdraw(ctx)
		case <-ctx.Done():
			return awaitedChange, ctx.Err()
		}
	}
}
