// Package candidate takes part in an election with the recipe of ZooKeeper's documentation, and
// reports each step as a model.Member.
//
// A [Candidate] runs until it resigns, is killed or cannot take part. Each of its candidacies has
// its own session and znode, and passes through these files:
//
//	volunteer.go        create the znode; find it again after a lost reply
//	candidacy.go        list the children, and decide
//	predecessor.go      watch the predecessor until it is deleted
//	lead.go             the leader procedure, and the reasons to stop; watch the own znode
//	acknowledgement.go  create the znode that shows the end of the procedure
//	lease.go            lead no longer than the lease; renew it by committed writes
//
// A leader leads only under a lease, proved by committed writes (see package client). It stops
// leading before another candidate can lead, even if its server is cut off from the ensemble. The
// one exception: someone else deletes the leader's znode.
//
// faults.go can kill or freeze a candidate, or lose the reply to its create.
package candidate
