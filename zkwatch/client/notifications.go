package client

import (
	"time"

	"github.com/go-zookeeper/zk"
)

// maxNotifications bounds the notifications that are remembered until their
// watchers ask for their times, which they do at once.
const maxNotifications = 64

// A notification is when a watch fired. A server sends notifications and replies in
// the order of the changes, so the change is later than what the server had answered
// before: heard is when the last such request was sent.
type notification struct {
	path      string // in full
	kind      zk.EventType
	at, heard time.Time
	// since is when its connection was established. After a lost connection the
	// server reports changes late.
	since time.Time
}

// notified is called by the library's reader for each event, before it reads the
// next message: everything answered by now was before the event.
func (c *Conn) notified(event zk.Event) {
	if event.Type == zk.EventSession || event.Type == zk.EventNotWatching {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.notifications) == maxNotifications {
		c.notifications = append(c.notifications[:0], c.notifications[1:]...)
	}
	c.notifications = append(c.notifications, notification{event.Path, event.Type, time.Now(), c.anchor.Sent, c.status.Since})
}

// LastNotification returns when the last notification of such a change of path
// came, and when the last request was sent that the server had answered before:
// the change is later than that. since is [Status.Since] of the connection that the
// watch was set over; heard is zero if the notification came over another one. A
// notification that is not remembered came just now.
func (c *Conn) LastNotification(path string, kind zk.EventType, since time.Time) (at, heard time.Time) {
	full := c.cfg.Servers.full(path)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.notifications) - 1; i >= 0; i-- {
		if n := &c.notifications[i]; n.path == full && n.kind == kind {
			if !n.since.Equal(since) {
				return n.at, time.Time{}
			}
			return n.at, n.heard
		}
	}
	return time.Now(), time.Time{}
}
