package observer

import (
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/client"
)

// onClock converts a time of this process to the observer's clock.
func (o *Observer) onClock(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return o.cfg.Now().Add(-time.Since(t))
}

// notified returns when a notification came, by the observer's clock, and when the
// last request that was answered before it was sent. since is when the connection
// was established over which the state before was read.
func (o *Observer) notified(conn *client.Conn, path string, event zk.Event, since time.Time) (at, heard time.Time) {
	at, heard = conn.LastNotification(path, event.Type, since)
	return o.onClock(at), o.onClock(heard)
}
