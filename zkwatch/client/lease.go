package client

import "time"

// A lease is until when an ensemble is sure to keep a session, as far as its
// answers prove it. Every moment is by this machine's clock.
//
// An answer alone proves little. A follower that is cut off from the ensemble
// answers pings and reads by itself until it notices, while the ensemble leader
// lets the session expire. Only a committed write needs a quorum, and not even
// that tells the ensemble leader that the client is alive: a follower reports the
// sessions that it heard from in its answers to the ensemble leader's pings,
// which come every half tick. Three answers over one connection prove it:
//
//	k  any answer: the follower heard from the session after k was sent
//	m  a committed write, sent gap or more after k was answered
//	n  a committed write, sent after m was answered
//
// Both directions between a follower and the ensemble leader are streams in
// order. Between k's answer and m's sending the ensemble leader sent a ping.
// The follower received it before m's commit, and answered it, with the session
// in it, before it passed n on. So n's commit means that the ensemble leader
// has counted the session's timeout from k or later. A new ensemble leader
// starts every session with its full timeout, and later than that.
//
// When a session is created, or moves to another server, the ensemble leader itself
// starts its timeout: then one committed write proves as much, counted from the
// request to connect.
//
// The proof does not cover a client of an observer server that learns from a
// follower, because two servers forward the list there. And a follower can lose k
// in the microseconds in which it hands its list over; the session's next message,
// a tenth of the timeout later, is in the next list.
//
// This assumes that clocks run equally fast (leaders keep a margin), and that the
// ensemble leader's pings are never later than maxPingDelay, unless it commits no
// write meanwhile either. Source: Leader, LearnerHandler and
// LearnerZooKeeperServer in ZooKeeper 3.4 to 3.9.
type lease struct {
	timeout time.Duration // the shortest that was granted
	tick    time.Duration // the servers' tickTime, 0: not known

	hello   time.Time  // when this connection was asked for; zero: that was used
	answers []exchange // over this connection, oldest first
	commits []exchange // likewise

	end time.Time // zero: nothing is proved yet
}

// An exchange is a request and its answer.
type exchange struct{ sent, answered time.Time }

// maxCommits is how many commits are kept. One is enough for a leader, who
// sends them one after the other; others may overlap.
const maxCommits = 4

// answersIn is how many answers are kept for the length of a session timeout. With
// fewer a lease is shorter by that fraction at most.
const answersIn = 64

// maxPingDelay is how late a ping of the ensemble leader may be.
func maxPingDelay(timeout time.Duration) time.Duration { return timeout / 10 }

// gap is the time within which the ensemble leader is sure to send a ping. If the
// tick is not known, it is assumed to be half of the session timeout: by default
// servers grant at least two ticks.
func (l *lease) gap() time.Duration {
	half := l.tick / 2
	if l.tick == 0 {
		half = l.timeout / 4
	}
	return half + maxPingDelay(l.timeout)
}

// tooShort reports that the session timeout leaves a lease no room to last from
// one renewal to the next.
func (l *lease) tooShort() bool { return l.gap() > l.timeout/2 }

// connected begins another connection, asked for at sent. timeout is what the
// server granted.
func (l *lease) connected(sent time.Time, timeout time.Duration) {
	if l.timeout == 0 || timeout < l.timeout {
		l.timeout = timeout
	}
	l.hello, l.answers, l.commits = sent, nil, nil
}

// answered takes in an answer of any kind.
func (l *lease) answered(e exchange) {
	if n := len(l.answers); n > 0 && e.sent.Sub(l.answers[n-1].sent) < l.timeout/answersIn {
		return
	}
	old := 0 // those that can prove nothing any more
	for old < len(l.answers) && l.answers[old].sent.Add(l.timeout).Before(e.answered) {
		old++
	}
	l.answers = append(l.answers[old:], e)
}

// committed takes in the answer to a write that was carried out.
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

// prove notes that the ensemble leader has counted the timeout from heard on.
func (l *lease) prove(heard time.Time) {
	if end := heard.Add(l.timeout); end.After(l.end) {
		l.end = end
	}
}
