package zkwatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
)

// WalkConfig says where and how far a [Walk] goes.
type WalkConfig struct {
	Root      string  // "" is "/"
	Depth     int     // levels below Root; 0 means 10
	Nodes     int     // znodes visited at most; 0 means 10,000
	PerSecond float64 // requests, evenly spaced; 0 means 100

	// Progress is told after each znode, Found of each election when it is found;
	// both by the goroutine of Walk. nil: nobody.
	Progress func(WalkProgress)
	Found    func(Found)
	// Now is the clock of what is read; nil is time.Now.
	Now func() time.Time
}

// WalkProgress is how far a walk has come.
type WalkProgress struct {
	Path      string // visited last
	Visited   int
	Denied    int // that may not be listed
	Skipped   int // znodes that were not looked into, see Skips
	Skips     []Skip
	Elections int
	Stopped   string // the bound that left something out, "nodes" or "depth"; "" for none
}

// A Skip is something that a walk did not look into.
type Skip struct {
	Path string
	// Znodes is how many children, or the znode itself: 1.
	Znodes int
	Why    SkipReason
	Limit  int // of SkipTooLarge: the bound of a reply, in bytes
}

// SkipReason is why.
type SkipReason int

const (
	SkipTooLarge SkipReason = iota // its list of children does not fit in a reply
	SkipAlike                      // of many alike children without children these are the others
	SkipName                       // its name is one that no client may ask for
)

// skipsMax bounds [WalkProgress.Skips].
const skipsMax = 100

func (w *walk) skip(s Skip) {
	w.progress.Skipped += s.Znodes
	if len(w.progress.Skips) < skipsMax {
		// Those that were told share the old one.
		w.progress.Skips = append(slices.Clip(w.progress.Skips), s)
	}
}

// Found is an election that a walk came across.
type Found struct {
	Path    string
	Dialect *dialect.Dialect
	Read    *model.Read
	// Contenders is how many children look like contenders. Partial says that
	// they were too many to be read: Read has the first in the queue and few more.
	Contenders int
	Partial    bool
}

const (
	defaultWalkDepth     = 10
	defaultWalkNodes     = 10_000
	defaultWalkPerSecond = 100

	// walkBurst is how many requests may follow each other at once after a pause.
	walkBurst = 3
	// walkSample is how many of the numbered children of a directory are read to
	// find an ephemeral one among them.
	walkSample = 4
	// walkContenders is up to how many children of an election are all read.
	walkContenders = 200
	// walkAlike is after how many children without children the others of a
	// directory are taken to be the same.
	walkAlike = 64
	// walkName is how many bytes of a reply a child's name is taken to need.
	walkName = 64
	// walkBytes bounds the names that wait to be visited.
	walkBytes = 32 << 20
	// walkNames bounds the names that are looked at to recognise a dialect.
	walkNames = 4096
)

// ErrNoRoot is what [Walk] returns for a root that does not exist.
var ErrNoRoot = errors.New("the root does not exist")

// Walk looks for elections under a root, level by level. It reads and nothing
// else: no watch, no write. A directory costs an exists and a getChildren, a leaf
// an exists; where children have numbers a few are read, and if one of them is
// ephemeral and the naming is not known to be something else, it is an election.
// Numbered children are not looked into, and of many alike without children only
// the first. The system's own /zookeeper is left out of a walk from the top.
//
// What vanishes meanwhile is passed over; what is forbidden is counted. Over a
// lost connection it waits. An error is that of ctx, of the end of conn, or
// ErrNoRoot; the progress made is returned with it.
func Walk(ctx context.Context, conn *Conn, cfg WalkConfig) (WalkProgress, error) {
	if cfg.Root == "" {
		cfg.Root = "/"
	}
	if cfg.Depth <= 0 {
		cfg.Depth = defaultWalkDepth
	}
	if cfg.Nodes <= 0 {
		cfg.Nodes = defaultWalkNodes
	}
	if cfg.PerSecond <= 0 {
		cfg.PerSecond = defaultWalkPerSecond
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	w := &walk{
		cfg: cfg, conn: conn, found: make(map[string]bool),
		spacing: time.Duration(float64(time.Second) / cfg.PerSecond), next: time.Now(),
	}
	if err := w.run(ctx); err != nil {
		return w.progress, fmt.Errorf("walk %s: %w", cfg.Root, err)
	}
	return w.progress, nil
}

type walk struct {
	cfg      WalkConfig
	conn     *Conn
	progress WalkProgress
	found    map[string]bool // elections, by path
	branches []branch        // to be visited, those of one level after the other
	queued   int             // names in branches
	bytes    int             // and their length

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
		alike := true
		for i, name := range b.names {
			if w.progress.Visited >= w.cfg.Nodes {
				w.stopped("nodes")
				return nil
			}
			if i == walkAlike && alike {
				w.skip(Skip{Path: b.parent, Znodes: len(b.names) - i, Why: SkipAlike})
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

// stopped notes that a bound was met. That of nodes says more.
func (w *walk) stopped(bound string) {
	if w.progress.Stopped != "nodes" {
		w.progress.Stopped = bound
	}
}

// visit looks at one znode; inner says that there is more to it than a leaf.
func (w *walk) visit(ctx context.Context, path string, depth int) (there, inner bool, err error) {
	w.progress.Path = path
	w.progress.Visited++
	there, inner, err = w.look(ctx, path, depth)
	switch {
	case err == nil:
	case errors.Is(err, zk.ErrNoAuth):
		w.progress.Denied++
		there, err = true, nil
	case errors.Is(err, ErrReplyTooLarge):
		w.skip(Skip{Path: path, Znodes: 1, Why: SkipTooLarge, Limit: w.conn.cfg.MaxReply})
		there, err = true, nil
	case path != w.cfg.Root && errors.Is(err, zk.ErrInvalidPath):
		w.skip(Skip{Path: path, Znodes: 1, Why: SkipName})
		there, err = true, nil
	case errors.Is(err, zk.ErrNoNode):
		there, err = false, nil
	}
	if err == nil && w.cfg.Progress != nil {
		w.cfg.Progress(w.progress)
	}
	return there, inner, err
}

func (w *walk) look(ctx context.Context, path string, depth int) (there, inner bool, err error) {
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
		return true, false, nil
	case int(stat.NumChildren) > w.conn.cfg.MaxReply/walkName:
		// A list that does not fit would cost everybody on this session their
		// connection.
		w.skip(Skip{Path: path, Znodes: int(stat.NumChildren), Why: SkipTooLarge, Limit: w.conn.cfg.MaxReply})
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
	w.descend(path, names, depth+1)
	return true, true, nil
}

// descend puts a znode's children on the list, but for those with numbers.
func (w *walk) descend(path string, names []string, depth int) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, numbered := znode.Sequence(name)
		return numbered || path == "/" && name == "zookeeper" && w.conn.cfg.Servers.Chroot == ""
	})
	if len(names) == 0 {
		return
	}
	if depth > w.cfg.Depth {
		w.stopped("depth")
		return
	}
	// By name, so that two walks go the same way. Of many the first ones visited,
	// which stand for the others, come from all over.
	slices.Sort(names)
	if len(names) > walkAlike {
		for i := range walkAlike {
			j := i * (len(names) / walkAlike)
			names[i], names[j] = names[j], names[i]
		}
	}
	// More could not be visited anyway, and memory is not without end either.
	room := min(len(names), max(0, 2*w.cfg.Nodes-w.queued))
	size := 0
	for i, name := range names[:room] {
		if size += len(name); w.bytes+size > walkBytes {
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
		if earliest := now.Add(-walkBurst * w.spacing); w.next.Before(earliest) {
			w.next = earliest
		}
		if !pause(ctx, w.next.Sub(now)) {
			return ctx.Err()
		}
		w.next = w.next.Add(w.spacing)
		err := send()
		// Not connected may be because of the request before, with too large a reply.
		if err == nil || !disconnected(err) && !errors.Is(err, ErrNotConnected) {
			return err
		}
		if !awaitConnection(ctx, w.conn) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
	}
}
