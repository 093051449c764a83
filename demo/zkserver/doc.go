// Package zkserver is a ZooKeeper server within the process: in memory,
// standalone, with no dependency and no disk. Clients (go-zookeeper, kazoo, the
// Java client and what is built upon them) cannot tell it from Apache
// ZooKeeper 3.8 in what it supports, and tools that read the four-letter words
// find the same layout.
//
// # How a request passes through
//
// A connection has one goroutine. It reads a frame, takes the server's lock,
// and carries the request out against the tree, the watches and the sessions,
// all of which the lock guards. A write is checked completely before it
// changes anything, so that a multi needs no undoing: its operations are
// checked in turn against a view of the tree that already includes the ones
// before, and only when all have passed are they applied. Applying a change
// triggers the watches on it: the events are appended to the output of the
// connections concerned, still under the lock and before the reply to the
// writer is. That gives the guarantee that clients build upon: nobody sees the
// reply to a later read before the event that tells of the change.
//
// Nothing is written to a connection under the lock. Output is appended to a
// queue in memory; the connection's own goroutine writes it when it has no
// further request at hand, and a goroutine that lives only while there is
// something to write does so for events that reach an idle connection. An
// idle session therefore costs a goroutine, two small buffers and a map
// entry, and thousands of them are fine. A peer that does not read what it
// asked for stops being read from; one that leaves events unread for too long
// is cut off.
//
// # Time
//
// A session lives as long as its client sends something, a ping at least. It
// expires at the first multiple of Options.Tick that is not before its
// deadline: up to one tick late, never early. All time comes from the Clock of
// the Options, or from package time, so that hours pass in milliseconds inside
// a testing/synctest bubble when connections come from Dial.
//
// # Where it differs from Apache on purpose
//
// A client that has seen a later zxid than the server has (because the server
// was restarted and forgot) is told that its session expired and can start
// afresh; Apache drops the connection, which sends single-server clients into
// an endless loop. An unknown operation is answered with Unimplemented and the
// connection stays. The password of a session is checked before its old
// connection is closed. Standard, persistent and recursive watches of one
// client on the same path are kept apart, and checkWatches looks at the asking
// client's own watches, as in later releases. There are no quotas, no SASL, no
// reconfiguration, and data does not outlive the Server.
package zkserver
