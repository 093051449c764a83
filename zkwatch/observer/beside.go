package observer

import (
	"context"
	"slices"
	"sync"

	"electop/model"
	"electop/zkwatch/client"
)

// Beside are the znodes that are followed besides the election.
type Beside struct {
	Acks        []string // by which a leader acknowledges
	Directories []string // see [model.State.Around]
}

// An outlook follows what is beside an election, for one session.
type outlook struct {
	now clock
	put func(context.Context, model.Observation)
}

// A follower reads a path whenever it changes, until ctx ends.
type follower func(ctx context.Context, conn *client.Conn, path string)

// run follows the znodes that are wanted, until ctx or conn ends.
func (o *outlook) run(ctx context.Context, conn *client.Conn, wanted *latest[*Beside]) {
	acks, directories := newFollowing(o.watchAck), newFollowing(o.readDirectory)
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		acks.wait()
		directories.wait()
	}()
	for {
		b, changed := wanted.get()
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
}

func newFollowing(run follower) *following {
	return &following{run, make(map[string]func())}
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
		wg.Go(func() { f.run(ctx, conn, path) })
		f.running[path] = func() { cancel(); wg.Wait() }
	}
}

// wait waits for all.
func (f *following) wait() {
	for _, end := range f.running {
		end()
	}
}
