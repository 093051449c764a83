package zkserver

import (
	"cmp"
	"net"
	"slices"

	"electop/demo/zkserver/status"
)

// statusSource is what the four-letter words and the AdminServer read, under
// s.mu.
type statusSource struct {
	*Server
	port int // that clients connect to, 0 if there is none
}

// statusOnAnyPort has the lowest port that clients are accepted on.
func statusOnAnyPort(s *Server) statusSource {
	port := 0
	for l, clients := range s.listeners {
		if a, ok := l.Addr().(*net.TCPAddr); ok && clients && (port == 0 || a.Port < port) {
			port = a.Port
		}
	}
	return statusSource{s, port}
}

// answerWord queues the answer to a four-letter word. The connection is to be
// closed then.
func (s *Server) answerWord(c *conn, word string) {
	port := 0
	if a, ok := c.nc.LocalAddr().(*net.TCPAddr); ok {
		port = a.Port
	}
	s.mu.Lock()
	c.handshake.stop()
	c.stats.Received++
	s.counters.received++
	answer := status.Answer(statusSource{s, port}, word)
	s.mu.Unlock()
	c.out.Cork()
	c.out.SendRaw(answer)
}

func (s statusSource) Config() status.Config {
	return status.Config{
		Tick:              s.opts.Tick,
		MinSessionTimeout: s.opts.MinSessionTimeout,
		MaxSessionTimeout: s.opts.MaxSessionTimeout,
		MaxClientCnxns:    s.opts.MaxClientCnxns,
		ClientPort:        s.port,
	}
}

func (s statusSource) Totals() status.Totals {
	k := &s.counters
	_, _, data := s.watches.Data.Count()
	_, _, child := s.watches.Child.Count()
	return status.Totals{
		Start:       s.start,
		Uptime:      s.elapsed(),
		Latency:     s.latency,
		Received:    k.received,
		Sent:        k.sent,
		LastReply:   cmp.Or(k.lastReply, -1),
		LeastReply:  cmp.Or(k.leastReply, -1),
		MostReply:   cmp.Or(k.mostReply, -1),
		Zxid:        s.zxid,
		Nodes:       s.tree.Len() + 1, // the root twice, under "" and "/", as Apache does
		Ephemerals:  s.tree.Ephemerals(),
		DataSize:    s.tree.Bytes(),
		Connections: s.alive,
		Sessions:    s.sessions.Len(),
		Watches:     data + child,
		AuthFailed:  k.authFailed,
		Rejected:    k.Rejected,
		Expired:     k.Expired,
		BytesIn:     k.bytesIn.Load(),
	}
}

func (s statusSource) Connections() []status.Conn {
	all := make([]status.Conn, 0, s.alive)
	for c := range s.conns {
		if c.gone {
			continue
		}
		v := status.Conn{Remote: c.remote, Stats: &c.stats, Watched: func() []string { return s.watches.Data.PathsOf(c) }}
		if c.sess == nil {
			v.Deadline = c.stats.Established.Sub(s.start) + status.HandshakeTimeout
		} else {
			v.Session, v.Timeout, v.Deadline = c.sess.ID, c.sess.Timeout, c.sess.Deadline()
		}
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b status.Conn) int {
		return cmp.Or(a.Stats.Established.Compare(b.Stats.Established), cmp.Compare(a.Remote, b.Remote))
	})
	return all
}

func (s statusSource) Sessions() []status.Session {
	all := make([]status.Session, 0, s.sessions.Len())
	for sess := range s.sessions.All() {
		all = append(all, status.Session{ID: sess.ID, Expiry: s.sessions.Expiry(sess, s.elapsed())})
	}
	return all
}

func (s statusSource) Owners() []int64                { return s.tree.Owners() }
func (s statusSource) EphemeralsOf(id int64) []string { return s.tree.EphemeralsOf(id) }

func (s statusSource) Watches() (watchers, paths, total int) { return s.watches.Data.Count() }
func (s statusSource) WatchedPaths() []string                { return s.watches.Data.Paths() }

func (s statusSource) Watching(path string) (ids []int64) {
	for c := range s.watches.Data.Watching(path) {
		ids = append(ids, c.sess.ID)
	}
	slices.Sort(ids)
	return ids
}

func (s statusSource) ResetStats() {
	s.latency = status.Latency{}
	k := &s.counters
	k.received, k.sent, k.lastReply, k.leastReply, k.mostReply = 0, 0, 0, 0, 0
}

func (s statusSource) ResetConnStats() {
	for c := range s.conns {
		c.stats.Reset()
	}
}
