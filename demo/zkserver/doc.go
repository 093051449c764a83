// Package zkserver is an embedded ZooKeeper server: in memory, standalone, without
// dependencies, and without a disk. For clients (go-zookeeper, kazoo,
// the Java client and libraries built on them) its supported features behave like
// Apache ZooKeeper 3.8, and tools that read the four-letter words or the AdminServer
// ([Server.ServeAdmin]) find the same layout.
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
// and ends with the test, including its goroutines and timers. Session timeouts can
// be as short as two ticks of Options.Tick. Use [New] with [Server.Serve] for your
// own listener, and [Server.Dial] as the client's dialer to need no network:
//
//	server := zkserver.New(zkserver.Options{})
//	defer server.Close()
//	dialer := func(string, string, time.Duration) (net.Conn, error) { return server.Dial() }
//	conn, events, err := zk.Connect([]string{"127.0.0.1:2181"}, 10*time.Second, zk.WithDialer(dialer))
//
// Inside a testing/synctest bubble, hours of pings, expiries and reconnects then pass
// in milliseconds.
//
// # Faults
//
// Events that are hard to produce with a real server are one call here:
// [Server.ExpireSession], [Server.CloseConnections] and [Server.Refuse]. Faults of one
// client's network (a cut, a partition, a lost reply) are injected at the client: package
// fault (electop/zkwatch/fault) has a net.Conn for them.
//
// [Server.Counters] counts the requests of clients and the events sent to them.
// [Server.Deadline] returns when a silent session will expire.
//
// # In slow motion
//
// An election can be watched in slow motion: [Server.SetPace] delays each reply and
// each watch event, or holds it until [Server.Step] releases it; see [Pace]. Only messages
// are delayed, not the work: if the reply to a create is held, the node already exists.
//
// # What a deletion causes
//
// The cost of a recipe is what the end of one candidate costs the others.
// [Server.Tally] reports, for each deleted child of a node, which sessions were
// notified and what they requested after that: one session in a chain, all sessions
// in a herd. If there are no other clients, and nothing else that they watch
// changes, the tallies add up to the Counters.
//
// An observer connects with [Server.DialBackstage]: its messages are not delayed, and
// it is not counted.
//
// # Data
//
// Data is in memory and ends with the server. Tests that need high sequence numbers
// begin with [Server.CreateNumbered].
//
// # The parts
//
// Package tree has the znodes, ACLs and checks, and no lock. The Server has one for
// everything: the tree, sessions, watches, tallies, the backlog, connections and alarms.
// Only the output of a connection has its own, because several goroutines append to it.
//
// # How a request passes through
//
//	serve.go       serve    reads a frame
//	dispatch.go    handle   takes the lock, extends the session's life
//	transaction.go write    tree.Check: is it allowed? Returns a Change
//	                        tree.Apply: returns an Effect
//	watches.go     applied  watches.trigger: who is to be notified
//	               notify   output.send: the event waits to be written
//	dispatch.go    handle   output.send: so does the reply, lock released
//	conn.go        Write    the network
//
// A connection has one goroutine. A write is checked completely before it
// changes anything, so that a multi needs no undoing: its operations are checked
// in turn against a view of the tree that already includes the ones before, and
// only when all have passed are they applied. Events are appended to the output
// of the connections concerned under the lock, before the reply to the writer.
// So clients have the guarantee that they need: no client sees the reply to a later
// read before the event for the change.
//
// Nothing is written to a connection under the lock. The connection's own goroutine
// writes its output when it has no further request at hand. Events that reach an idle
// connection are written by another goroutine, which ends when none are left. An idle
// session therefore costs a goroutine, two small buffers and a map entry, and thousands of
// them are fine: 5,000 take 40 MB. What
// takes long is not done under the lock in one go: the tables for operators are copied
// under it and formatted as they are sent, and of thousands of sessions that expire at
// the same time a hundred end at once. If a peer does not read its replies, the server
// stops reading from it. If it leaves events unread for too long, the server closes
// the connection.
//
// # Time
//
// A session is alive as long as its client sends something, at least a ping. It
// expires at the first multiple of Options.Tick that is not before its deadline: up
// to one tick late, never early.
//
// # Where it differs from Apache on purpose
//
// If a client has seen a later zxid than the server has (because the server was
// restarted without its data), its session expires and it can start again; Apache
// drops the connection, which sends clients of a single server into an endless loop. An
// unknown operation is answered with Unimplemented and the connection stays. The password
// of a session is checked before its old connection is closed: otherwise a stranger who
// guesses an id could cut it.
//
// Standard, persistent and recursive watches of one client on the same path
// are kept apart, and checkWatches looks at the asking client's own watches,
// as in later releases. Events about a node are withheld from clients that may not read
// it, which Apache does since CVE-2024-23944 (3.8.4).
//
// Where Apache's order is that of a Java hash table (children, ephemeral
// nodes, the nodes that go with a session, identities) this server's is that of
// creation, or arbitrary.
//
// There are no quotas, no SASL, no super user, no reconfiguration (Unimplemented;
// Apache has it disabled), no TTL nodes (Unimplemented, as in Apache by default), and
// clients cannot use internal operations of servers (such as deleteContainer). Data
// ends with the Server.
//
// The table in differs_test.go has these and some requests that no well-behaved client
// makes, each with its reason, and the tests show them on both servers. For everything
// else they compare the two servers with random requests.
package zkserver
