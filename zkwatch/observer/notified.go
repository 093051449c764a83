package observer

import (
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/client"
)

// A clock is what observations are dated by.
type clock func() time.Time

// of converts a time of this process.
func (now clock) of(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return now().Add(-time.Since(t))
}

// notified returns when a notification came, and when the last request that was answered
// before it was sent. since is when the connection was established over which the state
// before was read.
func (now clock) notified(conn *client.Conn, path string, event zk.Event, since time.Time) (at, heard time.Time) {
	at, heard = conn.LastNotification(path, event.Type, since)
	return now.of(at), now.of(heard)
}
