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

// Walk looks for elections at and below a root, level by level. It writes nothing and sets no watch.
//
// Walk does not visit children with sequence numbers. It visits only a sample of 64 children of a directory
// if none of the sample has children or is a leader's own znode of a known system. A walk from the cluster's
// root skips /zookeeper.
//
// If the connection is lost, Walk waits for the next one. Walk returns the Progress even with an error.
func Walk(ctx context.Context, conn *client.Conn, cfg Config) (Progress, error) {
	cfg.setDefaults()
	w := &walk{
		cfg: cfg, conn: conn, found: make(map[string]*dialect.Dialect), acks: make(map[string]bool), contends: make(map[uint64][]string),
		spacing: time.Duration(float64(time.Second) / cfg.PerSecond), next: time.Now(),
	}
	err := w.run(ctx)
	if err == nil {
		err = w.unproven(ctx)
	}
	for _, path := range slices.Sorted(maps.Keys(cfg.Known)) {
		if err == nil && w.found[path] == nil {
			err = w.knownWithoutChildren(ctx, path, cfg.Known[path])
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
	found    map[string]*dialect.Dialect // dialects of the reported results, by path
	siblings []string                    // names of the current branch; nil at the root
	later    []Found                     // see unproven
	leaves   []znode.Znode               // visited znodes without children in the current branch; Data has only Length
	acks     map[string]bool
	contends map[uint64][]string // maps a session to the elections in which it owns a candidate's znode
	branches []branch
	queued   int // number of names in branches
	bytes    int // total length of these names

	spacing time.Duration
	next    time.Time // the earliest time of the next request
}

type branch struct {
	parent string
	names  []string
	depth  int      // of names
	bytes  int      // total length of names
	stat   *zk.Stat // of the parent; nil: some children are not in names
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
		w.siblings, w.leaves = b.names, nil
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
		if err := w.directory(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) stopped(bound string) {
	if w.progress.Stopped != "nodes" {
		w.progress.Stopped = bound
	}
}

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
	if stat != nil && stat.NumChildren == 0 {
		z := client.Znode(znode.Base(path), stat, nil)
		z.Data.Length = int(stat.DataLength)
		w.leaves = append(w.leaves, z)
	}
	switch {
	case err != nil || stat == nil:
		return false, false, err
	case stat.EphemeralOwner != 0:
		inner, err = w.single(ctx, path)
		return true, inner, err
	case stat.NumChildren == 0:
		return true, false, w.empty(ctx, path, stat)
	case int(stat.NumChildren) > w.conn.Config().MaxReply/nameSize:
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
	w.descend(path, names, stat, depth+1)
	return true, true, nil
}

func (w *walk) descend(path string, names []string, stat *zk.Stat, depth int) {
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
	// The swaps put a sample of the whole list first.
	slices.Sort(names)
	if len(names) > maxAlike {
		for i := range maxAlike {
			j := i * (len(names) / maxAlike)
			names[i], names[j] = names[j], names[i]
		}
	}
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
	if len(names) < int(stat.NumChildren) {
		stat = nil
	}
	w.branches = append(w.branches, branch{path, names, depth, size, stat})
	w.queued += len(names)
	w.bytes += size
}

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
		// ErrNotConnected may wrap the ErrReplyTooLarge of an earlier request.
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
	Denied    int    // znodes whose children may not be listed
	Skipped   int    // sum of Skip.Znodes, also of skips that are not in Skips
	Skips     []Skip // the first 100
	Elections int    // number of results reported as Found
	Stopped   string // the reached bound: "depth", or "nodes" for too many znodes or names; "" for none
}

// Complete reports whether a walk that ended without an error reached no bound, was denied no list of children, and
// skipped only znodes outside of a sample (Alike).
func (p *Progress) Complete() bool {
	alike := 0
	for _, s := range p.Skips {
		if s.Why == Alike {
			alike += s.Znodes
		}
	}
	return p.Stopped == "" && p.Denied == 0 && p.Skipped == alike
}

// A Skip is a znode whose path was refused, or whose children were not all visited.
type Skip struct {
	Path   string
	Znodes int // number of skipped children; 1 if it is unknown, or for a refused path
	Why    Reason
	Limit  int // for TooLarge: the largest allowed reply in bytes
}

// A Reason is the reason for a [Skip].
type Reason int

const (
	TooLarge Reason = iota // the list of children is too large for a reply, or could be
	Alike                  // see [Walk]
	BadName                // package client refuses the path
)

const maxSkips = 100

func (w *walk) skip(s Skip) {
	w.progress.Skipped += s.Znodes
	if len(w.progress.Skips) < maxSkips {
		// The receiver of an earlier Progress may append to its Skips, so this append must copy.
		w.progress.Skips = append(slices.Clip(w.progress.Skips), s)
	}
}

// Found is an election or another recipe that a walk found.
type Found struct {
	Path    string
	Dialect *dialect.Dialect
	Read    *model.Read
	Beside  []model.Observation // reads of znodes outside of the election
	// Contenders is the number of children with sequence numbers, or of all children if none has a
	// number; 1 for a leader's own znode that exists. If Partial is true, Read lacks some children.
	Contenders int
	Partial    bool
}

// Config describes where a [Walk] starts and how far it goes.
type Config struct {
	Root      string  // "" means "/"
	Depth     int     // levels below Root; 0 means 10
	Nodes     int     // the largest number of visited znodes; 0 means 10,000
	PerSecond float64 // requests per second; 0 means 100

	Leaves bool // report also each znode that has no children and may be a barrier
	// Known maps the path of an election found earlier to its system; nil: unknown. Walk also reports the
	// known elections that have no children now.
	Known map[string]*dialect.Dialect

	// Walk calls Progress after each visited znode, and Found for each result, in the caller's goroutine.
	Progress func(Progress)
	Found    func(Found)
	Now      func() time.Time // the clock for the times of reads; nil: time.Now
}

const (
	burst          = 3        // after a pause, burst+1 requests need no delay
	sample         = 4        // the most contenders to read in search of an ephemeral one
	maxContenders  = 200      // the most contenders to read in one election after that search
	maxAlike       = 64       // the most children in a sample of a directory, see Walk
	nameSize       = 64       // assumed bytes of a child's name in a reply
	maxQueuedBytes = 32 << 20 // the most bytes of names not yet visited
	maxNames       = 4096     // the most unread names used to recognise a system
)

func (cfg *Config) setDefaults() {
	cfg.Root = cmp.Or(cfg.Root, "/")
	cfg.Depth = cmp.Or(max(cfg.Depth, 0), 10)
	cfg.Nodes = cmp.Or(max(cfg.Nodes, 0), 10_000)
	cfg.PerSecond = cmp.Or(max(cfg.PerSecond, 0), 100)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
}
