// Package admin asks ZooKeeper's servers what only they know: who is connected
// to them, who watches what, and when sessions expire.
//
// A client cannot read this. Each server answers for itself, in two ways: in
// JSON over HTTP (its AdminServer, since 3.5), and in plain text to four-letter
// words at the port for clients. A [Poller] polls the members of an ensemble,
// makes one [session.Table] of their answers, and gives each subscribed
// [Election] the part that concerns it:
//
//	a poll is due, or somebody asks                 schedule.go, poller.go
//	the members are found, and asked at once        ensemble.go
//	one server is asked: who it is, status, tables  server.go
//	one question is asked, over HTTP or as a word   ask.go, request.go
//	the reply is parsed                             question.go, json.go, words.go
//	the part of each election is delivered          election.go
//
// The questions, each a command and the word for the same:
//
//	status       server_stats     srvr    data watches  watch_summary    wchs
//	identity     configuration    conf    connections   connections      cons
//	counts       monitor          mntr    sessions      dump             dump
//	                                      watches       watches_by_path  wchp
//
// # Cost
//
// The requests must not overload a server. The regular ones ask only for what
// servers count anyway (srvr, mntr, wchs). Connections and sessions are
// asked for as often as Config.Sessions says; with Config.Cheap only while that costs
// little. The tables of watches are asked for
// when somebody wants them (Verify, Ask), and after a handoff once two seconds
// have passed without another one, at most once a minute. A server with more than
// [MaxWatches] watches is not asked for its table unless Config.Heavy is set: it
// writes the table while it holds the lock that its requests need. For the same
// reason a reply is read into memory, which is bounded, as fast as it arrives,
// and is parsed later. HTTP comes first, because the AdminServer copies a table
// before it writes it.
//
// Servers are asked in parallel, but an address gets one request at a time, and
// there is one poll at a time. Each request and each poll has a time limit. A
// server that does not answer is asked less and less often.
//
// # Members
//
// An entry that no list has proves nothing if some server was not asked. So the
// servers that are asked are those of the connect string and those of
// /zookeeper/config, and Table.Whole is true only if each configured server answered at
// its own address: that for clients or, if its line has none (a static configuration of
// 3.5 and later), one of the connect string at its host, where it also gave its number.
// Names of hosts are compared as text. Otherwise Whole is false, and Unwhole says why
// and what would help. A standalone server is whole.
//
// # Trust
//
// Anything may listen at the port of an AdminServer, and several servers on one
// host compete for it. A reply counts only if it is complete, names the command that
// was sent, and has the fields of its answer, in their types; and only if the
// AdminServer belongs to the server at the expected port for clients (unless the
// operator gave its address). Redirects are not followed, and compressed replies
// are refused. Text in an answer is bounded and safe to show; znode paths are as
// the servers sent them.
//
// # What a reply leaves out
//
// The word cons lists the connections to the port that it was sent to. A server
// can have two ports, with TLS and without. Unless its configuration rules that
// out, the list is Refused, with the setting that helps. The AdminServer
// lists the connections to both ports.
//
// The lists of several servers are from different moments. If a candidate is in no
// list, all lists are requested once more. A candidate that is in none of them either
// time has no connection.
//
// A server moves a session to a later deadline for each message. A session that sends
// a message while the server makes a dump can be missing from the dump, or be in it
// twice: then the later deadline counts. One dump without a deadline of a
// session proves nothing.
//
// # Clocks
//
// Deadlines are on the clock of the ensemble's leader: a monotonic clock in JSON,
// the wall clock in whole seconds in the text of dump, which names its time zone by an
// abbreviation that may mean several. It is read as UTC. All lines of a reply are off by
// the same amount then, and so is the deadline of a session of this process, to which
// the others are compared (see [Config].Anchors): the error cancels out.
package admin
