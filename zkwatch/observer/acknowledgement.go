package observer

import (
	"context"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// ackBurst bounds the reads of the acknowledgement that follow each other without a
// pause: a handoff takes two (deleted, created), and their times are shown.
const ackBurst = 4

// watchAck reads an acknowledgement znode whenever it changes, over one connection after
// the other.
func (o *Observer) watchAck(ctx context.Context, conn *client.Conn, path string) {
	failed := minSpacing
	for conn.AwaitConnected(ctx) {
		f, err := conn.Follow(path)
		if err == nil {
			var read bool
			if read, err = o.followAck(ctx, f, path); read {
				failed = minSpacing
			}
			f.Close()
		}
		if !pause(ctx, failed) {
			return
		}
		if !client.Unanswered(err) {
			failed = min(2*failed, failedMax)
		}
	}
}

// followAck reads an acknowledgement with a data watch while it exists, otherwise
// with one for its creation. It ends with the connection, and returns whether it handed
// on a read.
func (o *Observer) followAck(ctx context.Context, f *client.Following, path string) (read bool, err error) {
	var reads [ackBurst]time.Time // the last ones, in a ring
	var last client.Change        // which caused the read
	for n := 0; ; n++ {
		ack := &model.Ack{Path: path, Sent: o.now(), Notified: o.now.of(last.At), Heard: o.now.of(last.Heard)}
		z, seen, err := f.Znode(ctx, true, last.Kind == zk.EventNodeDeleted)
		if err != nil {
			return read, err
		}
		o.fill(ack, z)
		o.cfg.Put(ctx, ack)
		read = true
		reads[n%ackBurst] = time.Now()
		last = client.Change{}
		if ack.Presence == model.Denied { // no watch reports a change of the ACL
			pause(ctx, deniedPauseMax)
		} else if last, err = f.Next(ctx, seen); err != nil {
			return read, err
		}
		// A znode that is written all the time is not read all the time.
		if oldest := reads[(n+1)%ackBurst]; !pause(ctx, ackBurst*minSpacing-time.Since(oldest)) {
			return read, ctx.Err()
		}
	}
}

// fill puts into ack what the reply to a read shows.
func (o *Observer) fill(ack *model.Ack, z znode.Znode) {
	ack.At = o.now()
	switch {
	case z.Unread:
		ack.Presence = model.Absent
	case z.Data.Denied:
		ack.Presence = model.Denied
	default:
		ack.Presence, ack.Session, ack.Czxid, ack.Data = model.Present, z.Session, z.Czxid, z.Data
	}
}
