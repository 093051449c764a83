package observer

import (
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/client"
)

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
func (o *Observer) notified(conn *client.Conn, path string, event zk.Event, since time.Time) (at, heard time.Time) {
	at, heard = conn.LastNotification(path, event.Type, since)
	return o.onClock(at), o.onClock(heard)
}
