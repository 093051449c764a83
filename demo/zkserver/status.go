package zkserver

import (
	"cmp"
	"encoding/json"
	"net"
	"slices"
	"time"
)

// What the four-letter words and the AdminServer show. Each method takes s.mu and copies
// what it returns, so that long answers are formatted without the lock.

// version is what the server calls itself: the release whose behaviour it has.
const version = "3.8.0-embedded, built on 2022-02-25 08:49 UTC"

// clientPort is the lowest port that clients are accepted on, 0 if there is none.
func (s *Server) clientPort() (port int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l, clients := range s.listeners {
		if a, ok := l.Addr().(*net.TCPAddr); ok && clients && (port == 0 || a.Port < port) {
			port = a.Port
		}
	}
	return port
}

// nodes counts the root twice, under "" and "/", as Apache does. The caller holds s.mu.
func (s *Server) nodes() int { return s.tree.Len() + 1 }

// A connView is an open connection.
type connView struct {
	connStats
	remote  string        // host:port
	session int64         // 0 before there is one, and for a four-letter word
	timeout time.Duration // of the session
}

// connections are by age and, to be definite, by their peers.
func (s *Server) connections() []connView {
	s.mu.Lock()
	all := make([]connView, 0, s.alive)
	for c := range s.conns {
		v := connView{connStats: c.stats, remote: c.remote, timeout: handshakeTimeout}
		if c.sess != nil {
			v.session, v.timeout = c.sess.id, c.sess.timeout
		}
		if !c.gone {
			all = append(all, v)
		}
	}
	s.mu.Unlock()
	slices.SortFunc(all, func(a, b connView) int {
		return cmp.Or(a.established.Compare(b.established), cmp.Compare(a.remote, b.remote))
	})
	return all
}

// dump returns the sessions by when they expire, since the server's start, and the paths
// of the ephemeral znodes by session, in the order of their creation.
func (s *Server) dump() (expiry map[time.Duration][]int64, ephemerals map[int64][]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	expiry, ephemerals = make(map[time.Duration][]int64), make(map[int64][]string)
	for id, sess := range s.sessions {
		at := s.expiry(sess)
		expiry[at] = append(expiry[at], id)
		if paths := s.tree.EphemeralsOf(id); paths != nil {
			ephemerals[id] = paths
		}
	}
	return expiry, ephemerals
}

// dataWatches counts the watches on data and existence. Apache shows no others.
func (s *Server) dataWatches() (watchers, paths, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &s.watches.data
	return len(w.owned), len(w.paths), w.total
}

// watchesByPath returns the sessions that watch the data or existence of a path.
func (s *Server) watchesByPath() map[string][]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	byPath, all := make(map[string][]int64, len(s.watches.data.paths)), make([]int64, 0, s.watches.data.total)
	for path, watchers := range s.watches.data.paths {
		first := len(all)
		for c := range watchers {
			all = append(all, c.sess.id)
		}
		byPath[path] = all[first:]
	}
	return byPath
}

// A gauge is a number, or a text, that the server reports.
type gauge struct {
	key   string
	value any
}

// gauges are what Apache's mntr begins with, in its order; the some 300
// internal metrics that follow there have no counterpart here. They take no longer for
// more sessions, znodes or watches.
func (s *Server) gauges() []gauge {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, l := &s.counters, &s.latency
	return []gauge{
		{"version", version},
		{"server_state", "standalone"},
		{"ephemerals_count", s.tree.Ephemerals()},
		{"num_alive_connections", s.alive},
		{"avg_latency", json.Number(l.average())},
		{"outstanding_requests", 0},
		{"znode_count", s.nodes()},
		{"global_sessions", len(s.sessions)},
		{"non_mtls_remote_conn_count", 0},
		{"last_client_response_size", k.lastReply},
		{"packets_sent", k.sent},
		{"packets_received", k.received},
		{"max_client_response_size", k.mostReply},
		{"connection_drop_probability", json.Number("0.0")},
		{"watch_count", s.watches.data.total + s.watches.child.total},
		{"auth_failed_count", k.authFailed},
		{"min_latency", l.least.Milliseconds()},
		{"approximate_data_size", s.tree.Bytes()},
		{"local_sessions", 0},
		{"uptime", s.elapsed().Milliseconds()},
		{"max_latency", l.longest.Milliseconds()},
		{"outstanding_tls_handshake", 0},
		{"min_client_response_size", k.leastReply},
		{"non_mtls_local_conn_count", 0},
		{"connection_rejected", k.Rejected},
		{"bytes_received_count", k.bytesIn.Load()},
		{"stale_sessions_expired", k.Expired},
	}
}
