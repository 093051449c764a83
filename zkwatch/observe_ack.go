package zkwatch

import (
	"context"
	"errors"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
)

// ackBurst is how many reads of the acknowledgement may follow each other at
// once: a handoff takes two (deleted, created), and their times are shown.
const ackBurst = 4

// watchAck reads the acknowledgement znode whenever it changes, for one
// session: with a data watch while it exists, else with one for its creation.
func (o *Observer) watchAck(ctx context.Context, conn *Conn) {
	var reads [ackBurst]time.Time // the last ones, in a ring
	for n := 0; awaitConnection(ctx, conn); n++ {
		ack := &model.Ack{Presence: model.Present}
		data, stat, watch, err := conn.GetW(ctx, o.cfg.Ack)
		if errors.Is(err, zk.ErrNoNode) {
			var exists bool
			exists, _, watch, err = conn.ExistsW(ctx, o.cfg.Ack)
			if err == nil && exists {
				// It came just now. This watch fires on its deletion as well as
				// the data watch to come would, and at once with it: they are of
				// one kind at the server.
				continue
			}
			ack.Presence = model.Absent
		}
		ack.At = o.cfg.Now()
		switch {
		case errors.Is(err, zk.ErrNoAuth):
			ack.Presence = model.Denied
			o.cfg.Put(ctx, ack)
			if !pause(ctx, deniedPauseMax) {
				return
			}
			continue
		case err != nil:
			if !pause(ctx, minSpacing) {
				return
			}
			continue
		}
		if stat != nil && ack.Presence == model.Present {
			ack.Session, ack.Czxid, ack.Data = uint64(stat.EphemeralOwner), stat.Czxid, model.NewData(data)
		}
		o.cfg.Put(ctx, ack)
		reads[n%ackBurst] = time.Now()
		select {
		case <-watch:
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
