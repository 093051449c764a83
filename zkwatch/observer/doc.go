// Package observer observes an election and writes nothing.
//
// An [Observer] hands what it sees to the model as observations. It keeps two
// watches, one on the election and one on the acknowledgement.
//
// The one on the election is persistent and recursive where the server has such
// watches: each notification names a change, and the observer reads what is new.
// Elsewhere it is on the children of the election's parent and fires once:
// after a notification the observer lists the children and reads those that are new.
// Some elections are a single ephemeral znode instead. All follow one loop,
// over one connection after the other (reader.go). The journal has the children; the
// observer keeps only which names it handed on. How often it reads depends
// on what the reads cost (spacing.go).
//
// A [Group] runs several observers on one session. [ReadOnce] reads an election
// once and sets no watch.
package observer
