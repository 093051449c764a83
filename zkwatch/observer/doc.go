// Package observer observes an election and writes nothing.
//
// An [Observer] reports what it sees as observations of the model. It keeps a watch on the
// election and a watch on each acknowledgement.
//
// On servers with persistent recursive watches the election's watch is one of these: each
// notification names a change, and the observer reads the new children. On other servers
// the watch is on the children of the election's parent and fires once: after a
// notification the observer lists the children and reads the new ones. Some elections
// are a single ephemeral znode instead. One loop follows all kinds of elections
// (reader.go). The journal keeps the children; the observer keeps only the names that it
// reported. The cost of the reads decides how often it reads (spacing.go).
//
// A [Group] runs several observers on one session. [ReadOnce] reads an election
// once and sets no watch.
package observer
