package zkserver

import (
	"errors"
	"fmt"

	"electop/demo/zkserver/datafile"
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
	if s.db.Kept() || s.db.Zxid() != 0 || len(s.listeners) > 0 {
		return fail(errors.New("the server is already in use"))
	}
	l, records, torn, err := datafile.Open(file)
	if err != nil {
		return fail(err)
	}
	if err = s.db.Keep(l, records, func(err error) { s.debug("data file not rewritten", "err", err) }); err != nil {
		l.Close()
		return fail(err)
	}
	for sess := range s.db.Sessions.All() {
		s.touch(sess)
	}
	s.armReaper()
	s.kept.Store(l)
	return Kept{New: len(records) == 0, Znodes: s.db.Tree.Len(), Sessions: s.db.Sessions.Len(), Torn: torn}, nil
}

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
