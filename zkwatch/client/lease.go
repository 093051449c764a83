package client

import "time"

// A lease proves, from a session's answers, until when the ensemble must keep the
// session. All times are by this machine's clock.
//
// An answer alone proves little. A follower that is cut off from the ensemble answers pings and
// reads by itself until it notices, while the ensemble leader lets the session expire. Only a
// committed write needs a quorum. But even a committed write does not show the ensemble leader
// that the client is alive: a follower lists the sessions that sent it a message only in its
// answers to the ensemble leader's pings, which come every half tick. Three answers over one
// connection prove it:
//
//	k  any answer: the follower received a message of the session after k was sent
//	m  a committed write, sent gap or more after k was answered
//	n  a committed write, sent after m was answered
//
// Both directions between a follower and the ensemble leader are streams in order. Between k's
// answer and m's sending the ensemble leader sent a ping. The follower received the ping before
// m's commit. It answered the ping, with the session in the list, before it forwarded n. So n's
// commit means that the ensemble leader has counted the session's timeout from k or later. If
// there is a new ensemble leader after that, it starts every session with its full timeout.
//
// When a session is created or continues over another connection, the ensemble leader itself
// starts its timeout. Then one committed write proves as much, counted from the ConnectRequest.
//
// The proof does not cover a client of an observer server that learns from a
// follower, because two servers forward the list there. And a follower can lose k
// in the microseconds in which it sends its list; the session's next message,
// a tenth of the timeout later, is in the next list.
//
// The proof assumes that clocks run equally fast (leaders keep a margin), and that a
// ping of the ensemble leader is late by maxPingDelay at most, unless the ensemble
// leader commits no write meanwhile either. Source: Leader, LearnerHandler and
// LearnerZooKeeperServer in ZooKeeper 3.4 to 3.9.
type lease struct {
	timeout time.Duration // the shortest granted timeout
	tick    time.Duration // the servers' tickTime, 0: unknown

	hello   time.Time  // when this connection's ConnectRequest was sent; zero: already used
	answers []exchange // the answers kept of this connection, oldest first
	commits []exchange // the last committed writes over this connection, oldest first

	end time.Time // zero: nothing is proved yet
}

// An exchange has the times of a request and its answer.
type exchange struct{ sent, answered time.Time }

// maxCommits bounds the commits that are kept. One is enough for a leader that sends its
// writes one after the other; the writes of others may overlap.
const maxCommits = 4

// answersIn is the largest number of answers kept for each session timeout. The answers that
// are not kept shorten a lease by timeout/answersIn at most.
const answersIn = 64

// maxPingDelay returns the largest delay of a ping of the ensemble leader.
func maxPingDelay(timeout time.Duration) time.Duration { return timeout / 10 }

// gap returns the time within which the ensemble leader must send a ping. If the
// tick is unknown, gap assumes half of the session timeout: by default servers grant
// at least two ticks.
func (l *lease) gap() time.Duration {
	half := l.tick / 2
	if l.tick == 0 {
		half = l.timeout / 4
	}
	return half + maxPingDelay(l.timeout)
}

// connected begins another connection, whose ConnectRequest was sent at sent. The server
// granted timeout.
func (l *lease) connected(sent time.Time, timeout time.Duration) {
	if l.timeout == 0 || timeout < l.timeout {
		l.timeout = timeout
	}
	l.hello, l.answers, l.commits = sent, nil, nil
}

// answered adds an answer of any kind, unless one was kept shortly before.
func (l *lease) answered(e exchange) {
	if n := len(l.answers); n > 0 && e.sent.Sub(l.answers[n-1].sent) < l.timeout/answersIn {
		return
	}
	old := 0 // the number of answers that can prove nothing any more
	for old < len(l.answers) && l.answers[old].sent.Add(l.timeout).Before(e.answered) {
		old++
	}
	l.answers = append(l.answers[old:], e)
}

// committed adds the answer to a write that was executed.
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

// prove notes that the ensemble leader has counted the timeout from the given time or later.
func (l *lease) prove(from time.Time) {
	if end := from.Add(l.timeout); end.After(l.end) {
		l.end = end
	}
}
