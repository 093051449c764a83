package observer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/zkwatch/beside"
	"electop/zkwatch/client"
)

// Beside are the znodes that are followed besides the election.
type Beside struct {
	Acks        []string // by which a leader acknowledges
	Directories []string // see [model.State.Around]
}

// SetBeside makes the observer follow other znodes besides the election from now on.
// It does not wait. The watch on an old znode cannot be removed; it fires at most
// once and is ignored.
func (o *Observer) SetBeside(b Beside) { o.beside.set(&b) }

// A follower reads a path whenever it changes, until ctx ends.
type follower func(ctx context.Context, conn *client.Conn, path string, w *watches)

// watches are those of one session on znodes beside the election that have not
// fired, by path: who follows the path next uses them.
type watches struct {
	mu  sync.Mutex
	all map[string]<-chan zk.Event
}

func (w *watches) get(path string) <-chan zk.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all[path]
}

// set keeps a watch, or forgets it if c is nil.
func (w *watches) set(path string, c <-chan zk.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all[path] = c
}

// watchBeside follows what is beside the election, for one session.
func (o *Observer) watchBeside(ctx context.Context, conn *client.Conn) {
	acks, directories := newFollowing(o.watchAck), newFollowing(o.watchDirectory)
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		acks.wait()
		directories.wait()
	}()
	for {
		b, changed := o.beside.get()
		acks.follow(ctx, conn, b.Acks)
		directories.follow(ctx, conn, b.Directories)
		select {
		case <-changed:
		case <-conn.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}

// following runs one follower for each path.
type following struct {
	run     follower
	running map[string]func() // which end it and wait
	watches *watches
}

func newFollowing(run follower) *following {
	return &following{run, make(map[string]func()), &watches{all: make(map[string]<-chan zk.Event)}}
}

// follow makes these the paths that are followed.
func (f *following) follow(ctx context.Context, conn *client.Conn, paths []string) {
	for path, end := range f.running {
		if !slices.Contains(paths, path) {
			end()
			delete(f.running, path)
		}
	}
	for _, path := range paths {
		if f.running[path] != nil {
			continue
		}
		ctx, cancel := context.WithCancel(ctx)
		var wg sync.WaitGroup
		wg.Go(func() { f.run(ctx, conn, path, f.watches) })
		f.running[path] = func() { cancel(); wg.Wait() }
	}
}

// wait waits for all.
func (f *following) wait() {
	for _, end := range f.running {
		end()
	}
}

const (
	// besideSpacing is the least time between two reads of a directory beside the
	// election: nobody waits for it.
	besideSpacing = time.Second
	// besideEvery is how often a directory is read though no child came or went: the
	// data of its children may have changed.
	besideEvery = 30 * time.Second
)

// watchDirectory reads a directory beside the election when a child comes or goes.
func (o *Observer) watchDirectory(ctx context.Context, conn *client.Conn, path string, w *watches) {
	reader := &beside.Reader{Conn: conn, Now: o.cfg.Now}
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
		o.cfg.Put(ctx, d)
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
func (o *Observer) readDirectory(ctx context.Context, reader *beside.Reader, path string, outstanding <-chan zk.Event) (d *model.Directory, watch <-chan zk.Event, err error) {
	conn := reader.Conn
	d = &model.Directory{At: o.cfg.Now(), Path: path, Presence: model.Present}
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
