package client

import "time"

// A lease computes, from the answers to a session's requests, until when the ensemble must keep the
// session. All times are by this machine's clock.
//
// The answer to a ping or a read proves nothing. A follower that is cut off from the ensemble still
// answers, while the ensemble leader lets the session expire. A single committed write proves
// nothing either: a follower reports active sessions only in its answers to the ensemble leader's
// pings, every half tick. Three requests over one connection, each with its answer, are a proof:
//
//	k  any request
//	m  a committed write, sent gap or more after k was answered
//	n  a committed write, sent after m was answered
//
// Messages between the follower and the ensemble leader stay in order. Because of the gap, the
// ensemble leader sent a ping after k's answer and before m was sent. The follower received this
// ping before m's commit. It answered the ping with a list that has the session, and forwarded n
// later. So at n's commit the ensemble leader counts the session's timeout from k's sending or
// later. A new ensemble leader starts every session with its full timeout.
//
// The ensemble leader also starts the timeout of a session that is created, or that continues over
// another connection. Then one committed write proves a lease that counts from the ConnectRequest.
//
// The proof has two exceptions. If the server is an observer that learns from a follower, two
// servers forward the list. And a follower may lose k while it sends a list; after the session's
// next message, its list has the session again.
//
// The proof assumes equally fast clocks, so leaders keep a margin before the end of the lease. It
// also assumes that a ping is at most maxPingDelay late, or that the ensemble leader's commits are
// late too.
//
// Source: Leader, LearnerHandler and LearnerZooKeeperServer in ZooKeeper 3.4 to 3.9.
type lease struct {
	timeout time.Duration // the shortest granted timeout
	tick    time.Duration // the servers' tickTime, 0: unknown

	hello   time.Time  // when this connection's ConnectRequest was sent; zero after the first commit
	answers []exchange // kept answers of this connection, oldest first
	commits []exchange // kept commits of this connection, oldest first

	end time.Time // zero: nothing is proved yet
}

type exchange struct{ sent, answered time.Time }

// Writes overlap, so one commit is not enough.
const maxCommits = 4

// Dropped answers shorten a lease by timeout/answersIn at most.
const answersIn = 64

// maxPingDelay returns the largest assumed delay of a ping of the ensemble leader.
func maxPingDelay(timeout time.Duration) time.Duration { return timeout / 10 }

// gap returns the time within which the ensemble leader must send a ping. An unknown tick is
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
	l.hello, l.answers, l.commits = sent, nil, nil
}

func (l *lease) answered(e exchange) {
	if n := len(l.answers); n > 0 && e.sent.Sub(l.answers[n-1].sent) < l.timeout/answersIn {
		return
	}
	old := 0 // number of answers whose timeout has passed
	for old < len(l.answers) && l.answers[old].sent.Add(l.timeout).Before(e.answered) {
		old++
	}
	l.answers = append(l.answers[old:], e)
}

func (l *lease) committed(n exchange) {
	if !l.hello.IsZero() {
		l.prove(l.hello)
		l.hello = time.Time{}
	}
	var m exchange
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
