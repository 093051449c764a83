package observer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
	"golang.org/x/sync/errgroup"

	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// Beside lists the znodes to read outside of the election.
type Beside struct {
	Acks        []string // see [model.State.Followed]
	Directories []string // see [model.State.Around]
	Counts      []string // directories of which only the stat is read, see [model.State.Counted]
}

const besideInterval = 30 * time.Second

func (o *Observer) followBeside(ctx context.Context, conn *client.Conn) {
	var acks []string
	endAcks, endReads := func() {}, func() {}
	for ctx.Err() == nil {
		wanted, changed := o.beside.get()
		if !slices.Equal(wanted.Acks, acks) {
			endAcks()
			acks = wanted.Acks
			endAcks = start(ctx, len(acks), func(ctx context.Context, i int) {
				followPath(ctx, conn, wanted.Acks[i], func(f *client.Following) (bool, error) { return o.followAck(ctx, f, wanted.Acks[i]) })
			})
		}
		endReads()
		endReads = start(ctx, 1, func(ctx context.Context, _ int) { o.readDirectories(ctx, conn, wanted) })
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	endAcks()
	endReads()
}

func start(ctx context.Context, n int, f func(ctx context.Context, i int)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(ctx, i) })
	}
	return func() {
		cancel()
		wg.Wait()
	}
}

func (o *Observer) readDirectories(ctx context.Context, conn *client.Conn, wanted *Beside) {
	paths := slices.Concat(wanted.Directories, wanted.Counts)
	for len(paths) > 0 {
		next := besideInterval
		for i, path := range paths {
			if !conn.AwaitConnected(ctx) {
				return
			}
			d, err := o.readDirectory(ctx, conn, path, i >= len(wanted.Directories), maxParallel, sendOnce)
			if err == nil {
				o.cfg.Put(ctx, d)
			} else if client.Unanswered(err) {
				next = retryPauseMax
			}
		}
		if !pause(ctx, next) {
			return
		}
	}
}

// ReadBeside reads the first znode or directory outside of the election that s needs and lacks; nil: none, or
// s.Phase is not [model.Live]. It sets no watch. It passes each request to try, one at a time. If try is nil, several
// requests may run at a time.
func ReadBeside(ctx context.Context, conn *client.Conn, s *model.State, now func() time.Time, try func(send func() error) error) (model.Observation, error) {
	o, parallel := New(Config{Path: s.Path, Now: now}), 1
	if try == nil {
		try, parallel = sendOnce, maxParallel
	}
	if s.Phase != model.Live {
		return nil, nil
	}
	for _, path := range s.Followed() {
		if !s.FollowedRead(path) {
			ack := &model.Ack{Sent: o.now(), Path: path}
			z, err := conn.ReadZnode(ctx, path, path, try)
			o.fill(ack, z)
			return ack, err
		}
	}
	around := s.Around()
	for i, path := range append(around, s.Counted()...) {
		if s.Directories[path] == nil {
			return o.readDirectory(ctx, conn, path, i >= len(around), parallel, try)
		}
	}
	return nil, nil
}

func (o *Observer) readDirectory(ctx context.Context, conn *client.Conn, path string, statOnly bool, parallel int,
	try func(send func() error) error) (*model.Directory, error) {
	d := &model.Directory{Path: path, Presence: model.Present}
	var stat *zk.Stat
	err := try(func() (err error) {
		var exists bool
		if exists, stat, err = conn.Exists(ctx, path); err == nil && !exists {
			err = zk.ErrNoNode
		}
		return err
	})
	if err == nil && !statOnly && stat.NumChildren <= model.NamesMax {
		err = try(func() (err error) {
			d.Names, stat, err = conn.Children(ctx, path)
			return err
		})
	}
	d.At = o.now()
	switch {
	case errors.Is(err, zk.ErrNoNode):
		d.Presence = model.Absent
		return d, nil
	case errors.Is(err, zk.ErrNoAuth):
		d.Presence = model.Denied
		return d, nil
	case err != nil:
		return d, err
	}
	d.Parent = client.Parent(stat)
	slices.Sort(d.Names)
	d.Children = make([]znode.Znode, min(len(d.Names), model.ChildrenMax))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(parallel)
	for i, name := range d.Names[:len(d.Children)] {
		reads.Go(func() (err error) {
			d.Children[i], err = conn.ReadZnode(ctx, znode.Join(path, name), name, try)
			return err
		})
	}
	err = reads.Wait()
	d.Children = slices.DeleteFunc(d.Children, func(z znode.Znode) bool { return z.Unread })
	d.At = o.now()
	return d, err
}

func sendOnce(send func() error) error { return send() }

// ackBurst limits the reads without a pause. It exceeds 1, because a handoff may delete and create the acknowledgement.
const ackBurst = 4

func (o *Observer) followAck(ctx context.Context, f *client.Following, path string) (read bool, err error) {
	var reads [ackBurst]time.Time // a ring of the times of the last reads
	var cause client.Change
	for n := 0; ; n++ {
		ack := &model.Ack{Path: path, Sent: o.now(), Notified: o.now.convert(cause.At), AppliedAfter: o.now.convert(cause.AppliedAfter)}
		z, seen, err := f.Znode(ctx, true, cause.Kind == zk.EventNodeDeleted)
		if err != nil {
			return read, err
		}
		o.fill(ack, z)
		o.cfg.Put(ctx, ack)
		read = true
		reads[n%ackBurst] = time.Now()
		cause = client.Change{}
		if ack.Presence == model.Denied { // no watch reports a change of the ACL
			pause(ctx, deniedPauseMax)
		} else if cause, err = f.Next(ctx, seen); err != nil {
			return read, err
		}
		if oldest := reads[(n+1)%ackBurst]; !pause(ctx, ackBurst*minSpacing-time.Since(oldest)) {
			return read, ctx.Err()
		}
	}
}

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
