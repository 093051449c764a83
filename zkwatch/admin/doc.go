// Package admin requests from ZooKeeper's servers what a session cannot read: the servers'
// connections, the watches of each session, and the sessions' deadlines.
//
// A server answers in JSON over HTTP (its AdminServer, since 3.5), and in plain text to four-letter
// words at its port for clients. A [Poller] polls the members of an ensemble and makes one
// [session.Table] of their answers. Each subscribed [Election] receives its part of the table.
// The steps and their files:
//
//	decide when to poll                          schedule.go, poller.go
//	find the members, and poll them in parallel  ensemble.go
//	poll one server: identity, status, tables    server.go
//	send one query, over HTTP or as a word       send.go, request.go
//	parse the reply                              query.go, json.go, words.go
//	make the part of each election               election.go
//
// # Cost
//
// Most polls request only what servers count anyway (srvr, mntr, wchs). Config.Sessions is the
// interval for connections and sessions; with Config.Cheap both are requested only while they cost
// little. Tables of watches are requested on demand (Verify, Poll). They are also requested after
// handoffs, at most once a minute.
//
// While a server writes the table of watches, it holds a lock that all requests need. So the table
// is requested only if the server has at most [MaxWatches] watches or Config.Heavy is set. A reply
// is first read completely, up to a limit, and then parsed. HTTP is tried first: the AdminServer
// holds the lock only while it copies the table.
//
// There is one poll at a time, and one request at a time to each address. Each request and each poll
// has a time limit. A server that does not answer is polled less often.
//
// # Members
//
// If one server does not answer, a session that is in no list may still be connected. So the poller
// polls the servers of the connect string and of /zookeeper/config. Table.Whole is true only if
// each configured server answered at its own address for clients; otherwise Unwhole has the reason.
// A static configuration has no addresses for clients. Then an address of the connect string counts
// if it has the configured host and its server reports the configured number. The table of a
// standalone server is always whole.
//
// # Trust
//
// Any program may listen at the port of an AdminServer, and several servers on one host compete for
// that port. A reply counts only if it has the right fields of the right types; in JSON it must
// also name the command. Lists must be complete. In mode Auto an AdminServer at the default URL
// must not report another server's port. Redirects and compressed replies are refused. Text in an
// answer is bounded and safe to show, except znode paths.
//
// # What a reply leaves out
//
// The word cons lists only the connections to the port that received it. A server can have two
// ports, with TLS and without. Unless the server's configuration excludes a second port, the list
// is Refused. Recent AdminServers list the connections to both ports.
//
// The lists of several servers are from different moments. If a candidate is in no list, all lists
// are requested once more.
//
// If a session sends a message during a dump, the dump may lack the session, or have it twice with
// two deadlines. Then the later deadline counts. One dump without a session's deadline proves
// nothing.
//
// # Clocks
//
// Deadlines are times of a clock of the ensemble leader: the monotonic clock in JSON, the wall clock
// in the text of dump. The text has only an ambiguous abbreviation of the time zone, so each time is
// read as UTC. This error cancels out, because deadlines are compared with the deadline of a session
// of this process (see [Config].Anchors).
package admin
