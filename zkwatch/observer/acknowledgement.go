package observer

import (
	"context"
	"errors"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// ackBurst is how many reads of the acknowledgement may follow each other at
// once: a handoff takes two (deleted, created), and their times are shown.
const ackBurst = 4

// watchAck reads an acknowledgement znode whenever it changes: with a data watch
// while it exists, else with one for its creation.
func (o *outlook) watchAck(ctx context.Context, conn *client.Conn, path string, w *watches) {
	var reads [ackBurst]time.Time // the last ones, in a ring
	failed := minSpacing          // the pause after a read that failed
	gone := false                 // the last notification was of its deletion
	var notified, heard time.Time // as in watchChildren
	for n := 0; conn.AwaitConnected(ctx); n++ {
		since := conn.Status().Since
		ack, watch, err := o.readAck(ctx, conn, path, w.get(path), gone)
		if watch != nil {
			w.set(path, watch)
		}
		if err != nil {
			if !pause(ctx, failed) {
				return
			}
			if !client.Unanswered(err) {
				failed = min(2*failed, failedMax)
			}
			continue
		}
		ack.Notified, ack.Heard = notified, heard
		failed, gone, notified, heard = minSpacing, false, time.Time{}, time.Time{}
		o.put(ctx, ack)
		reads[n%ackBurst] = time.Now()
		var again <-chan time.Time
		if ack.Presence == model.Denied { // no watch was set
			again = time.After(deniedPauseMax)
		}
		select {
		case event := <-w.get(path):
			w.set(path, nil)
			gone = event.Type == zk.EventNodeDeleted
			notified, heard = o.now.notified(conn, path, event, since)
		case <-again:
		case <-conn.Done():
			return
		case <-ctx.Done():
			return
		}
		// A znode that is written all the time is not read all the time.
		if oldest := reads[(n+1)%ackBurst]; !pause(ctx, ackBurst*minSpacing-time.Since(oldest)) {
			return
		}
	}
}

// readAck reads the acknowledgement. It sets a watch unless one is outstanding. If
// the znode is likely to be absent (gone), it calls exists, which saves a round trip
// if it is.
func (o *outlook) readAck(ctx context.Context, conn *client.Conn, path string, outstanding <-chan zk.Event, gone bool) (ack *model.Ack, watch <-chan zk.Event, err error) {
	ack = &model.Ack{Sent: o.now(), Path: path, Presence: model.Present}
	var data []byte
	var stat *zk.Stat
	switch {
	case outstanding != nil:
		data, stat, err = conn.Get(ctx, path)
	case gone:
		err = zk.ErrNoNode
	default:
		data, stat, watch, err = conn.GetW(ctx, path)
	}
	switch {
	case errors.Is(err, zk.ErrNoAuth):
		ack.Presence = model.Denied
	case errors.Is(err, zk.ErrNoNode) && outstanding == nil:
		var exists bool
		if exists, _, watch, err = conn.ExistsW(ctx, path); err != nil {
			return nil, watch, err
		}
		if exists {
			// It was created just now. At the server this watch is a data watch, and
			// fires on its deletion.
			ack, _, err = o.readAck(ctx, conn, path, watch, false)
			return ack, watch, err
		}
		ack.Presence = model.Absent
	case errors.Is(err, zk.ErrNoNode):
		ack.Presence = model.Absent
	case err != nil:
		return nil, nil, err
	default:
		ack.Session, ack.Czxid, ack.Data = uint64(stat.EphemeralOwner), stat.Czxid, znode.NewData(data)
	}
	ack.At = o.now()
	return ack, watch, nil
}
