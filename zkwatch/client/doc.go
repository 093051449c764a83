// Package client keeps one session with a ZooKeeper cluster. It uses
// github.com/go-zookeeper/zk and avoids that library's traps.
//
// [Connect] returns a [Conn]. A Conn keeps its session over lost connections and changes of
// server, and never replaces it silently: when the session ends, the Conn ends. A request ends
// at the latest with its connection, and its error says whether the server may have executed
// it. The [Status] has what the library does not report: the granted timeout, round trips, and
// the time until which the session cannot expire.
//
// Between the library and each server is a net.Conn (serverconn.go) that reads the
// messages. It refuses lengths and sessions that the library would accept, authenticates
// (SASL) and sends credentials first, bounds the handshake, and makes requests of its own.
//
// A leader needs a lease: the time until which the session cannot expire, as committed
// writes prove (lease.go has the proof). [Conn.Renew] renews the lease.
//
//	connectstring.go, credentials.go, certificates.go, config.go   servers, credentials, TLS
//	conn.go, dial.go, session.go, status.go                        the life of a session
//	serverconn.go, frame.go, handshake.go                          the messages on a connection
//	requests.go, call.go                                           requests
//	follow.go                                                      persistent watches, reads in the order of their events
//	lease.go                                                       the lease
package client
