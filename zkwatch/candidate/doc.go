// Package candidate takes part in an election, and reports each step as a model.Member.
//
// [Candidate.Run] makes attempts to take part. Each attempt is a candidacy, with its own session and
// znode. A candidacy passes through these files:
//
//	volunteer.go        create the znode; find it again after a lost reply
//	candidacy.go        list the children, and decide
//	predecessor.go      watch the predecessor until it is deleted
//	lead.go             the leader procedure, and the reasons to stop; watch the own znode
//	acknowledgement.go  create the znode that shows that the procedure ended
//	lease.go            stop leading before the lease ends; renew it by committed writes
//
// A leader leads only while it has a lease, which committed writes prove (client/lease.go). So it
// stops before another candidate can lead, even if its server is cut off from the ensemble. This does not hold if the
// leader's process pauses, if another client deletes the leader's znode, or if an assumption of the lease is wrong.
//
// faults.go can kill or freeze a candidate, end its lease, or lose the reply to its create.
package candidate
