package client

import "time"

// A lease computes a time before which the ensemble cannot expire the session. It uses the send and
// answer times of requests, according to this machine's clock.
//
// The answer to a ping or a read proves nothing. A follower that is cut off from the ensemble still
// answers, while the ensemble leader lets the session expire. A single committed write proves nothing
// either, unless it is the first over its connection (see below): a follower sends its list of active
// sessions only in its answers to the ensemble leader's pings, every half tick. Three requests over
// one connection, each with its answer, are a proof:
//
//	k  any request, ping or ConnectRequest
//	m  a committed write, sent at least gap after k was answered
//	n  a committed write, sent after m was answered
//
// Messages between the follower and the ensemble leader stay in order. Because of the gap, the
// ensemble leader sent a ping after k's answer and before m was sent. The follower received this
// ping before m's commit. It answered with a list that has the session, and forwarded n later. So at n's
// commit, the ensemble leader counts the session's timeout from k's send time or later. A new
// ensemble leader starts every session with its full timeout.
//
// The ensemble leader also starts the timeout when a session is created, or continues over another
// connection. Then one committed write proves a lease that counts from the ConnectRequest.
//
// The proof fails if the server is an observer that learns from a follower, or if the follower receives k while
// it sends its list.
//
// The proof assumes equally fast clocks, so an elected leader keeps a margin before the end of the lease. It also
// assumes that a ping is at most maxPingDelay late, or that the ensemble leader's commits are late too.
//
// Source: Leader, LearnerHandler and LearnerZooKeeperServer in ZooKeeper 3.4 to 3.9.
type lease struct {
	timeout time.Duration // the shortest granted timeout
	tick    time.Duration // the servers' tickTime, 0: unknown

	connectSent time.Time      // when this connection's ConnectRequest was sent; zero after the first commit
	answers     []requestTimes // some answers over this connection, oldest first
	commits     []requestTimes // the last commits over this connection, oldest first

	end time.Time // zero: no lease
}

type requestTimes struct{ sent, answered time.Time }

// maxCommits bounds lease.commits. One commit is not enough: a write that overlaps n cannot be m.
const maxCommits = 4

// answersPerTimeout bounds the answers kept per timeout. The dropped answers shorten a lease by
// timeout/answersPerTimeout at most.
const answersPerTimeout = 64

func maxPingDelay(timeout time.Duration) time.Duration { return timeout / 10 }

// gap returns the longest assumed time between two pings of the ensemble leader. An unknown tick is
// assumed to be half the session timeout, because by default servers grant at least two ticks.
func (l *lease) gap() time.Duration {
	half := l.tick / 2
	if l.tick == 0 {
		half = l.timeout / 4
	}
	return half + maxPingDelay(l.timeout)
}

func (l *lease) connected(sent time.Time, timeout time.Duration) {
	if l.timeout == 0 || timeout < l.timeout {
		l.timeout = timeout
	}
	l.connectSent, l.answers, l.commits = sent, nil, nil
}

func (l *lease) answered(e requestTimes) {
	if n := len(l.answers); n > 0 && e.sent.Sub(l.answers[n-1].sent) < l.timeout/answersPerTimeout {
		return
	}
	dropped := 0
	for dropped < len(l.answers) && l.answers[dropped].sent.Add(l.timeout).Before(e.answered) {
		dropped++
	}
	l.answers = append(l.answers[dropped:], e)
}

func (l *lease) committed(n requestTimes) {
	if !l.connectSent.IsZero() {
		l.prove(l.connectSent)
		l.connectSent = time.Time{}
	}
	var m requestTimes
	for _, e := range l.commits {
		if !e.answered.After(n.sent) && e.sent.After(m.sent) {
			m = e
		}
	}
	if l.commits = append(l.commits, n); len(l.commits) > maxCommits {
		l.commits = l.commits[1:]
	}
	if m.sent.IsZero() {
		return
	}
	for i := len(l.answers) - 1; i >= 0; i-- {
		if k := l.answers[i]; !k.answered.Add(l.gap()).After(m.sent) {
			l.prove(k.sent)
			return
		}
	}
}

func (l *lease) prove(from time.Time) {
	if end := from.Add(l.timeout); end.After(l.end) {
		l.end = end
	}
}
