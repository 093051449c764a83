// Package admin asks ZooKeeper's servers what only they know: who is connected
// to them, who watches what, and when sessions expire.
//
// A client can ask none of this. Each server tells it of itself, in two ways:
// as JSON over HTTP (its AdminServer, since 3.5) and in answer to four-letter
// words on the port for clients. An [Asker] goes round the members of an
// ensemble, makes one [model.ServerTable] of their answers, and hands each
// [Election] that is subscribed what concerns it:
//
//	connect string + /zookeeper/config -> members
//	members --HTTP, or words--> replies --parsers--> results --cut--> ServerTable --Put--> feed
//
// # Cost
//
// Asking must never be the trouble that is looked for. What is asked
// regularly is what servers count anyway (srvr, mntr, wchs). Connections and
// sessions are asked for only as often as Config.Sessions says. The tables of
// watches are asked for when somebody wants them (Verify, Ask), and after a
// handoff once nothing has happened for two seconds, at most once a minute; and
// a server that has more than [MaxWatches] of them is not asked at all unless
// Config.Heavy is set, for it writes the table while it holds the lock that its
// requests need. For the same reason a reply is read as fast as it comes into
// memory, which is bounded, and is taken apart later. HTTP comes first, as the
// AdminServer copies a table before it writes it. An address gets one request at
// a time and there is one round at a time; servers are asked in parallel; each
// request and each round has an end. A server that does not answer is asked
// less and less often.
//
// # Members
//
// What a server does not list proves nothing while another server may not have
// been asked. So ServerTable.Whole has conditions. The servers that are asked
// are those of the connect string and those of /zookeeper/config. Each
// configured server must have an answer, or a failure, of its own: from its
// address for clients, or, where its line has none (a static configuration of
// 3.5 and later), from its host. Names are compared by the addresses that they
// resolve to. Otherwise Whole is false, and Unwhole says what to do.
//
// The number that a server gives (server.1) can rule out that it is the
// configured one at that address. It cannot prove it at another address: behind
// a load balancer one server gives the number and another one the lists. It
// serves to show a server once that was asked under two names.
//
// # Trust
//
// Anything may listen at the port of an AdminServer, and several servers on one
// host compete for it. A reply counts only if it is JSON, names the command
// that was asked, and has what the command's answer has, in its types; and only
// if the AdminServer serves the port for clients that is meant (where the
// address was not given by the operator). Redirects are not followed, and
// compressed replies are refused. Text in an answer is bounded and safe to
// show; znode paths are as the servers sent them.
//
// # What is not in a reply
//
// The word cons lists the connections to the one port that it was sent to; a
// server can have two, without TLS and with. Unless its configuration rules that
// out, the list counts only if as many connections were counted on the whole
// server; else it is Refused, with the setting that helps. The AdminServer lists
// both.
//
// Lists of several servers are not of one moment. If a candidate is in none,
// they are asked for once more, and who is in neither has no connection.
//
// Servers list sessions while they go on hearing of them. One that is heard of
// just then moves to a later deadline, and can be missing from the dump (or be
// in it twice: the later deadline counts). That a session has no deadline in
// one dump means nothing.
//
// # Clocks
//
// Deadlines are on the clock of the ensemble's leader: a monotonic one in
// JSON, the wall clock in whole seconds in the text of dump. The latter names
// its time zone by an abbreviation that may mean several; unless it is a plain
// offset it is taken for UTC. All lines of a reply are off by the same then,
// and who ties them to a session of this process (see [Config].Anchors) is not:
// the error cancels out.
package admin
