// Package history keeps the past of an election.
//
// A recording is a [Header] and the observations, one JSON object a line
// ([Encoder], [Decoder]). To apply them again yields the same events, which is
// all that a replay is. A [Timeline] keeps the observations in memory, and clones of
// the journal at some moments, from which any other moment is computed again:
// that is time travel.
//
// A recording is a stranger's file: the length of its lines and the memory that
// they take are bounded.
package history
