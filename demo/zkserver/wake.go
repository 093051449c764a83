package zkserver

import (
	"slices"
	"time"

	"electop/zkwatch/wire"
)

// A wake is a Tally in the making: what a deletion causes in the sessions that
// were told of it. A session has one wake at most, that of the last deletion
// whose notification it was sent.
//
// Guarded by s.mu. The methods may be called on nil.
type wake struct {
	Tally
	s        *Server
	to       []*tally
	owner    int64         // of an ephemeral node: its session
	sessions int           // whose wake it is
	holding  int           // of these, those of which something is held
	owed     int           // what is held and counts for it, and what is being carried out
	last     time.Duration // when one of its sessions was heard of or told something
	told     time.Duration // last report
	news     bool          // that were not reported
	over     bool
	alarm    *alarm
	alarmAt  time.Duration
}

// woken begins the wake of a deletion and reports it. It returns nil if nobody
// wants to know, or if nothing can follow. Otherwise done is due when all
// notifications were made.
func (s *Server) woken(path, parent string, n *node, zxid int64) *wake {
	to := s.tallies[parent]
	if len(to) == 0 {
		return nil
	}
	w := &wake{s: s, to: to, owed: 1, owner: n.owner}
	w.Path, w.Zxid, w.At = path, zxid, s.clock.Now()
	for c := range s.watches.data.paths[path] {
		if !c.backstage && c.sess.id != w.owner && c.allowed(n.acl, wire.PermRead) {
			w.Notified = append(w.Notified, c.sess.id)
		}
	}
	slices.Sort(w.Notified)
	w.last = s.elapsed()
	if w.Settled = len(w.Notified) == 0; w.Settled {
		w.tell()
		return nil
	}
	s.wakes[w] = struct{}{}
	w.tell()
	return w
}

func (w *wake) tell() {
	w.told, w.news = w.s.elapsed(), false
	for _, t := range w.to {
		if !t.stopped {
			t.report(w.Tally)
		}
	}
}

// asks counts a request of n bytes for the session's wake, if it has one, and
// returns that. done is due when the request was carried out.
func (sess *session) asks(op wire.Op, n int) *wake {
	w := sess.wake
	if w == nil || op == wire.OpPing {
		return nil
	}
	if w.over {
		sess.wake = nil
		return nil
	}
	w.Requests++
	w.BytesIn += int64(n)
	w.news = true
	w.last = w.s.elapsed()
	w.owed++
	return w
}

// sent counts a message of n bytes to c, 0 if it could not be sent. With the
// notification, the session counts from now on.
func (w *wake) sent(c *conn, n int, notification bool) {
	if w == nil || n == 0 {
		return
	}
	w.BytesOut += int64(n)
	w.news = true
	w.last = w.s.elapsed()
	if sess := c.sess; notification && !w.s.over(sess) {
		sess.leaveWake()
		sess.wake = w
		w.sessions++
		if sess.held > 0 {
			w.holding++
		}
	}
}

// owe says that a message is held that will count.
func (w *wake) owe() {
	if w != nil {
		w.owed++
	}
}

// done takes one off what is owed.
func (w *wake) done() {
	if w != nil {
		w.owed--
		w.follow()
	}
}

// holds says that one of the sessions has something held now, or no more.
func (w *wake) holds(d int) {
	if w != nil {
		w.holding += d
		w.last = w.s.elapsed()
		w.follow()
	}
}

// leaveWake ends a session's part in its wake.
func (sess *session) leaveWake() {
	w := sess.wake
	if w == nil {
		return
	}
	sess.wake = nil
	w.sessions--
	if sess.held > 0 {
		w.holding--
	}
	w.follow()
}

// follow reports what is to be reported, and sees to it that it is called
// again when there may be more.
func (w *wake) follow() {
	if w.over {
		return
	}
	now := w.s.elapsed()
	idle := w.owed == 0 && w.holding == 0
	w.Settled = idle && (w.sessions == 0 || now-w.last >= tallyQuiet)
	if (w.news || w.Settled) && now-w.told >= tallyEvery {
		w.tell()
		if w.Settled {
			w.end()
			return
		}
	}
	switch {
	case w.news || w.Settled:
		w.again(w.told+tallyEvery, now)
	case idle:
		w.again(w.last+tallyQuiet, now)
	}
}

func (w *wake) again(at, now time.Duration) {
	if w.alarm != nil && w.alarmAt <= at {
		return
	}
	w.alarm.stop()
	w.alarmAt = at
	w.alarm = w.s.after(at-now, func() {
		w.alarm = nil
		w.follow()
	})
}

func (w *wake) end() {
	w.over = true
	w.alarm.stop()
	delete(w.s.wakes, w)
}
