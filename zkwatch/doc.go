// Package zkwatch contains the packages that use ZooKeeper, one for each task.
// It has no code of its own, only tests that need several of these packages.
//
//	client     one session with a cluster
//	observer   observes one election, read-only
//	candidate  takes part in one election and leads it
//	discover   finds elections
//	feed       turns observations into state and events
//	admin      reads the servers' own tables: sessions, watches, connections
//	sasl       authenticates a client to a server: DIGEST-MD5, Kerberos
//	wire       the frames and records of the protocol
//	fault      a frozen process, a partition and a lost reply, on demand
//
// Observers and candidates are independent, and never share a session:
//
//	servers --watch events--> observer  --model.Observation--> feed
//	servers <--create, watch-- candidate --model.Member-------> feed
//
// A dialect.Dialect of the model describes the system that runs an election, and how a
// candidate of that system names its znode.
package zkwatch
