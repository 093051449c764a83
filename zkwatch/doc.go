// Package zkwatch holds what talks to ZooKeeper, a package for each task. It has
// no code of its own: only the tests that need several of these packages and
// real servers, such as a handoff that an observer sees.
//
//	client     one session with a cluster
//	observer   looks at one election, read-only
//	candidate  stands in one election and leads it
//	discover   finds elections
//	feed       turns observations into state and events
//	admin      asks the servers about themselves: sessions, watches, connections
//	wire       the frames and records of the protocol
//	fault      a frozen process, a partition and a lost reply, on demand
//
// An observer and a candidate do not know each other, and never share a session:
//
//	servers --watch events--> observer  --model.Observation--> feed
//	servers <--create, watch-- candidate --model.Member-------> feed
//
// Whose election it is, and so what a candidate's znode is called there, is up to
// the model (dialect.Dialect).
package zkwatch
