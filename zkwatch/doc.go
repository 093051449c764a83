// Package zkwatch is ZooKeeper as a client: it connects, observes elections
// and stands in them.
//
// [Connect] gives a [Conn], one session with a cluster, over
// github.com/go-zookeeper/zk with that library's traps closed. An [Observer]
// looks at one election with as little as that takes, two watches and no
// write, and hands what it sees to the model as observations. A [Candidate]
// stands in an election by the recipe of ZooKeeper's documentation and
// reports each step. It leads under a lease that committed writes prove
// (connlease.go has the proof), so that it stops before another can lead even
// where its server is cut off from the ensemble and still answers. Neither knows
// the other: the observing session is never a candidate's. A [Post] has several observers on one session, and [Walk]
// looks for elections to observe. Whose election it is, and so what a candidate
// is called there, is the model's to say (dialect.Dialect).
//
//	servers --watch events--> Observer --model.Observation--> feed
//	servers <--create, watch-- Candidate --model.Member------> feed
//
// Package feed (below this one) turns the observations into state and events.
package zkwatch
