// Package client is one session with a ZooKeeper cluster, over
// github.com/go-zookeeper/zk with that library's traps closed.
//
// [Connect] returns a [Conn]. It keeps its session over lost connections and
// changes of server, and never replaces it silently by another: when the session
// is over, so is the Conn. A request ends at the latest with the connection that
// it was sent over, and its error tells whether it may have been carried out. The
// [Status] has what the library does not tell: the granted timeout, round trips,
// until when the session is sure to live.
//
// Between the library and each connection stands a net.Conn of this package
// (serverconn.go) that reads along. It refuses lengths and sessions that the
// library would believe, presents credentials before anything else, and bounds the
// handshake.
//
// For a leader the important part is the lease (lease.go has the proof): until
// when the ensemble cannot let the session expire, as committed writes prove it.
// [Conn.Renew] renews it.
//
//	connectstring.go, credentials.go, certificates.go, config.go   what to connect to, and as whom
//	conn.go, dial.go, servers.go, session.go, status.go            the life of a session
//	requests.go, fencedwrite.go, renew.go, call.go                 requests
//	serverconn.go, received.go, handshake.go, frame.go, tls.go     one connection
//	lease.go, distance.go, notifications.go                        what answers tell besides
package client
