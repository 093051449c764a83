// Package zkserver is an embedded ZooKeeper server: standalone and in memory. For clients
// (go-zookeeper, kazoo, Curator, the C client, zkCli) it behaves like Apache ZooKeeper 3.8.
// The four-letter words and the AdminServer ([Server.ServeAdmin]) use Apache's formats.
//
// # In a test
//
// [Start] serves on a free loopback port until the test ends; see the example.
// [New] and [Server.Serve] are for other listeners. [Server.Dial] connects a client without
// a network:
//
//	server := zkserver.New(zkserver.Options{})
//	defer server.Close()
//	dialer := func(string, string, time.Duration) (net.Conn, error) { return server.Dial() }
//	conn, events, err := zk.Connect([]string{"127.0.0.1:2181"}, 10*time.Second, zk.WithDialer(dialer))
//
// Such a test can run in a testing/synctest bubble. [Server.CreateNumbered] prepares tests of
// high sequence numbers.
//
// # Faults, slow motion and counters
//
// [Server.ExpireSession], [Server.CloseConnections] and [Server.Refuse] cause events that
// are hard to produce with a real server.
//
// After [Server.SetPace], the server holds replies and watch events for a delay or until
// [Server.Step]; see [Pace]. Requests are not delayed: if the reply to a create is held, the
// server has already executed the create.
//
// [Server.Counters] counts requests and watch events. [Server.Tally] reports, for each
// deleted child of a znode, which sessions were notified and how much they then requested.
// [Server.DialObserver] connects a client that is neither delayed nor counted by a tally.
//
// # How a request is executed
//
// Each connection has a goroutine that reads requests. For each request the goroutine takes
// the server's lock, extends the session's deadline and executes the request. Package tree
// implements the znodes and has no lock. All checks of a write (Tree.Check, Tree.CheckMulti) come
// before its first change (Tree.Apply), so a failed multi has nothing to undo. A write queues
// its watch events under the lock, before its reply. So a client receives the event for a
// change before it can read the change.
//
// Nothing is written to a network under the lock. A second goroutine writes replies and events.
//
// If a peer does not read its replies, the server stops reading from that peer. If more than
// 4 MiB wait for a peer when a further message follows, the server closes the connection.
//
// # Where it differs from Apache on purpose
//
// After a restart of the server, a client may have seen a later zxid than the server has.
// This server replies that the session has expired, and the client can open another. Apache
// closes the connection, and a client of a single server retries for ever.
//
// An unknown operation is answered with Unimplemented, and the connection stays open.
//
// When a session moves to another connection, its password is checked before the old
// connection is closed. Otherwise, anybody who guesses a session id could close
// the session's connection.
//
// Like later releases, the server separates standard, persistent and recursive watches of
// one client on the same path (ZOOKEEPER-4466). checkWatches reads only the client's own
// watches. If a client may not read a node, its watch fires without an event, as in Apache
// since 3.8.4 (CVE-2024-23944).
//
// Ephemeral nodes are listed by czxid and path, identities in the order of authentication, and
// children by default in no particular order. Apache lists all three in the order of a Java hash table.
//
// There are no quotas, no SASL and no super user. Reconfiguration, TTL nodes and internal
// operations of servers, such as deleteContainer, return Unimplemented. By default, Apache
// also disables reconfiguration and TTL nodes.
//
// The table in differs_test.go lists intended differences with their reasons. A test shows each
// difference of the table on both servers, except one that appears only by chance.
package zkserver
