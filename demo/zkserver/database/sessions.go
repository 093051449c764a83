package database

import (
	"time"

	"electop/demo/zkserver/session"
	"electop/demo/zkserver/tree"
)

// OpenSession begins a session, which has no deadline before it is first touched.
func (db *Database[T]) OpenSession(timeout time.Duration) *session.Session[T] {
	db.zxid++
	sess := db.Sessions.Open()
	sess.Timeout = timeout
	return sess
}

// EndSession removes a session and its ephemeral nodes in one transaction.
func (db *Database[T]) EndSession(sess *session.Session[T], now time.Time) {
	db.Sessions.End(sess)
	x := db.begin(now)
	for _, path := range db.Tree.EphemeralsOf(sess.ID) {
		ch := tree.Delete(path)
		db.apply(&ch, x)
	}
}
