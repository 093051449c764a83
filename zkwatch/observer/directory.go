package observer

import (
	"context"
	"errors"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/zkwatch/beside"
	"electop/zkwatch/client"
)

const (
	// besideSpacing is the least time between two reads of a directory beside the
	// election: nobody waits for it.
	besideSpacing = time.Second
	// besideEvery is how often a directory is read though no child came or went: the
	// data of its children may have changed.
	besideEvery = 30 * time.Second
)

// watchDirectory reads a directory beside the election when a child comes or goes.
func (o *outlook) watchDirectory(ctx context.Context, conn *client.Conn, path string, w *watches) {
	reader := &beside.Reader{Conn: conn, Now: o.now}
	for conn.AwaitConnected(ctx) {
		d, watch, err := o.readDirectory(ctx, reader, path, w.get(path))
		if watch != nil {
			w.set(path, watch)
		}
		if err != nil {
			if !pause(ctx, besideSpacing) {
				return
			}
			continue
		}
		o.put(ctx, d)
		again := time.NewTimer(besideEvery)
		select {
		case <-w.get(path):
			w.set(path, nil)
		case <-again.C:
		case <-conn.Done():
		case <-ctx.Done():
		}
		again.Stop()
		if !pause(ctx, besideSpacing) {
			return
		}
	}
}

// readDirectory reads a directory and sets a watch unless one is outstanding.
func (o *outlook) readDirectory(ctx context.Context, reader *beside.Reader, path string, outstanding <-chan zk.Event) (d *model.Directory, watch <-chan zk.Event, err error) {
	conn := reader.Conn
	d = &model.Directory{At: o.now(), Path: path, Presence: model.Present}
	var exists bool
	var stat *zk.Stat
	if outstanding != nil {
		exists, stat, err = conn.Exists(ctx, path)
	} else if exists, stat, err = conn.Exists(ctx, path); err == nil && !exists {
		// The watch of a znode that was created meanwhile fires when that is deleted,
		// and the directory is read again after a while anyway.
		exists, stat, watch, err = conn.ExistsW(ctx, path)
	}
	switch {
	case err != nil:
		return nil, watch, err
	case !exists:
		d.Presence = model.Absent
		return d, watch, nil
	case stat.NumChildren > model.NamesMax:
		d.Parent = client.Parent(stat)
		return d, watch, nil
	}
	var names []string
	if outstanding != nil || watch != nil {
		names, stat, err = conn.Children(ctx, path)
	} else {
		names, stat, watch, err = conn.ChildrenW(ctx, path)
	}
	switch {
	case errors.Is(err, zk.ErrNoAuth):
		d.Presence = model.Denied
		return d, watch, nil
	case errors.Is(err, zk.ErrNoNode):
		d.Presence = model.Absent
		return d, watch, nil
	case err != nil:
		return nil, watch, err
	}
	d.Parent = client.Parent(stat)
	return d, watch, reader.Fill(ctx, d, names)
}
