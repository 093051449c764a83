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

// Beside lists the znodes to read besides those of the election.
type Beside struct {
	Acks        []string // see [model.State.Followed]
	Directories []string // see [model.State.Around]
	Counts      []string // directories of which only the number of children is read
}

const besideInterval = 30 * time.Second

// followBeside keeps the watches of the acknowledgements if only the directories change.
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

// start calls f in n goroutines. end cancels their context and waits for them.
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
			d, err := o.readDirectory(ctx, conn, path, i >= len(wanted.Directories), maxParallel, atOnce)
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

// ReadBeside reads one znode outside the election: the first that s needs and lacks. It sets no watch.
// It returns nil if s lacks none or is not live. It passes each request to try as send. If try is nil,
// several requests may run at a time.
func ReadBeside(ctx context.Context, conn *client.Conn, s *model.State, now func() time.Time, try func(send func() error) error) (model.Observation, error) {
	o, limit := New(Config{Path: s.Path, Now: now}), 1
	if try == nil {
		try, limit = atOnce, maxParallel
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
			return o.readDirectory(ctx, conn, path, i >= len(around), limit, try)
		}
	}
	return nil, nil
}

// readDirectory reads only the stat if counted is true. limit bounds the requests that run at a time.
func (o *Observer) readDirectory(ctx context.Context, conn *client.Conn, path string, counted bool, limit int,
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
	if err == nil && !counted && stat.NumChildren <= model.NamesMax {
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
	reads.SetLimit(limit)
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

func atOnce(send func() error) error { return send() }

// ackBurst is the number of reads without a pause. A handoff causes two, because the acknowledgement
// is deleted and created.
const ackBurst = 4

// followAck returns read == true if it passed a read to Config.Put.
func (o *Observer) followAck(ctx context.Context, f *client.Following, path string) (read bool, err error) {
	var reads [ackBurst]time.Time // a ring of the times of the last reads
	var cause client.Change       // of the next read
	for n := 0; ; n++ {
		ack := &model.Ack{Path: path, Sent: o.now(), Notified: o.now.convert(cause.At), Heard: o.now.convert(cause.AppliedAfter)}
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
