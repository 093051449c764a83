package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"
)

// SetFenced replaces a znode's data if the znode guard exists, both in one
// transaction: multi(check(guard), set(path)). Where guard is gone it returns
// ErrFenced and has changed nothing. The Stat is that after the change, whose
// zxid is its Mzxid.
//
// A guard's name must never be used again, so it needs a sequence number: a guard
// that was deleted and created again would exist.
func (c *Conn) SetFenced(ctx context.Context, path string, data []byte, guard string) (*zk.Stat, error) {
	k := call{op: "setData", path: path, write: true, size: len(data) + requestOverhead + len(c.cfg.Servers.full(guard))}
	if err := ValidatePath(guard); err != nil {
		return nil, k.failed(fmt.Errorf("check %s: %w: %w", guard, zk.ErrInvalidPath, err))
	}
	return do(ctx, c, k, func(full string) (*zk.Stat, error) {
		results, err := c.zk.Multi(
			&zk.CheckVersionRequest{Path: c.cfg.Servers.full(guard), Version: -1},
			&zk.SetDataRequest{Path: full, Data: data, Version: -1},
		)
		// Of a transaction that failed every part has an error: the one that was
		// the reason its own, those before it none, those after it another.
		switch {
		case len(results) > 0 && errors.Is(results[0].Error, zk.ErrNoNode):
			return nil, fmt.Errorf("%w: %s does not exist", ErrFenced, guard)
		case len(results) > 0 && results[0].Error != nil:
			return nil, fmt.Errorf("check %s: %w", guard, results[0].Error)
		case err != nil:
			return nil, err
		case len(results) != 2 || results[1].Stat == nil:
			return nil, fmt.Errorf("%w: a transaction of two operations has %d results", ErrProtocol, len(results))
		}
		return results[1].Stat, nil
	})
}
