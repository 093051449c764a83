// Package admin requests from ZooKeeper's servers what no client can read: their
// connections, the watches of each session, and when sessions expire.
//
// Each server answers for itself, in two ways: in JSON over HTTP (its AdminServer,
// since 3.5), and in plain text to four-letter words at the port for clients. A
// [Poller] polls the members of an ensemble, makes one [session.Table] of their
// answers, and delivers to each subscribed [Election] its part of the table:
//
//	decide when to poll                          schedule.go, poller.go
//	find the members, and poll them in parallel  ensemble.go
//	poll one server: identity, status, tables    server.go
//	send one query, over HTTP or as a word       send.go, request.go
//	parse the reply                              query.go, json.go, words.go
//	make the part of each election               election.go
//
// Each query is a command of the AdminServer or a word:
//
//	status       server_stats     srvr    data watches  watch_summary    wchs
//	identity     configuration    conf    connections   connections      cons
//	counts       monitor          mntr    sessions      dump             dump
//	                                      watches       watches_by_path  wchp
//
// # Cost
//
// The requests must not overload a server. Most polls request only what servers count anyway
// (srvr, mntr, wchs). Config.Sessions is the interval for connections and sessions; with
// Config.Cheap they are requested only while that costs little. The tables of watches are
// requested on demand (Verify, Poll), and after a handoff when two seconds have passed without
// another handoff, at most once a minute. If a server has more than [MaxWatches] watches or does
// not report how many, its table is requested only with Config.Heavy: the server writes the
// table while it holds the lock that its requests need. For the same reason a reply is read into
// memory as fast as it arrives, up to a limit, and is parsed later. HTTP comes first, because
// the AdminServer copies a table before it writes it.
//
// Servers are polled in parallel, but an address gets one request at a time, and
// there is one poll at a time. Each request and each poll has a time limit. A
// server that does not answer is polled less and less often.
//
// # Members
//
// If one server does not answer, a session that is in no list may still be connected. So the
// poller polls the servers of the connect string and those of /zookeeper/config, and
// Table.Whole is true only if each configured server answered at its own address. That is its
// address for clients. If its line has none (a static configuration, 3.5 and later), it is an
// address of the connect string with the same host, and the server must also give its number.
// Host names are compared as text. Otherwise Whole is false, and Unwhole has the reason.
// A standalone server is whole.
//
// # Trust
//
// Any program may listen at the port of an AdminServer, and several servers on one host compete
// for that port. A reply counts only if it has the right fields of the right types. In JSON it
// must name the command that was sent; lists of connections and watches must be complete. In
// mode Auto the AdminServer at the default URL must not report another port for clients (without
// TLS). If several servers share a URL, the expected port must be reported. Redirects are not
// followed, and compressed replies are refused. Text in an answer is bounded and safe to show;
// znode paths are as the servers sent them.
//
// # What a reply leaves out
//
// The word cons lists the connections to the port that it was sent to. A server can have two
// ports, with TLS and without. Unless its configuration excludes that, the list is Refused. The
// AdminServer of recent releases lists the connections to both ports.
//
// The lists of several servers are from different moments. If a candidate is in no list, all
// lists are requested once more. A candidate that is in none of these lists has no connection.
//
// A server moves a session to a later deadline for each message. A session that sends a message
// while the server makes a dump can be missing from the dump, or be in it twice: then the later
// deadline counts. One dump without a session's deadline proves nothing.
//
// # Clocks
//
// Deadlines are on the clock of the ensemble's leader: a monotonic clock in JSON,
// the wall clock in whole seconds in the text of dump, which names its time zone by an
// abbreviation that may mean several zones. Each time is read as UTC: all lines of a reply
// then have the same error. Deadlines are compared with the deadline of a session of this
// process (see [Config].Anchors), so the error cancels out.
package admin
