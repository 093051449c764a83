package zkserver

import (
	"cmp"
	"net"
	"time"

	"electop/demo/zkserver/status"
)

// statusOf is what the four-letter words and the AdminServer read. The port is the one
// that clients connect to; 0 is the lowest there is.
func statusOf(s *Server, port int) status.Source {
	return func(parts status.Part) (status.State, bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		port := cmp.Or(port, lowestPort(s.listeners))
		state := status.State{Config: status.Config{
			Tick:              s.opts.Tick,
			MinSessionTimeout: s.opts.MinSessionTimeout,
			MaxSessionTimeout: s.opts.MaxSessionTimeout,
			MaxClientCnxns:    s.opts.MaxClientCnxns,
			ClientPort:        port,
		}, Totals: totals(s)}
		copyParts(s, parts, &state)
		return state, !s.closed && !s.down
	}
}

// lowestPort is the lowest one that clients are accepted on, 0 if there is none.
func lowestPort(listeners map[net.Listener]bool) (port int) {
	for l, clients := range listeners {
		if a, ok := l.Addr().(*net.TCPAddr); ok && clients && (port == 0 || a.Port < port) {
			port = a.Port
		}
	}
	return port
}

// answerWord answers a four-letter word. The connection is to be closed then.
func (c *conn) answerWord(word string) error {
	s := c.s
	port := 0
	if a, ok := c.nc.LocalAddr().(*net.TCPAddr); ok {
		port = a.Port
	}
	s.mu.Lock()
	c.stats.Received++
	s.counters.received++
	s.mu.Unlock()
	c.nc.SetWriteDeadline(time.Now().Add(lastWrite))
	return status.Answer(c, statusOf(s, port), word)
}

// totals takes no longer for more sessions, znodes or watches.
func totals(s *Server) status.Totals {
	k := &s.counters
	data, child := &s.watches.data, &s.watches.child
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
		Sessions:    len(s.sessions.byID),
		Watches:     data.total + child.total,
		Watchers:    len(data.owned),
		Paths:       len(data.paths),
		DataWatches: data.total,
		AuthFailed:  k.authFailed,
		Rejected:    k.Rejected,
		Expired:     k.Expired,
		BytesIn:     k.bytesIn.Load(),
	}
}

// copyParts copies what can be large, which is all that is done with it under s.mu.
func copyParts(s *Server, parts status.Part, to *status.State) {
	if parts&status.Connections != 0 {
		to.Connections = make([]status.Conn, 0, s.alive)
		for c := range s.conns {
			if !c.gone {
				to.Connections = append(to.Connections, c.status())
			}
		}
	}
	if parts&status.Sessions != 0 {
		to.Sessions = make([]status.Session, 0, len(s.sessions.byID))
		for _, sess := range s.sessions.byID {
			to.Sessions = append(to.Sessions, status.Session{ID: sess.id, Expiry: s.sessions.expiry(sess, s.elapsed())})
		}
	}
	if parts&status.Ephemerals != 0 {
		to.Ephemerals = make([]status.Ephemeral, 0, to.Totals.Ephemerals)
		for id, path := range s.tree.Owners() {
			to.Ephemerals = append(to.Ephemerals, status.Ephemeral{Session: id, Path: path, Zxid: s.tree.Get(path).Stat().Czxid})
		}
	}
	if parts&status.Watches != 0 {
		to.Watches = make([]status.Watch, 0, to.Totals.DataWatches)
		for c, watched := range s.watches.data.owned {
			for path := range watched {
				to.Watches = append(to.Watches, status.Watch{Path: path, Session: c.sess.id})
			}
		}
	}
}

// status is the connection as operators see it. The caller holds s.mu.
func (c *conn) status() status.Conn {
	v := status.Conn{Remote: c.remote, Stats: c.stats}
	if c.sess == nil {
		v.Deadline = c.stats.Established.Sub(c.s.start) + status.HandshakeTimeout
	} else {
		v.Session, v.Timeout, v.Deadline = c.sess.id, c.sess.timeout, c.sess.deadline
	}
	return v
}
