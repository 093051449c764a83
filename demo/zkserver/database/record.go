package database

import (
	"electop/demo/zkserver/datafile"
	"electop/zkwatch/wire"
)

// The kinds of entries in a record. A record is one transaction: a zxid, a time,
// and entries.
const (
	entrySession = 'S' // is there, with its password and timeout
	entryEnd     = 'E' // of a session
	entryChange  = 'C' // of the tree
	entryNode    = 'N' // as it is
)

// A record is that of the transaction under way.
type record struct {
	log     *datafile.Log // nil: all is lost with the process
	failed  func(error)   // to rewrite it
	entries []byte
	at      int64 // the transaction's time
	sealed  int64 // the zxid of the record before
}

// note adds an entry.
func (r *record) note(kind byte, entry func(b []byte) []byte) {
	if r.log != nil {
		r.entries = entry(append(r.entries, kind))
	}
}

// seal appends the record to the log, if there is something to append, and reports
// whether the log should be rewritten.
func (r *record) seal(zxid int64) (large bool) {
	if r.log == nil || len(r.entries) == 0 && zxid == r.sealed {
		return false
	}
	b := append(recordHead(zxid, r.at), r.entries...)
	r.entries, r.sealed = r.entries[:0], zxid
	return r.log.Append(b)
}

// rewrite replaces the log's records. If that fails, the log goes on with those that it has.
func (r *record) rewrite(records [][]byte) {
	if err := r.log.Rewrite(records); err != nil {
		r.failed(err)
	}
}

func recordHead(zxid, at int64) []byte { return wire.AppendInt64(wire.AppendInt64(nil, zxid), at) }
