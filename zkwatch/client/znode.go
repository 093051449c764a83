package client

import (
	"context"
	"errors"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/znode"
)

// ReadZnode reads a znode, which the result calls name. If it does not exist, the
// result is Unread; if its data may not be read, the result has its stat only.
// Each request is made by a call of try.
func (c *Conn) ReadZnode(ctx context.Context, path, name string, try func(send func() error) error) (znode.Znode, error) {
	var data []byte
	var stat *zk.Stat
	err := try(func() (err error) {
		data, stat, err = c.Get(ctx, path)
		return err
	})
	denied := errors.Is(err, zk.ErrNoAuth)
	if denied { // exists needs no permission
		err = try(func() (err error) {
			if _, stat, err = c.Exists(ctx, path); err == nil && stat == nil {
				err = zk.ErrNoNode
			}
			return err
		})
	}
	return readAs(name, stat, data, denied, err)
}

// readAs returns what a read of a znode has shown; denied says that its data may not be read.
func readAs(name string, stat *zk.Stat, data []byte, denied bool, err error) (znode.Znode, error) {
	switch {
	case errors.Is(err, zk.ErrInvalidPath):
		// Old servers let names be created that no client may ask for. The znode
		// exists, and must not keep the others from being read.
		return znode.Znode{Name: name, Data: znode.Data{Denied: true}}, nil
	case errors.Is(err, zk.ErrNoNode):
		return znode.Znode{Name: name, Unread: true}, nil
	case err != nil:
		return znode.Znode{}, err
	}
	z := Znode(name, stat, data)
	z.Data.Denied = denied
	return z, nil
}

// Znode is the result of reading a znode, in the model's terms.
func Znode(name string, stat *zk.Stat, data []byte) znode.Znode {
	return znode.Znode{
		Name: name, Session: uint64(stat.EphemeralOwner), Czxid: stat.Czxid,
		Ctime: serverTime(stat.Ctime), Data: znode.NewData(data),
	}
}

// Parent is the result of reading an election's parent.
func Parent(s *zk.Stat) znode.Parent {
	return znode.Parent{
		Czxid: s.Czxid, Ctime: serverTime(s.Ctime), Cversion: s.Cversion,
		Children: s.NumChildren, Pzxid: s.Pzxid,
	}
}

// serverTime is a time by a server's clock, in ms. One that no clock shows (a
// year that RFC 3339 cannot write) counts as none.
func serverTime(ms int64) time.Time {
	const year9999 = 253402300799000
	if ms <= 0 || ms > year9999 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
