// Package zkwatch contains the packages that use ZooKeeper, one for each task.
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
//	fault      freezes a client, partitions a network, loses a reply
//
// An observer and a candidate never share a session:
//
//	servers --watch events--> observer  --model.Observation--> feed
//	servers <--create, watch-- candidate --model.Cast---------> feed
package zkwatch
