package zkserver

import (
	"net"
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// New returns a server with an empty tree. It starts nothing: no goroutine
// and no timer runs until there is a connection or a session.
func New(opts Options) *Server {
	opts = opts.withDefaults()
	s := &Server{
		opts:      opts,
		start:     time.Now(),
		log:       opts.Logger,
		closing:   make(chan struct{}),
		listeners: make(map[net.Listener]bool),
		conns:     make(map[*conn]struct{}),
		perHost:   make(map[string]int),
		watches:   watchTables{newWatchTable(), newWatchTable()},
	}
	s.tree, s.sessions = tree.New(), newSessionTable(opts.Tick, s.start)
	s.counters.Requests = make(map[wire.Op]int64)
	s.counters.lastReply, s.counters.leastReply, s.counters.mostReply = -1, -1, -1
	s.tallies = tallies{make(map[string][]*asker), make(map[*count]struct{})}
	s.backlog = backlog{s: s, changed: make(chan struct{}, 1)}
	return s
}
