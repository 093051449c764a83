package discover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// ErrNoRoot is returned by [Walk] if the root does not exist.
var ErrNoRoot = errors.New("the root does not exist")

// Walk looks for elections under a root, level by level. It only reads: it sets no
// watch and writes nothing. A directory costs an exists and a getChildren, a leaf
// an exists. If children have numbers, Walk reads a few: if a child is ephemeral and the
// model recognises the names, their parent is an election. Walk does not visit numbered
// children. If the first children have no children, it skips the others. A walk from the
// top skips ZooKeeper's own /zookeeper.
//
// Walk skips znodes that are deleted meanwhile, and counts forbidden ones. If the
// connection is lost, Walk waits for the next one. Walk returns the error of ctx or of
// a request, or ErrNoRoot, together with the progress so far.
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
	siblings []string                    // names beside the visited znode, without numbered ones
	singles  []Found                     // znodes with a leader's name, of no known system
	acks     map[string]bool             // acknowledgements of the elections
	contends map[uint64][]string         // the elections of each candidate's session
	branches []branch                    // to be visited, level by level
	queued   int                         // number of names in branches
	bytes    int                         // length of these names

	spacing time.Duration
	next    time.Time // when the next request may be sent
}

// A branch holds the children of one znode.
type branch struct {
	parent string
	names  []string
	depth  int // of the children
	bytes  int // of the names
}

func (w *walk) run(ctx context.Context) error {
	if exists, _, err := w.visit(ctx, w.cfg.Root, 0); err != nil {
		return err
	} else if !exists {
		return fmt.Errorf("%w: %w", ErrNoRoot, zk.ErrNoNode)
	}
	for len(w.branches) > 0 {
		b := w.branches[0]
		w.branches = w.branches[1:]
		w.queued -= len(b.names)
		w.bytes -= b.bytes
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

// stopped stores a bound that was reached. The bound "nodes" is never replaced.
func (w *walk) stopped(bound string) {
	if w.progress.Stopped != "nodes" {
		w.progress.Stopped = bound
	}
}

// visit visits one znode. A znode that may not or cannot be read is no error. inner reports
// whether the znode is more than a leaf.
func (w *walk) visit(ctx context.Context, path string, depth int) (exists, inner bool, err error) {
	w.progress.Path = path
	w.progress.Visited++
	exists, inner, err = w.inspect(ctx, path, depth)
	switch {
	case errors.Is(err, zk.ErrNoAuth):
		w.progress.Denied++
		exists, err = true, nil
	case errors.Is(err, client.ErrReplyTooLarge):
		w.skip(Skip{Path: path, Znodes: 1, Why: TooLarge, Limit: w.conn.Config().MaxReply})
		exists, err = true, nil
	case path != w.cfg.Root && errors.Is(err, zk.ErrInvalidPath):
		w.skip(Skip{Path: path, Znodes: 1, Why: BadName})
		exists, err = true, nil
	case errors.Is(err, zk.ErrNoNode):
		exists, err = false, nil
	}
	if err == nil && w.cfg.Progress != nil {
		w.cfg.Progress(w.progress)
	}
	return exists, inner, err
}

func (w *walk) inspect(ctx context.Context, path string, depth int) (exists, inner bool, err error) {
	stat, err := w.exists(ctx, path)
	switch {
	case err != nil || stat == nil:
		return false, false, err
	case stat.EphemeralOwner != 0:
		inner, err = w.single(ctx, path)
		return true, inner, err
	case stat.NumChildren == 0:
		return true, false, w.empty(ctx, path, stat)
	case int(stat.NumChildren) > w.conn.Config().MaxReply/nameSize:
		// A list that is too large would end the connection for all users of the session.
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

// descend queues a znode's children, except for those with numbers.
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
	// Sorted, so that two walks visit the same znodes. If there are many names, run may visit
	// only the first maxAlike, so these are a sample of all names.
	slices.Sort(names)
	if len(names) > maxAlike {
		for i := range maxAlike {
			j := i * (len(names) / maxAlike)
			names[i], names[j] = names[j], names[i]
		}
	}
	// Bounds of memory; a walk cannot visit more than cfg.Nodes znodes.
	room := min(len(names), max(0, 2*w.cfg.Nodes-w.queued))
	size := 0
	for i, name := range names[:room] {
		if w.bytes+size+len(name) > maxQueuedBytes {
			room = i
			break
		}
		size += len(name)
	}
	if room < len(names) {
		names = slices.Clone(names[:room])
		w.stopped("nodes")
	}
	if len(names) == 0 {
		return
	}
	w.branches = append(w.branches, branch{path, names, depth, size})
	w.queued += len(names)
	w.bytes += size
}

// request makes one request, and repeats it after a lost connection. Requests are spacing
// apart, except for a burst after a pause.
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
		// The request before may have ended the connection by too large a reply.
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

// Progress counts what a walk has done so far.
type Progress struct {
	Path      string // the last visited znode
	Visited   int
	Denied    int // znodes that may not be read
	Skipped   int // znodes that were not read, see Skips
	Skips     []Skip
	Elections int
	Stopped   string // the bound that left something out, "nodes" or "depth"; "" for none
}

// A Skip is a znode that a walk did not read, or whose children it did not all visit.
type Skip struct {
	Path string
	// Znodes is the number of skipped children, or 1 for the znode itself.
	Znodes int
	Why    Reason
	Limit  int // for TooLarge: the largest reply, in bytes
}

// A Reason says why a walk skipped a znode.
type Reason int

const (
	TooLarge Reason = iota // its list of children does not fit in a reply
	Alike                  // the first of its many children had no children
	BadName                // no client may request its name
)

// maxSkips bounds [Progress.Skips].
const maxSkips = 100

func (w *walk) skip(s Skip) {
	w.progress.Skipped += s.Znodes
	if len(w.progress.Skips) < maxSkips {
		// Earlier calls of Config.Progress have the old slice.
		w.progress.Skips = append(slices.Clip(w.progress.Skips), s)
	}
}

// Found is an election that a walk found.
type Found struct {
	Path    string
	Dialect *dialect.Dialect
	Read    *model.Read
	// Beside holds reads of other znodes, which show who acknowledged and who could lead.
	Beside []model.Observation
	// Contenders is the number of children that look like contenders. Partial says that not
	// all children were read: Read has the first contenders in the queue and a few others.
	Contenders int
	Partial    bool
}

// Config says where a [Walk] starts and how far it goes.
type Config struct {
	Root      string  // "" is "/"
	Depth     int     // levels below Root; 0 means 10
	Nodes     int     // znodes visited at most; 0 means 10,000
	PerSecond float64 // requests, evenly spaced; 0 means 100

	// Known are the elections that an earlier walk found, by path.
	Known map[string]*dialect.Dialect

	// Progress is called after each znode, and Found for each election, both from
	// the goroutine of Walk. nil means no call.
	Progress func(Progress)
	Found    func(Found)
	// Now is the clock for the times of reads; nil is time.Now.
	Now func() time.Time
}

const (
	defaultDepth     = 10
	defaultNodes     = 10_000
	defaultPerSecond = 100

	// burst is the number of requests that may follow another one at once after a pause.
	burst = 3
	// sample bounds the contenders that are read to find an ephemeral one.
	sample = 4
	// maxContenders bounds the contenders of an election that are read.
	maxContenders = 200
	// maxAlike: if that many first children of a directory have no children, the walk skips
	// its other children.
	maxAlike = 64
	// nameSize is the assumed size of a child's name in a reply, in bytes.
	nameSize = 64
	// maxQueuedBytes bounds the names that wait to be visited.
	maxQueuedBytes = 32 << 20
	// maxNames bounds the names from which a dialect is recognised.
	maxNames = 4096
)

func (cfg *Config) setDefaults() {
	cfg.Root = cmp.Or(cfg.Root, "/")
	cfg.Depth = cmp.Or(max(cfg.Depth, 0), defaultDepth)
	cfg.Nodes = cmp.Or(max(cfg.Nodes, 0), defaultNodes)
	cfg.PerSecond = cmp.Or(max(cfg.PerSecond, 0), defaultPerSecond)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
}
