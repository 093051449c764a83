package discover

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// ErrNoRoot is returned by [Walk] if the root does not exist.
var ErrNoRoot = errors.New("the root does not exist")

// Walk looks for elections under a root, level by level. It only reads: it sets no
// watch and writes nothing. A directory costs an exists and a getChildren, a leaf
// an exists. If children have numbers, a few are read, and if one of them is
// ephemeral and the names are not known to be something else, it is an election.
// Numbered children are not visited, and of many alike without children only the
// first. A walk from the top skips ZooKeeper's own /zookeeper.
//
// Walk skips znodes that are deleted meanwhile, and counts forbidden ones. If the
// connection is lost, it waits for the next one. It returns the error of ctx, of the
// end of conn, or ErrNoRoot, together with the progress so far.
func Walk(ctx context.Context, conn *client.Conn, cfg Config) (Progress, error) {
	cfg.setDefaults()
	w := &walk{
		cfg: cfg, conn: conn, found: make(map[string]*dialect.Dialect), acks: make(map[string]bool), contends: make(map[uint64][]string),
		spacing: time.Duration(float64(time.Second) / cfg.PerSecond), next: time.Now(),
	}
	err := w.run(ctx)
	if err == nil {
		err = w.unknown(ctx)
	}
	for _, path := range slices.Sorted(maps.Keys(cfg.Known)) {
		if err == nil && w.found[path] == nil {
			err = w.vacant(ctx, path, cfg.Known[path])
		}
	}
	if err != nil {
		return w.progress, fmt.Errorf("walk %s: %w", w.cfg.Root, err)
	}
	return w.progress, nil
}

type walk struct {
	cfg      Config
	conn     *client.Conn
	progress Progress
	found    map[string]*dialect.Dialect // elections, by path
	siblings []string                    // of the znode that is visited, without those with numbers
	singles  []Found                     // znodes with a leader's name, of no known system
	acks     map[string]bool             // acknowledgements of the elections
	contends map[uint64][]string         // the elections of each candidate's session
	branches []branch                    // to be visited, those of one level after the other
	queued   int                         // names in branches
	bytes    int                         // and their length

	spacing time.Duration
	next    time.Time // when the next request may be sent
}

// A branch is the children of one znode.
type branch struct {
	parent string
	names  []string
	depth  int // of the children
}

func (b *branch) size() int {
	n := 0
	for _, name := range b.names {
		n += len(name)
	}
	return n
}

func (w *walk) run(ctx context.Context) error {
	if there, _, err := w.visit(ctx, w.cfg.Root, 0); err != nil {
		return err
	} else if !there {
		return fmt.Errorf("%w: %w", ErrNoRoot, zk.ErrNoNode)
	}
	for len(w.branches) > 0 {
		b := w.branches[0]
		w.branches = w.branches[1:]
		w.queued -= len(b.names)
		w.bytes -= b.size()
		w.siblings = b.names
		alike := true
		for i, name := range b.names {
			if w.progress.Visited >= w.cfg.Nodes {
				w.stopped("nodes")
				return nil
			}
			if i == maxAlike && alike {
				w.skip(Skip{Path: b.parent, Znodes: len(b.names) - i, Why: Alike})
				break
			}
			_, inner, err := w.visit(ctx, znode.Join(b.parent, name), b.depth)
			if err != nil {
				return err
			}
			alike = alike && !inner
		}
	}
	return nil
}

// stopped notes that a bound was reached. That of nodes says more.
func (w *walk) stopped(bound string) {
	if w.progress.Stopped != "nodes" {
		w.progress.Stopped = bound
	}
}

// visit visits one znode; inner says that it is more than a leaf.
func (w *walk) visit(ctx context.Context, path string, depth int) (there, inner bool, err error) {
	w.progress.Path = path
	w.progress.Visited++
	there, inner, err = w.tryInspect(ctx, path, depth)
	if err == nil && w.cfg.Progress != nil {
		w.cfg.Progress(w.progress)
	}
	return there, inner, err
}

// tryInspect inspects a znode. One that may not be read, or cannot, is no error.
func (w *walk) tryInspect(ctx context.Context, path string, depth int) (there, inner bool, err error) {
	there, inner, err = w.inspect(ctx, path, depth)
	switch {
	case errors.Is(err, zk.ErrNoAuth):
		w.progress.Denied++
		there, err = true, nil
	case errors.Is(err, client.ErrReplyTooLarge):
		w.skip(Skip{Path: path, Znodes: 1, Why: TooLarge, Limit: w.conn.Config().MaxReply})
		there, err = true, nil
	case path != w.cfg.Root && errors.Is(err, zk.ErrInvalidPath):
		w.skip(Skip{Path: path, Znodes: 1, Why: BadName})
		there, err = true, nil
	case errors.Is(err, zk.ErrNoNode):
		there, err = false, nil
	}
	return there, inner, err
}

func (w *walk) inspect(ctx context.Context, path string, depth int) (there, inner bool, err error) {
	var stat *zk.Stat
	err = w.request(ctx, func() (err error) {
		there, stat, err = w.conn.Exists(ctx, path)
		return err
	})
	switch {
	case err != nil || !there:
		return there, false, err
	case stat.EphemeralOwner != 0:
		inner, err = w.single(ctx, path, stat)
		return true, inner, err
	case stat.NumChildren == 0:
		return true, false, w.empty(ctx, path, stat)
	case int(stat.NumChildren) > w.conn.Config().MaxReply/nameSize:
		// A list that does not fit would end the connection for every user of the
		// session.
		w.skip(Skip{Path: path, Znodes: int(stat.NumChildren), Why: TooLarge, Limit: w.conn.Config().MaxReply})
		return true, true, nil
	}
	var names []string
	err = w.request(ctx, func() (err error) {
		names, stat, err = w.conn.Children(ctx, path)
		return err
	})
	if err != nil {
		return true, true, err
	}
	if err := w.election(ctx, path, names, stat); err != nil {
		return true, true, err
	}
	if err := w.leaderless(ctx, path, names); err != nil {
		return true, true, err
	}
	w.descend(path, names, depth+1)
	return true, true, nil
}

// descend puts a znode's children on the list, except for those with numbers.
func (w *walk) descend(path string, names []string, depth int) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, numbered := znode.Sequence(name)
		return numbered || path == "/" && name == "zookeeper" && w.conn.Config().Servers.Chroot == ""
	})
	if len(names) == 0 {
		return
	}
	if depth > w.cfg.Depth {
		w.stopped("depth")
		return
	}
	// By name, so that two walks are the same. Of many the first ones visited, which
	// represent the others, are a sample of all.
	slices.Sort(names)
	if len(names) > maxAlike {
		for i := range maxAlike {
			j := i * (len(names) / maxAlike)
			names[i], names[j] = names[j], names[i]
		}
	}
	// More could not be visited anyway, and memory is bounded.
	room := min(len(names), max(0, 2*w.cfg.Nodes-w.queued))
	size := 0
	for i, name := range names[:room] {
		if size += len(name); w.bytes+size > maxQueuedBytes {
			room = i
			break
		}
	}
	if room < len(names) {
		names = slices.Clone(names[:room])
		w.stopped("nodes")
	}
	if len(names) == 0 {
		return
	}
	b := branch{path, names, depth}
	w.branches = append(w.branches, b)
	w.queued += len(names)
	w.bytes += b.size()
}

// request makes one request when its turn has come, and again after the
// connection was lost.
func (w *walk) request(ctx context.Context, send func() error) error {
	for {
		now := time.Now()
		if earliest := now.Add(-burst * w.spacing); w.next.Before(earliest) {
			w.next = earliest
		}
		if wait := w.next.Sub(now); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		w.next = w.next.Add(w.spacing)
		err := send()
		// Not connected may be because of the request before, with too large a reply.
		if err == nil || !client.Unanswered(err) && !errors.Is(err, client.ErrNotConnected) {
			return err
		}
		if !w.conn.AwaitConnected(ctx) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
	}
}
