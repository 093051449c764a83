package database

import (
	"time"

	"electop/demo/zkserver/session"
	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// OpenSession begins a session, which has no deadline before it is first touched.
func (db *Database[T]) OpenSession(timeout time.Duration) *session.Session[T] {
	db.zxid++
	sess := db.Sessions.Open()
	db.SetTimeout(sess, timeout)
	return sess
}

// SetTimeout changes a session's timeout, which takes a record but no zxid.
func (db *Database[T]) SetTimeout(sess *session.Session[T], timeout time.Duration) {
	if sess.Timeout != timeout {
		sess.Timeout = timeout
		db.record.note(entrySession, sess.Append)
	}
	db.seal()
}

// EndSession removes a session and its ephemeral nodes in one transaction.
func (db *Database[T]) EndSession(sess *session.Session[T], now time.Time) {
	db.Sessions.End(sess)
	x := db.begin(now)
	for _, path := range db.Tree.EphemeralsOf(sess.ID) {
		ch := tree.Delete(path)
		db.apply(&ch, x)
	}
	db.record.note(entryEnd, func(b []byte) []byte { return wire.AppendInt64(b, sess.ID) })
	db.seal()
}
