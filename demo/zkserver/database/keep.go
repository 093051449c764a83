package database

import (
	"cmp"
	"fmt"
	"slices"

	"electop/demo/zkserver/datafile"
	"electop/demo/zkserver/session"
	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// Keep carries out the records that a log had, and from then on appends each transaction
// to it. The database must be new, and is of no use after an error. The log, which the
// server closes, is rewritten now and when it is large; failed is called when the latter
// fails, after which the log is still good.
func (db *Database[T]) Keep(l *datafile.Log, records [][]byte, failed func(error)) error {
	if err := db.restore(records); err != nil {
		return err
	}
	if err := l.Rewrite(db.snapshot()); err != nil {
		return err
	}
	db.record.log, db.record.failed = l, failed
	return nil
}

// Kept reports whether transactions are appended to a log.
func (db *Database[T]) Kept() bool { return db.record.log != nil }

// snapshot is the whole state, in records of moderate size.
func (db *Database[T]) snapshot() (records [][]byte) {
	const enough = 1 << 20
	b := recordHead(db.zxid, 0)
	next := func() {
		if len(b) > enough {
			records, b = append(records, b), recordHead(db.zxid, 0)
		}
	}
	byID := slices.SortedFunc(db.Sessions.All(), func(a, b *session.Session[T]) int { return cmp.Compare(a.ID, b.ID) })
	for _, sess := range byID {
		b = sess.Append(append(b, entrySession))
		next()
	}
	for path, n := range db.Tree.All() {
		b = n.Append(append(b, entryNode), path)
		next()
	}
	return append(records, b)
}

// restore carries records out on a new database.
func (db *Database[T]) restore(records [][]byte) (err error) {
	i := 0
	defer func() {
		if r := recover(); r != nil { // a change of what is not there
			err = fmt.Errorf("record %d of %d does not match the earlier ones: %v", i+1, len(records), r)
		}
	}()
	for i = range records {
		d := wire.NewDecoder(records[i])
		x := tree.Txn{Zxid: d.Int64(), Now: d.Int64()}
		for len(d.Rest()) > 0 {
			db.restoreEntry(d, x)
		}
		if d.Err() != nil {
			return fmt.Errorf("record %d of %d: %w", i+1, len(records), d.Err())
		}
		db.zxid, db.record.sealed = x.Zxid, x.Zxid
	}
	for id := range db.Tree.Owners() {
		if db.Sessions.Get(id) == nil {
			return fmt.Errorf("ephemeral znodes of a session that does not exist, %#x", id)
		}
	}
	return nil
}

func (db *Database[T]) restoreEntry(d *wire.Decoder, x tree.Txn) {
	switch kind := d.Byte(); kind {
	case entrySession:
		db.Sessions.Restore(d)
	case entryEnd:
		if sess := db.Sessions.Get(d.Int64()); sess != nil {
			db.Sessions.End(sess)
		}
	case entryChange:
		if ch := tree.DecodeChange(d); d.Err() == nil {
			db.apply(&ch, x)
		}
	case entryNode:
		db.Tree.Restore(d)
	default:
		panic(fmt.Sprintf("an entry of kind %d", kind))
	}
}
