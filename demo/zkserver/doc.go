// Package zkserver is a ZooKeeper server within the process: in memory,
// standalone, with no dependency, and no disk unless asked for. Clients
// (go-zookeeper, kazoo, the Java client and what is built upon them) cannot tell
// it from Apache ZooKeeper 3.8 in what it supports, and tools that read the four-letter words
// or the AdminServer ([Server.ServeAdmin]) find the same layout.
//
// # In a test
//
// [Start] is a helper for tests, with nothing to install and nothing to clean
// up. Any client connects to the address that it returns:
//
//	func TestElection(t *testing.T) {
//		server, addr := zkserver.Start(t, zkserver.Options{})
//		conn, events, err := zk.Connect([]string{addr}, 10*time.Second)
//		...
//		server.ExpireSession(conn.SessionID())
//		...
//	}
//
// Each test may have a server of its own: one is started in well under a
// millisecond, is empty, and ends with the test, its goroutines and timers
// included. Session timeouts can be as short as two ticks of Options.Tick. Use
// [New] with [Server.Serve] for a listener of your own, and [Server.Dial], as
// the dialer of the client, to do without a network:
//
//	server := zkserver.New(zkserver.Options{})
//	defer server.Close()
//	dialer := func(string, string, time.Duration) (net.Conn, error) { return server.Dial() }
//	conn, events, err := zk.Connect([]string{"127.0.0.1:2181"}, 10*time.Second, zk.WithDialer(dialer))
//
// Inside a testing/synctest bubble that lets hours of pings, expiries and
// reconnecting pass in milliseconds.
//
// # Faults
//
// What is hard to bring about with a real server is one call here:
//
//   - [Server.ExpireSession]: a session expires now. It is named by its id, which
//     clients know and a Stat has as the owner of an ephemeral node
//   - [Server.CloseConnections]: all connections are closed, sessions live on
//   - [Server.Refuse]: new connections are closed at once
//   - [Server.Restart]: both for a while, in which no session expires
//
// They can be combined. What happens to one client's network (a cut, a partition,
// a lost reply) is made at the client: package fault (electop/zkwatch/fault) has
// a partition as a net.Conn.
//
// [Server.Counters] tells what clients asked for, and how many events they were
// sent. [Server.Deadline] tells when a silent session will expire.
//
// # In slow motion
//
// What happens in an election within a millisecond can be watched:
// [Server.SetPace] holds each reply and each watch event back for a while, or
// until [Server.Step] lets it go, and [Server.Paced] shows what is on its way.
// The first that was made is the first to leave, over all sessions, so that one
// sees them in the order in which the server did its work. The work itself is
// never late: a client whose create is held has its node already and does not
// know. Pings, handshakes and what renews a leader's lease pass, and while a
// message of a session is held, its deadline does not come nearer, so that
// slowness expires nobody and no client loses its connection. What is held for a
// connection is lost when the connection ends.
//
// An observer connects with [Server.DialBackstage]: it is notified at once, and
// is not counted below.
//
// # What a deletion causes
//
// A recipe is judged by what the end of one candidate costs the others.
// [Server.Tally] tells, of each deleted child of a node, which sessions were
// notified, and what they asked for from then on: one session or all of them,
// which is the difference between a chain and a herd. Where there are only such
// clients, and nothing else that they watch changes, the tallies add up to the
// Counters. The first report of a deletion comes before any client can know of
// it, so that whatever a client does because of it is seen after.
//
// # A given state
//
// Data lives in memory, and ends with the server unless [Server.Keep] has it in a
// file: then a crash loses nothing that was acknowledged, and sessions go on.
// [Server.LoadTree] makes the nodes that a JSON file describes, and
// [Server.SaveTree] writes such a file, of all nodes but the ephemeral ones.
//
// # The parts
//
// Each part is a package below this one, and none knows another:
//
//   - tree: znodes, ACLs and transactions
//   - session: ids, passwords and timeouts, and who expires when
//   - watch: who watches what
//   - output: what waits to be written to a connection
//   - tally: what a deletion causes
//   - datafile: a log of records that survives a crash
//   - status: the four-letter words and the AdminServer
//
// They have no lock and no clock, except that output and datafile each guard
// what several goroutines write. The Server is their assembly: it has one lock
// for all of them, the connections and the timers, and carries values from one
// to the other.
//
// # How a request passes through
//
//	conn.go      serve         reads a frame
//	dispatch.go  handle        takes the lock, extends the session's life
//	write.go     write         tree.Check: may it be done? A Change says what
//	             apply         tree.Apply: an Effect says what was done
//	watches.go   trigger       watch.Trigger: who is to be notified
//	             notify        output.Send: the event waits to be written
//	data.go      seal          datafile.Append: the change waits to be on disk
//	dispatch.go  handle        output.Send: so does the reply, lock released
//	conn.go      Write         datafile.Wait, then the network
//
// A connection has one goroutine. A write is checked completely before it
// changes anything, so that a multi needs no undoing: its operations are checked
// in turn against a view of the tree that already includes the ones before, and
// only when all have passed are they applied. Events are appended to the output
// of the connections concerned under the lock, before the reply to the writer.
// That gives the guarantee that clients build upon: nobody sees the reply to a
// later read before the event that tells of the change.
//
// Nothing is written to a connection under the lock. The connection's own
// goroutine writes its output when it has no further request at hand, and a
// goroutine that lives only while there is something to write does so for events
// that reach an idle connection. An idle session therefore costs a goroutine, two
// small buffers and a map entry, and thousands of them are fine. A peer that does
// not read what it asked for stops being read from; one that leaves events unread
// for too long is cut off.
//
// # Time
//
// A session lives as long as its client sends something, a ping at least. It
// expires at the first multiple of Options.Tick that is not before its
// deadline: up to one tick late, never early. Hours pass in milliseconds inside a
// testing/synctest bubble when connections come from Dial.
//
// # Where it differs from Apache on purpose
//
// A client that has seen a later zxid than the server has (because the server
// was restarted and forgot) is told that its session expired and can start
// afresh; Apache drops the connection, which sends single-server clients into
// an endless loop. An unknown operation is answered with Unimplemented and the
// connection stays. The password of a session is checked before its old
// connection is closed: otherwise a stranger who guesses an id could cut it.
//
// Standard, persistent and recursive watches of one client on the same path
// are kept apart, and checkWatches looks at the asking client's own watches,
// as in later releases; in 3.8 the last watch replaces those before, and
// anybody's watch is an answer.
//
// Where Apache's order is that of a Java hash table (children, ephemeral
// nodes, the nodes that go with a session, identities) this server's is that of
// creation, or arbitrary. Text that comes back in a reply is the bytes that
// were sent; Apache alters characters beyond the basic plane.
//
// Events about a node are withheld from clients that may not read it, which
// Apache does since CVE-2024-23944 (3.8.4, and earlier ones that distributions
// mended).
//
// Three requests that Apache 3.8 stumbles over are answered: a successful check
// outside of a multi (no reply ever), checkWatches of a path without a slash
// (MarshallingError while a recursive watch exists, or for any kind), and
// createTTL with flags that say no TTL and a TTL of -1 (Apache never answers; here
// BadArguments).
//
// Of malformed requests two get another error: null as the identity of an ACL
// makes that invalid (MarshallingError), and null in place of a path in a multi
// uses up a zxid that the answer shows (Apache hides it).
//
// A setACL counts for what its client sends behind it without waiting; with
// Apache that is left to chance.
//
// There are no quotas, no SASL, no super user, no reconfiguration, no way for a
// client to use the operations that servers keep for themselves (such as
// deleteContainer), and without [Server.Keep] data does not outlive the Server.
//
// The tests show these on both servers; in all else they compare the two with
// random conversations.
package zkserver
