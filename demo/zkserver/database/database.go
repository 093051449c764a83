// Package database is what the transactions of a ZooKeeper server change: the tree, the
// sessions and the zxid. [Database.Write] carries out the writes of clients;
// [Database.OpenSession], [Database.EndSession] and [Database.Reap] are transactions of
// the server.
//
// The server learns of each applied change by a function that it gives to [New]: watches
// are its business, and so are connections. It has the lock and the clock, and reads the
// tree and prolongs sessions without a transaction.
package database

import (
	"time"

	"electop/demo/zkserver/session"
	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// A Database is a tree and a session table, and numbers what changes them. T is what the
// server keeps with a session.
type Database[T any] struct {
	// Tree is for reads: only transactions change it.
	Tree *tree.Tree
	// Sessions begin and end in transactions only. The server prolongs, pauses and
	// resumes them.
	Sessions *session.Table[T]

	zxid    int64
	applied func(op wire.Op, path string, zxid int64, done tree.Effect)
}

// New returns a database with the tree of a fresh server. Sessions expire at multiples of
// tick, counted from start. applied is called for each change, when it is done and before its transaction is.
func New[T any](tick time.Duration, start time.Time, applied func(op wire.Op, path string, zxid int64, done tree.Effect)) *Database[T] {
	return &Database[T]{Tree: tree.New(), Sessions: session.New[T](tick, start), applied: applied}
}

// Zxid returns the number of the last transaction.
func (db *Database[T]) Zxid() int64 { return db.zxid }

// begin numbers a transaction.
func (db *Database[T]) begin(now time.Time) tree.Txn {
	db.zxid++
	return tree.Txn{Zxid: db.zxid, Now: now.UnixMilli()}
}

// apply carries out a change and returns the node's new Stat.
func (db *Database[T]) apply(ch *tree.Change, x tree.Txn) wire.Stat {
	done := db.Tree.Apply(ch, x)
	db.applied(ch.Op, ch.Path, x.Zxid, done)
	return done.Stat
}
