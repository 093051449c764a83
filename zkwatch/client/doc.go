// Package client keeps one session with a ZooKeeper cluster. It uses github.com/go-zookeeper/zk.
//
// [Connect] returns a [Conn]. The Conn keeps its session over lost connections, and ends when the
// session ends. The error of a request shows whether the server may have executed the request.
//
// The library reads and writes through a net.Conn of this package (serverConn). The serverConn checks
// lengths and sessions, sends credentials first, and adds requests of this package.
//
// Committed writes prove that the session cannot expire before a certain time. A leader's lease lasts
// until that time (lease.go). [Conn.Renew] renews the lease. The session's anchor is the send time of
// the last answered request or ping ([Conn.Anchor]).
//
//	connectstring.go, credentials.go, certificates.go, config.go   servers, credentials, TLS
//	conn.go, dial.go, session.go, status.go                        the life of a session
//	serverconn.go, frame.go, handshake.go                          the messages on a connection
//	requests.go, call.go, errors.go                                requests and their errors
//	follow.go                                                      persistent watches; the order of replies and events
//	lease.go                                                       the lease
package client
