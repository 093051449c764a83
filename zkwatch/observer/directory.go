package observer

import (
	"context"
	"time"

	"electop/zkwatch/beside"
	"electop/zkwatch/client"
)

// besideEvery is how often a directory beside the election is read: who could lead
// besides changes rarely, and nobody waits for it.
const besideEvery = 10 * time.Second

// readDirectory reads a directory beside the election again and again. It needs no watch.
func (o *outlook) readDirectory(ctx context.Context, conn *client.Conn, path string) {
	reader := &beside.Reader{Conn: conn, Now: o.now}
	for conn.AwaitConnected(ctx) {
		if d, err := reader.Directory(ctx, path); err == nil {
			o.put(ctx, d)
		}
		if !pause(ctx, besideEvery) {
			return
		}
	}
}
