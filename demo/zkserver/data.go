package zkserver

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"electop/demo/zkserver/datafile"
	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// Kept says what [Server.Keep] found.
type Kept struct {
	New      bool // there was nothing
	Znodes   int  // those that come with a server included
	Sessions int
	// Torn is how many bytes at the file's end were dropped: an incomplete record
	// after a crash, which was never acknowledged to a client.
	Torn int
}

// Keep makes the data survive the process: it loads the file, and from then on keeps
// in it all znodes, including ephemeral ones, with their Stats and sequence numbers,
// the sessions with their passwords, and the zxid. Sessions start with a full
// timeout. Call it before the server serves or loads a tree.
//
// A reply or an event leaves only when its data is on disk (fsync), so that a
// crash undoes nothing that a client knows. Replies that are due at the same time
// share an fsync. If the server can no longer write, it closes all connections, and
// [Server.Serve] returns the error.
//
// The file can be read by its owner only (mode 0600): it holds session passwords
// and, in ACLs, hashes of passwords. On Unix a second server is refused. It grows
// with each write. When it is opened or has become large, it is rewritten with the
// current data, which takes memory and time for the whole tree.
func (s *Server) Keep(file string) (Kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Kept{}, ErrClosed
	}
	fail := func(err error) (Kept, error) { return Kept{}, fmt.Errorf("zkserver: keep data: %w", err) }
	if s.data != nil || s.zxid != 0 || len(s.listeners) > 0 {
		return fail(errors.New("the server is already in use"))
	}
	l, records, torn, err := datafile.Open(file)
	if err != nil {
		return fail(err)
	}
	if err = s.restore(records); err == nil {
		err = l.Rewrite(s.snapshot())
	}
	if err != nil {
		l.Close()
		return fail(err)
	}
	for sess := range s.sessions.All() {
		s.touch(sess)
	}
	if s.tree.Reapable() > 0 {
		s.armReaper()
	}
	s.data = l
	s.kept.Store(l)
	return Kept{New: len(records) == 0, Znodes: s.tree.Len(), Sessions: s.sessions.Len(), Torn: torn}, nil
}

// The kinds of entries in a record. A record is one transaction: a zxid, a time,
// and entries.
const (
	entrySession = 'S' // is there, with its password and timeout
	entryEnd     = 'E' // of a session
	entryChange  = 'C' // of the tree
	entryNode    = 'N' // as it is
)

// note adds an entry to the transaction under way. The caller holds s.mu.
func (s *Server) note(kind byte, entry func(b []byte) []byte) {
	if s.data != nil {
		s.entries = entry(append(s.entries, kind))
	}
}

// seal ends the transaction under way, if there is one: it belongs to the log
// before s.mu, which the caller holds, is released.
func (s *Server) seal() {
	if s.data == nil || len(s.entries) == 0 && s.zxid == s.sealed {
		return
	}
	record := append(recordHead(s.zxid, s.appliedAt), s.entries...)
	s.entries, s.sealed = s.entries[:0], s.zxid
	if s.data.Append(record) {
		if err := s.data.Rewrite(s.snapshot()); err != nil {
			s.debug("data file not rewritten", "err", err) // the log goes on
		}
	}
}

func recordHead(zxid, at int64) []byte { return wire.AppendInt64(wire.AppendInt64(nil, zxid), at) }

// settle waits until what the server did so far cannot be lost. The caller does
// not hold s.mu.
func (s *Server) settle() error {
	l := s.kept.Load()
	if l == nil {
		return nil
	}
	s.mu.Lock() // whoever did it has sealed it when the lock is free
	position := l.Position()
	s.mu.Unlock()
	err := l.Wait(position)
	if err != nil {
		s.giveUp(fmt.Errorf("zkserver: keep data: %w", err))
	}
	return err
}

// giveUp ends a server that cannot go on.
func (s *Server) giveUp(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil || s.closed {
		return
	}
	s.failure = err
	for l := range s.listeners {
		l.Close()
	}
	s.dropAll()
}

// snapshot is the whole state, in records of moderate size. The caller holds
// s.mu.
func (s *Server) snapshot() (records [][]byte) {
	const enough = 1 << 20
	b := recordHead(s.zxid, 0)
	next := func() {
		if len(b) > enough {
			records, b = append(records, b), recordHead(s.zxid, 0)
		}
	}
	byID := slices.SortedFunc(s.sessions.All(), func(a, b *clientSession) int { return cmp.Compare(a.ID, b.ID) })
	for _, sess := range byID {
		b = sess.Append(append(b, entrySession))
		next()
	}
	for path, n := range s.tree.All() {
		b = n.Append(append(b, entryNode), path)
		next()
	}
	return append(records, b)
}

// restore carries the records out on a fresh server. The caller holds s.mu.
func (s *Server) restore(records [][]byte) (err error) {
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
			s.restoreEntry(d, x)
		}
		if d.Err() != nil {
			return fmt.Errorf("record %d of %d: %w", i+1, len(records), d.Err())
		}
		s.zxid, s.sealed = x.Zxid, x.Zxid
	}
	for id := range s.tree.Owners() {
		if s.sessions.Get(id) == nil {
			return fmt.Errorf("ephemeral znodes of a session that does not exist, %#x", id)
		}
	}
	return nil
}

func (s *Server) restoreEntry(d *wire.Decoder, x tree.Txn) {
	switch kind := d.Byte(); kind {
	case entrySession:
		s.sessions.Restore(d)
	case entryEnd:
		if sess := s.sessions.Get(d.Int64()); sess != nil {
			s.sessions.End(sess)
		}
	case entryChange:
		if ch := tree.DecodeChange(d); d.Err() == nil {
			s.apply(&ch, x)
		}
	case entryNode:
		s.tree.Restore(d)
	default:
		panic(fmt.Sprintf("an entry of kind %d", kind))
	}
}
