package observer

import (
	"context"
	"time"

	"electop/model"
	"electop/zkwatch/client"
)

// ReadOnce reads the election at path once, on a server that has caught up
// with the ensemble's leader, and sets no watch.
func ReadOnce(ctx context.Context, conn *client.Conn, path string, now func() time.Time) (*model.Read, error) {
	synced, err := conn.BeginSync(ctx, path)
	if err != nil {
		return nil, err
	}
	o := New(Config{Path: path, Now: now})
	r, _, err := o.read(ctx, conn, fired(), false)
	if failed := synced(); failed != nil {
		return nil, failed
	}
	return r, err
}
