// Package wire is ZooKeeper's client protocol: the frames, the records inside
// them, the operation codes and the error codes. It holds no connection and
// starts no goroutine. The embedded server speaks the whole of it; the client
// side uses it to look at what passes through a connection that another
// library drives.
//
// # A conversation
//
// Everything travels in frames: four bytes of big-endian length, then that
// many bytes. The first frame of a client is a [ConnectRequest], the first
// answer a [ConnectResponse]; neither carries a header. After that every
// request is a [RequestHeader] followed by the record of its [Op], and every
// reply is a [ReplyHeader] followed by the record that the operation answers
// with, or by nothing when the header carries an error. The client numbers its
// requests (xid) and the server answers them strictly in order. Three kinds of
// reply are recognised by a negative xid instead: [XidWatch] is a
// [WatcherEvent] that nobody asked for, [XidPing] answers a ping and [XidAuth]
// an authentication.
//
// # Encoding
//
// The serialisation is jute: big-endian integers, one byte for a boolean, and
// a signed 32-bit length in front of strings, buffers and vectors, where -1
// stands for null. A record appends itself to a byte slice and reads itself
// from a [Decoder]. The decoder trusts nothing: each length is checked against
// what is left of the frame before anything is allocated, the first error
// sticks, and all reads after it return zero values, so that a Decode method
// needs no error handling of its own.
//
// Field order, operation codes and error codes are those of ZooKeeper 3.8
// (zookeeper.jute, ZooDefs.OpCode, KeeperException.Code).
package wire
