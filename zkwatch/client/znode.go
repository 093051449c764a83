package client

import (
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/znode"
)

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
