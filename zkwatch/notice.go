package zkwatch

import (
	"time"

	"github.com/go-zookeeper/zk"
)

// noticesMax bounds the notifications that are remembered until who waits for
// them takes note: a moment's worth.
const noticesMax = 64

// A notice is when a notification came. A server sends notifications and replies
// in the order of what they tell, so the change is later than what it had answered
// before: heard is when the last such request was sent.
type notice struct {
	path      string // in full
	kind      zk.EventType
	at, heard time.Time
	// since is when the connection came about that it came over. After a loss the
	// server tells late what changed meanwhile.
	since time.Time
}

// noticed is called by the library's reader for each event, before it reads on:
// what was answered by now was so before the event.
func (c *Conn) noticed(event zk.Event) {
	if event.Type == zk.EventSession || event.Type == zk.EventNotWatching {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.notices) == noticesMax {
		c.notices = append(c.notices[:0], c.notices[1:]...)
	}
	c.notices = append(c.notices, notice{event.Path, event.Type, time.Now(), c.anchor.Sent, c.status.Since})
}

// lastNotice returns when the last notification of such a change of path came,
// and what the server had answered before (see notice); the zero time if the watch
// was set over another connection than that since which is given. What is not
// remembered came just now.
func (c *Conn) lastNotice(path string, kind zk.EventType, since time.Time) (at, heard time.Time) {
	full := c.cfg.Servers.full(path)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.notices) - 1; i >= 0; i-- {
		if n := &c.notices[i]; n.path == full && n.kind == kind {
			if !n.since.Equal(since) {
				return n.at, time.Time{}
			}
			return n.at, n.heard
		}
	}
	return time.Now(), time.Time{}
}

// onClock is a time of this process by the observer's own clock.
func (o *Observer) onClock(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return o.cfg.Now().Add(-time.Since(t))
}

// notified returns when a notification came that the observer waited for, by its
// clock, and when what was answered before it had been sent. since is when the
// connection came about over which the state before was read.
func (o *Observer) notified(conn *Conn, path string, event zk.Event, since time.Time) (at, heard time.Time) {
	at, heard = conn.lastNotice(path, event.Type, since)
	return o.onClock(at), o.onClock(heard)
}
