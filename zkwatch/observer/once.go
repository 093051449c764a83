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
	f, err := conn.Follow(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &reader{Observer: New(Config{Path: path, Now: now}), conn: conn, f: f, once: true}
	read, err := r.readAll(ctx)
	if failed := synced(); failed != nil {
		return nil, failed
	}
	return read, err
}
