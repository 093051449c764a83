package discover

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// single reports an ephemeral znode at a path where a system's leader creates one.
func (w *walk) single(ctx context.Context, path string, stat *zk.Stat) (bool, error) {
	if !dialect.MaybeSingle(path) {
		return false, nil
	}
	z, err := w.read(ctx, path, path)
	if err != nil || z.Unread || z.Session == 0 {
		return false, err
	}
	d := dialect.Recognise(dialect.Evidence{Path: path, Children: []znode.Znode{z}})
	if d == nil {
		return false, nil
	}
	read := &model.Read{At: w.cfg.Now(), Presence: model.Present, Single: true, New: []znode.Znode{z}}
	w.report(Found{Path: path, Dialect: d, Read: read, Contenders: 1})
	return true, nil
}

// election reports a znode whose children are an election.
func (w *walk) election(ctx context.Context, path string, names []string, stat *zk.Stat) error {
	recognised := func(children []znode.Znode) *dialect.Dialect {
		return dialect.Recognise(dialect.Evidence{Path: path, Children: children, Parent: client.Parent(stat)})
	}
	var contenders []string
	for _, name := range names {
		if _, ok := znode.Sequence(name); ok {
			contenders = append(contenders, name)
		}
	}
	if contenders == nil { // a few systems have no numbers
		if recognised(unread(names, nil)) == nil {
			return nil
		}
		contenders = slices.Clone(names)
	}
	slices.SortFunc(contenders, inQueue)

	read := &model.Read{Presence: model.Present, Full: true, Parent: client.Parent(stat)}
	known := make(map[string]bool)
	get := func(name string) (ephemeral bool, err error) {
		if known[name] {
			return false, nil
		}
		z, err := w.read(ctx, znode.Join(path, name), name)
		if err != nil {
			return false, err
		}
		known[name] = true
		read.New = append(read.New, z)
		return z.Session != 0, nil
	}
	n := len(contenders)
	lives := false
	for _, i := range [sample]int{n - 1, 0, n / 2, n / 4} { // the newest is the most likely to be ephemeral
		var err error
		if lives, err = get(contenders[i]); err != nil {
			return err
		} else if lives {
			break
		}
	}
	if !lives || recognised(append(slices.Clone(read.New), unread(names, known)...)) == nil {
		return nil
	}

	all := slices.Clone(names)
	partial := len(all) > maxContenders
	if partial {
		all = contenders[:min(n, maxContenders)]
	}
	for _, name := range all {
		if _, err := get(name); err != nil {
			return err
		}
	}
	read.At = w.cfg.Now()
	d := recognised(append(slices.Clone(read.New), unread(names, known)...))
	if d == nil || w.found[holders(path, d)] {
		return nil
	}
	ack, err := w.acknowledgement(ctx, d.AckPath(path))
	if err != nil {
		return err
	}
	w.report(Found{Path: path, Dialect: d, Read: read, Ack: ack, Contenders: n, Partial: partial})
	return nil
}

// acknowledgement reads the znode by which a leader says that it leads; nil for "",
// where there is none.
func (w *walk) acknowledgement(ctx context.Context, path string) (*model.Ack, error) {
	if path == "" {
		return nil, nil
	}
	z, err := w.read(ctx, path, path)
	if err != nil {
		return nil, err
	}
	ack := &model.Ack{At: w.cfg.Now(), Path: path, Presence: model.Present, Session: z.Session, Czxid: z.Czxid, Data: z.Data}
	switch {
	case z.Unread:
		ack.Presence = model.Absent
	case z.Data.Denied:
		ack.Presence = model.Denied
	}
	return ack, nil
}

// holders is the path of the znodes that hold what the election's contenders wait
// for: a semaphore has two directories. "" for any other election.
func holders(path string, d *dialect.Dialect) string {
	parent := strings.TrimSuffix(path, "/"+znode.Base(path))
	switch d.ID {
	case "curator-semaphore-queue":
		return znode.Join(cmp.Or(parent, "/"), "leases")
	case "kazoo-semaphore-queue":
		return cmp.Or(parent, "/")
	}
	return ""
}

func (w *walk) report(f Found) {
	w.found[f.Path] = true
	w.progress.Elections++
	if w.cfg.Found != nil {
		w.cfg.Found(f)
	}
}

// read reads one znode. One whose data is too large has its stat only.
func (w *walk) read(ctx context.Context, path, name string) (znode.Znode, error) {
	return w.conn.ReadZnode(ctx, path, name, func(send func() error) error {
		err := w.request(ctx, send)
		if errors.Is(err, client.ErrReplyTooLarge) {
			return zk.ErrNoAuth
		}
		return err
	})
}

// unread are the names that are not known, up to maxNames.
func unread(names []string, known map[string]bool) []znode.Znode {
	var out []znode.Znode
	for _, name := range names {
		if len(out) == maxNames {
			break
		}
		if !known[name] {
			out = append(out, znode.Znode{Name: name, Unread: true})
		}
	}
	return out
}

// inQueue orders names by their numbers.
func inQueue(a, b string) int {
	m, _ := znode.Sequence(a)
	n, _ := znode.Sequence(b)
	return cmp.Or(cmp.Compare(m, n), cmp.Compare(a, b))
}
