// Package metrics describes watched elections as Prometheus metrics.
//
// A [Collector] counts events as the feeds report them, and reads the states of the
// elections when it is asked. It has no clock and does no I/O.
//
// The only label that is not from a fixed list is path: an election's path as the user
// gave it. No name or text from a server is in a metric, so nobody can add series by
// creating znodes. What is not known has no sample: there is no number of candidates
// while electop is not connected.
package metrics
