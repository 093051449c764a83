package zkserver

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"electop/zkwatch/wire"
)

// Kept says what [Server.Keep] found.
type Kept struct {
	New      bool // there was nothing
	Znodes   int  // those that come with a server included
	Sessions int
	// Torn is how many bytes at the file's end were dropped: the beginning of a
	// record, as a crash leaves it, that no client had seen acknowledged.
	Torn int
}

// Keep has the server outlive its process: it takes over what the file holds,
// and from then on keeps in it all znodes, ephemeral ones included, with their
// Stats and sequence numbers, the sessions with their passwords, and the zxid.
// Sessions begin with a full timeout. It is for a server that is not serving
// yet, and that no tree was loaded into.
//
// A reply or an event leaves only when its data is on disk (fsync), so that a
// crash takes nothing back that a client knows. Replies that are due at the same
// time share an fsync. A server that cannot write any more ends
// all connections, and [Server.Serve] returns the error.
//
// The file can be read by its owner only (mode 0600): it holds session passwords
// and, in ACLs, hashes of passwords. On Unix a second server is refused. It grows
// with each write; when it is opened, and when it is large, it is rewritten as
// what it comes to, which needs the memory and the time of the whole tree.
func (s *Server) Keep(file string) (Kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Kept{}, ErrClosed
	}
	fail := func(err error) (Kept, error) { return Kept{}, fmt.Errorf("zkserver: keep data: %w", err) }
	if s.data != nil || s.zxid != 0 || len(s.listeners) > 0 {
		return fail(errors.New("the server has been used already"))
	}
	l, records, torn, err := openDatalog(file)
	if err != nil {
		return fail(err)
	}
	if err = s.restore(records); err == nil {
		err = l.rewrite(s.snapshot())
	}
	if err != nil {
		l.f.Close()
		return fail(err)
	}
	for _, sess := range s.sessions.byID {
		s.touch(sess)
	}
	if len(s.tree.reapable) > 0 {
		s.armReaper()
	}
	s.data = l
	s.kept.Store(l)
	return Kept{New: len(records) == 0, Znodes: len(s.tree.nodes), Sessions: len(s.sessions.byID), Torn: torn}, nil
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
func (s *Server) note(entry func(b []byte) []byte) {
	if s.data != nil {
		s.entries = entry(s.entries)
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
	if s.data.append(record) {
		if err := s.data.rewrite(s.snapshot()); err != nil {
			s.notes = append(s.notes, note{"data not rewritten", []any{"err", err}}) // the log goes on
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
	position := l.position()
	s.mu.Unlock()
	err := l.wait(position)
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
	for c := range s.conns {
		s.detach(c)
		c.closeSoon()
	}
}

func (sess *session) entry(b []byte) []byte {
	b = wire.AppendInt64(append(b, entrySession), sess.id)
	b = append(b, sess.passwd[:]...)
	return wire.AppendInt32(b, int32(sess.timeout/time.Millisecond))
}

func endEntry(id int64) func([]byte) []byte {
	return func(b []byte) []byte { return wire.AppendInt64(append(b, entryEnd), id) }
}

func (ch *change) entry(b []byte) []byte {
	b = wire.AppendInt32(append(b, entryChange), int32(ch.op))
	b = wire.AppendBuffer(wire.AppendString(b, ch.path), ch.data)
	b = appendACL(b, ch.acl)
	return wire.AppendInt32(wire.AppendInt64(b, ch.owner), ch.version)
}

func (n *node) entry(b []byte, path string) []byte {
	b = wire.AppendBuffer(wire.AppendString(append(b, entryNode), path), n.data)
	b = appendACL(b, n.acl)
	for _, v := range []int64{n.czxid, n.mzxid, n.pzxid, n.ctime, n.mtime, n.owner} {
		b = wire.AppendInt64(b, v)
	}
	for _, v := range []int32{n.version, n.aversion, n.creates} {
		b = wire.AppendInt32(b, v)
	}
	return b
}

func appendACL(b []byte, acl []wire.ACL) []byte {
	b = wire.AppendInt32(b, int32(len(acl)))
	for _, a := range acl {
		b = wire.AppendString(wire.AppendString(wire.AppendInt32(b, a.Perms), a.ID.Scheme), a.ID.ID)
	}
	return b
}

func decodeACL(d *wire.Decoder) (acl []wire.ACL) {
	for n := d.Int32(); n > 0 && d.Err() == nil; n-- {
		acl = append(acl, wire.ACL{Perms: d.Int32(), ID: wire.ID{Scheme: d.String(), ID: d.String()}})
	}
	if slices.Equal(acl, openACL) {
		return openACL // shared by nearly all nodes
	}
	return acl
}

// snapshot is the whole state, in records of moderate size: parents before their
// children, children in their order. The caller holds s.mu.
func (s *Server) snapshot() (records [][]byte) {
	const enough = 1 << 20
	b := recordHead(s.zxid, 0)
	next := func() {
		if len(b) > enough {
			records, b = append(records, b), recordHead(s.zxid, 0)
		}
	}
	byID := make([]*session, 0, len(s.sessions.byID))
	for _, sess := range s.sessions.byID {
		byID = append(byID, sess)
	}
	slices.SortFunc(byID, func(a, b *session) int { return cmp.Compare(a.id, b.id) })
	for _, sess := range byID {
		b = sess.entry(b)
		next()
	}
	for todo := []string{"/"}; len(todo) > 0; next() {
		path := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := s.tree.nodes[path]
		b = n.entry(b, path)
		prefix := path
		if path != "/" {
			prefix += "/"
		}
		for _, name := range slices.Backward(n.children) {
			todo = append(todo, prefix+name)
		}
	}
	return append(records, b)
}

// restore carries the records out on a fresh server. The caller holds s.mu.
func (s *Server) restore(records [][]byte) (err error) {
	i := 0
	defer func() {
		if r := recover(); r != nil { // a change of what is not there
			err = fmt.Errorf("record %d of %d does not fit those before: %v", i+1, len(records), r)
		}
	}()
	for i = range records {
		d := wire.NewDecoder(records[i])
		x := txn{zxid: d.Int64(), now: d.Int64()}
		for len(d.Rest()) > 0 {
			s.restoreEntry(d, x)
		}
		if d.Err() != nil {
			return fmt.Errorf("record %d of %d: %w", i+1, len(records), d.Err())
		}
		s.zxid, s.sealed = x.zxid, x.zxid
	}
	for id := range s.tree.ephemerals {
		if s.sessions.byID[id] == nil {
			return fmt.Errorf("ephemeral znodes of a session that is not there, %#x", id)
		}
	}
	return nil
}

func (s *Server) restoreEntry(d *wire.Decoder, x txn) {
	q := &s.sessions
	switch kind := d.Byte(); kind {
	case entrySession:
		id := d.Int64()
		sess := q.byID[id]
		if sess == nil {
			sess = &session{id: id, check: -1}
			q.byID[id] = sess
			q.next = max(q.next, id+1)
		}
		for i := range sess.passwd {
			sess.passwd[i] = d.Byte()
		}
		sess.timeout = time.Duration(d.Int32()) * time.Millisecond
	case entryEnd:
		delete(q.byID, d.Int64())
	case entryChange:
		ch := change{op: wire.Op(d.Int32()), path: d.String(), data: slices.Clone(d.Buffer()), acl: decodeACL(d), owner: d.Int64(), version: d.Int32()}
		if d.Err() == nil {
			s.apply(&ch, x)
		}
	case entryNode:
		path := d.String()
		n := &node{data: slices.Clone(d.Buffer()), acl: decodeACL(d)}
		for _, v := range []*int64{&n.czxid, &n.mzxid, &n.pzxid, &n.ctime, &n.mtime, &n.owner} {
			*v = d.Int64()
		}
		for _, v := range []*int32{&n.version, &n.aversion, &n.creates} {
			*v = d.Int32()
		}
		if d.Err() == nil {
			s.tree.put(path, n)
		}
	default:
		panic(fmt.Sprintf("an entry of kind %d", kind))
	}
}

// put makes a node what it was, one that comes with a server too.
func (t *tree) put(path string, n *node) {
	if old := t.nodes[path]; old != nil {
		n.children, n.index = old.children, old.index
		t.remove(path, old)
	} else {
		parent, name := split(path)
		t.get(parent).addChild(name)
	}
	t.insert(path, n)
	if path == "/" {
		t.root = n
	}
}
