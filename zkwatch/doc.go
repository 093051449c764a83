// Package zkwatch contains one package for each task with ZooKeeper.
// It has no code of its own, only tests that need several of these packages.
//
//	client     keeps one session with a cluster
//	observer   observes one election, read-only
//	candidate  takes part in one election and leads it
//	discover   finds elections
//	feed       turns observations into state and events
//	admin      reads the servers' tables of sessions, watches and connections
//	sasl       authenticates a client to a server with DIGEST-MD5 or Kerberos
//	wire       encodes and decodes the protocol's frames and records
//	fault      simulates failures of a client and of its network
//
// An observer and a candidate never share a session:
//
//	servers --watch events--> observer  --model.Observation--> feed
//	servers <--create, watch-- candidate --model.Member-------> caller --model.Cast--> feed
package zkwatch
