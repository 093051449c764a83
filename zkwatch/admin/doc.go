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
// A poll requests the status and counts of each server (srvr, mntr, wchs), and at times its identity
// (conf). Config.Sessions is the interval for connections and sessions. Tables of watches are requested
// after changes of an election's leader (Handoff). On demand, Verify requests all tables, Poll the wanted ones.
//
// While a server writes the reply to wchp, it holds the lock of its watches: a slow reader stalls
// the server. So a reply is first read completely, up to a limit, and then parsed. HTTP is
// tried first: there a server writes a copy, without the lock.
//
// Polls do not overlap. A poll sends one request at a time for each address. Each request and each
// poll has a time limit. After repeated failures of a server, regular polls skip it for a while.
//
// # Members
//
// If one server does not answer, a session in no list of connections may still be connected. So the
// poller polls the servers of the connect string and of /zookeeper/config. Table.Whole is true only
// if each configured server answered at its own address for clients; otherwise Unwhole is the reason.
// A static configuration may have no addresses for clients. Then an address of the connect string
// counts if it has the configured host, and its server reports the configured server id. The table of
// one standalone server is always whole.
//
// # Trust
//
// Any program may listen at the port of an AdminServer, and several servers on one host compete for
// that port. A reply counts only if it has the required fields; in JSON it must also name the
// command. If several servers have the same URL, the AdminServer there is used only for the server
// whose port it reports. A redirect or a compressed reply is an error. Text in an answer is bounded
// and safe to show, except znode paths.
//
// # What a reply leaves out
//
// The word cons lists only the connections to the port that received it. A server can have two
// ports, with TLS and without. If the server may have a second port, the list is Refused. An
// AdminServer lists the connections to both ports if its reply has secure_connections.
//
// The lists of several servers are from different moments. If all servers sent their lists, and no list
// has a candidate's session, all lists are requested once more.
//
// If a session sends a message during a dump, the dump may lack the session. So a missing session
// may still be alive. The dump may also have the session twice; then the later deadline counts.
//
// # Clocks
//
// Deadlines are times on a clock of the server that lists them: monotonic in JSON, the wall clock in
// the text of dump. The text has only an ambiguous abbreviation of the time zone, so each time is
// read as UTC. The error is the same for all deadlines of a dump. It cancels out, because each is
// compared with the deadline of an anchor, which is a session of this process (see [Config].Anchors).
package admin
