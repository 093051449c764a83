// Package beside reads what is beside an election and says more of it than its
// candidates do: the znodes by which a leader acknowledges, and the directories that
// list who could lead. It reads once and sets no watch.
//
// Which these are is for the model to say ([model.State.AckPaths] and
// [model.State.Around]); what was read goes into its journal.
package beside

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-zookeeper/zk"
	"golang.org/x/sync/errgroup"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// Reader reads what is beside elections.
type Reader struct {
	Conn *client.Conn
	Now  func() time.Time
	// Try makes a request by calling send; nil makes it at once.
	Try func(ctx context.Context, send func() error) error
}

// Missing reads what the state wants to be read and was not read yet, nil if that is
// nothing. What it returns may show that there is more to read.
func (r *Reader) Missing(ctx context.Context, s *model.State) (out []model.Observation, err error) {
	if s.Phase != model.Live {
		return nil, nil
	}
	for _, path := range s.AckPaths {
		if s.AckRead(path) {
			continue
		}
		a, err := r.ack(ctx, path)
		if err != nil {
			return out, err
		}
		out = append(out, a)
	}
	for _, path := range s.Around() {
		if s.Directory(path) != nil {
			continue
		}
		d, err := r.Directory(ctx, path)
		if err != nil {
			return out, err
		}
		out = append(out, d)
	}
	return out, nil
}

// ack reads an acknowledgement znode.
func (r *Reader) ack(ctx context.Context, path string) (*model.Ack, error) {
	z, err := r.Conn.ReadZnode(ctx, path, path, r.tries(ctx))
	if err != nil {
		return nil, err
	}
	a := &model.Ack{At: r.Now(), Path: path, Presence: model.Present, Session: z.Session, Czxid: z.Czxid, Data: z.Data}
	switch {
	case z.Unread:
		a.Presence = model.Absent
	case z.Data.Denied:
		a.Presence = model.Denied
	}
	return a, nil
}

// Directory reads a directory. One with more children than [model.NamesMax] has its
// stat only.
func (r *Reader) Directory(ctx context.Context, path string) (*model.Directory, error) {
	d := &model.Directory{At: r.Now(), Path: path, Presence: model.Present}
	try := r.tries(ctx)
	var stat *zk.Stat
	err := try(func() (err error) {
		var exists bool
		if exists, stat, err = r.Conn.Exists(ctx, path); err == nil && !exists {
			err = zk.ErrNoNode
		}
		return err
	})
	var names []string
	if err == nil && stat.NumChildren <= model.NamesMax {
		err = try(func() (err error) {
			names, stat, err = r.Conn.Children(ctx, path)
			return err
		})
	}
	switch {
	case errors.Is(err, zk.ErrNoNode):
		d.Presence = model.Absent
	case errors.Is(err, zk.ErrNoAuth):
		d.Presence = model.Denied
	case err != nil:
		return nil, err
	default:
		d.Parent = client.Parent(stat)
		return d, r.fill(ctx, d, names)
	}
	return d, nil
}

// pipelined is how many children are read at once where there is no Try.
const pipelined = 8

// fill puts the directory's children into d and reads the first of them.
func (r *Reader) fill(ctx context.Context, d *model.Directory, names []string) error {
	d.Names = slices.Sorted(slices.Values(names))
	names = d.Names[:min(len(d.Names), model.ChildrenMax)]
	znodes := make([]znode.Znode, len(names))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(pipelined)
	if r.Try != nil {
		reads.SetLimit(1)
	}
	for i, name := range names {
		reads.Go(func() (err error) {
			znodes[i], err = r.Conn.ReadZnode(ctx, znode.Join(d.Path, name), name, r.tries(ctx))
			return err
		})
	}
	err := reads.Wait()
	d.Children = slices.DeleteFunc(znodes, func(z znode.Znode) bool { return z.Unread })
	d.At = r.Now()
	return err
}

// tries makes the requests of a read.
func (r *Reader) tries(ctx context.Context) func(send func() error) error {
	return func(send func() error) error {
		if r.Try == nil {
			return send()
		}
		return r.Try(ctx, send)
	}
}
