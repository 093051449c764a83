// Package observer observes an election and writes nothing.
//
// An [Observer] reports observations of the model. It keeps a watch on the election and one on each
// acknowledgement. One loop (reader.go) follows all kinds of elections:
//
// On servers with persistent recursive watches, a notification names the change, and the observer
// reads only new children. On other servers a watch on the children fires once; the observer then
// lists the children. A few elections are a single ephemeral znode, which has a watch on its data.
//
// The journal keeps the children; the observer keeps only their names. The cost of the reads
// decides how often the observer reads (spacing.go). A [Group] runs several observers on one
// session. [ReadOnce] reads an election once and sets no watch.
package observer
