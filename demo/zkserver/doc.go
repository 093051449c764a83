// Package zkserver is an embedded ZooKeeper server: in memory, standalone, without
// dependencies. For clients (go-zookeeper, kazoo, Curator, the C client, zkCli) it
// behaves like Apache ZooKeeper 3.8, and tools that read the four-letter words or the
// AdminServer ([Server.ServeAdmin]) find the same layout. [Server.Close] deletes the data.
//
// # In a test
//
// [Start] is for tests: there is nothing to install and nothing to clean up. Any
// client can connect to the address that it returns:
//
//	func TestElection(t *testing.T) {
//		server, addr := zkserver.Start(t, zkserver.Options{})
//		conn, events, err := zk.Connect([]string{addr}, 10*time.Second)
//		...
//		server.ExpireSession(conn.SessionID())
//		...
//	}
//
// Each test can have its own server: it starts in less than a millisecond, is empty,
// and ends with the test, including its goroutines and timers. Use [New] with
// [Server.Serve] for your own listener, and [Server.Dial] as the client's dialer to need
// no network:
//
//	server := zkserver.New(zkserver.Options{})
//	defer server.Close()
//	dialer := func(string, string, time.Duration) (net.Conn, error) { return server.Dial() }
//	conn, events, err := zk.Connect([]string{"127.0.0.1:2181"}, 10*time.Second, zk.WithDialer(dialer))
//
// Inside a testing/synctest bubble, hours of pings, expiries and reconnects then pass
// in milliseconds. Tests that need high sequence numbers begin with
// [Server.CreateNumbered].
//
// # Faults, slow motion and costs
//
// [Server.ExpireSession], [Server.CloseConnections] and [Server.Refuse] cause events that
// are hard to produce with a real server. Package fault (electop/zkwatch/fault) has a
// net.Conn for faults of one client's network.
//
// [Server.SetPace] delays each reply and each watch event, or holds it until
// [Server.Step] releases it; see [Pace]. Only messages are delayed, not the work: if the
// reply to a create is held, the node already exists.
//
// [Server.Counters] counts the requests of clients and the events sent to them.
// [Server.Tally] reports, for each deleted child of a node, which sessions were
// notified and what they requested after that: one session in a chain, all sessions
// in a herd. An observer connects with [Server.DialObserver]: its messages are not
// delayed, and no tally counts it.
//
// # How a request passes through
//
// A connection has one goroutine. It reads a frame, takes the server's lock, moves the
// session's deadline and executes the request. Package tree has the znodes and no lock:
// a write is checked completely before it changes anything (tree.Check returns a Change,
// tree.Apply its Effect), so that a multi needs no undoing. Then the watches that the
// effect concerns fire: their events are appended to the outputs of connections under the
// lock, before the reply to the writer. So no client sees the reply to a later read
// before the event for the change.
//
// Nothing is written to a network under the lock. A connection has a second goroutine
// only while there is something to write. An idle session costs a goroutine, a small
// buffer, a timer and a map entry: 5,000 take 40 MB. Long tables are copied under the lock
// and formatted without it. If a peer does not read its replies, the server stops reading
// from it. If more than 4 MiB of events wait for a peer, the server closes the connection.
//
// A session expires at the first multiple of Options.Tick that is not before its
// deadline: up to one tick late, never early.
//
// # Where it differs from Apache on purpose
//
// If a client has seen a later zxid than the server has (because the server was
// restarted), its session expires and it can start again; Apache drops the connection,
// and a client of a single server retries for ever. An unknown operation is answered with
// Unimplemented and the connection stays. The password of a session is checked before its
// old connection is closed: otherwise anybody who guesses an id could close it.
//
// Standard, persistent and recursive watches of one client on the same path are separate
// (ZOOKEEPER-4466), and checkWatches reads only the client's own watches, as in later
// releases. A change of a node sends no event to a client that may not read the node, as in
// Apache since CVE-2024-23944 (3.8.4).
//
// If Apache's order is the order of a Java hash table, children, ephemeral nodes and
// identities are in the order of their creation or in no order.
//
// There are no quotas, no SASL, no super user, no reconfiguration (Unimplemented;
// Apache has it disabled), no TTL nodes (Unimplemented, as in Apache by default), and
// clients cannot use internal operations of servers (such as deleteContainer).
//
// The table in differs_test.go has these differences, and some requests that no
// well-behaved client makes, each with its reason. A test shows each on both servers, except
// one that appears only by chance. Another test compares random other requests.
package zkserver
