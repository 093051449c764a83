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
	"electop/zkwatch/observer"
)

func (w *walk) single(ctx context.Context, path string) (bool, error) {
	if !dialect.MaybeSingle(path) && !dialect.LeadersName(path) {
		return false, nil
	}
	z, err := w.read(ctx, path, path)
	if err != nil || z.Unread || z.Session == 0 {
		return false, err
	}
	d := dialect.Recognise(dialect.Evidence{Path: path, Children: []znode.Znode{z}, Siblings: w.siblings})
	f := Found{Path: path, Dialect: d, Read: &model.Read{At: w.cfg.Now(), Presence: model.Present, Single: true, New: []znode.Znode{z}}, Contenders: 1}
	if d != nil {
		return true, w.report(ctx, f)
	}
	if dialect.LeadersName(path) {
		f.Dialect = dialect.SingleZnode(false)
		w.later = append(w.later, f)
	}
	return false, nil
}

// unproven omits a leader's own znode whose session owns a candidate's znode in an election below the same parent.
func (w *walk) unproven(ctx context.Context) error {
	for _, f := range w.later {
		dir := strings.TrimSuffix(znode.Dir(f.Path), "/") + "/"
		below := func(path string) bool { return f.Read.Single && strings.HasPrefix(path, dir) }
		if slices.ContainsFunc(f.Read.New, func(z znode.Znode) bool {
			path := f.Path
			if !f.Read.Single {
				path = znode.Join(f.Path, z.Name)
			}
			return w.acks[path] || w.found[path] != nil || slices.ContainsFunc(w.contends[z.Session], below)
		}) {
			continue
		}
		if err := w.report(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) leaderless(ctx context.Context, dir string, names []string) error {
	for _, path := range dialect.Vacant(dir, names) {
		d := dialect.Recognise(dialect.Evidence{Path: path, Siblings: names})
		read := &model.Read{At: w.cfg.Now(), Presence: model.Present, Single: true}
		if err := w.report(ctx, Found{Path: path, Dialect: d, Read: read}); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) empty(ctx context.Context, path string, stat *zk.Stat) error {
	read := w.present(stat)
	d := dialect.Recognise(dialect.Evidence{Path: path, Parent: read.Parent})
	if d == nil {
		if !w.cfg.Leaves || stat.DataLength > barrierData || znode.Base(path) == dialect.Ready {
			return nil
		}
		z, err := w.read(ctx, path, path)
		if d = dialect.Barrier(z.Data); err != nil || z.Unread || d == nil {
			return err
		}
		read.Data = z.Data
	}
	return w.report(ctx, Found{Path: path, Dialect: d, Read: read})
}

func (w *walk) present(stat *zk.Stat) *model.Read {
	return &model.Read{At: w.cfg.Now(), Presence: model.Present, Full: true, Parent: client.Parent(stat)}
}

// barrierData is the largest size of a barrier's data in bytes. Curator writes an IP address, at most 45 bytes.
const barrierData = 45

func (w *walk) directory(ctx context.Context, b branch) error {
	member := func(z znode.Znode) bool {
		return z.Session != 0 || z.Data.Length == len("commit") || z.Data.Length == len("abort")
	}
	if b.stat == nil || len(w.leaves) < min(len(b.names), maxAlike) || !slices.ContainsFunc(w.leaves, member) || w.found[b.parent] != nil {
		return nil
	}
	read := w.present(b.stat)
	for _, z := range w.leaves {
		z, err := w.read(ctx, znode.Join(b.parent, z.Name), z.Name)
		if err != nil {
			return err
		}
		read.New = append(read.New, z)
	}
	d := dialect.Recognise(dialect.Evidence{Path: b.parent, Children: read.New, Parent: read.Parent})
	if d != nil && !d.Elects() {
		w.later = append(w.later, Found{Path: b.parent, Dialect: d, Read: read, Contenders: len(b.names), Partial: len(b.names) > len(w.leaves)})
	}
	return nil
}

func (w *walk) knownWithoutChildren(ctx context.Context, path string, d *dialect.Dialect) error {
	stat, err := w.exists(ctx, path)
	if err != nil || stat == nil || stat.NumChildren > 0 || stat.EphemeralOwner != 0 {
		return err
	}
	return w.report(ctx, Found{Path: path, Dialect: d, Read: w.present(stat)})
}

func (w *walk) election(ctx context.Context, path string, names []string, stat *zk.Stat) error {
	markers, err := w.markers(ctx, dialect.Markers(path, names))
	if err != nil {
		return err
	}
	recognised := func(children []znode.Znode) *dialect.Dialect {
		return dialect.Recognise(dialect.Evidence{Path: path, Children: children, Parent: client.Parent(stat), Markers: markers})
	}
	var contenders []string
	for _, name := range names {
		if _, ok := znode.Sequence(name); ok {
			contenders = append(contenders, name)
		}
	}
	if contenders == nil { // some systems use no sequence numbers
		if recognised(unread(names, nil)) == nil {
			return nil
		}
		contenders = slices.Clone(names)
	}
	slices.SortFunc(contenders, bySequence)
	n := len(contenders)
	read := w.present(stat)
	read.Markers = markers
	if dialect.Items(path, contenders) {
		items, _, err := observer.Items(ctx, w.conn, path, contenders, func(send func() error) error { return w.request(ctx, send) })
		if err != nil {
			return err
		}
		if d := recognised(items); d.Kind() == dialect.KindQueue {
			read.New = items
			return w.report(ctx, Found{Path: path, Dialect: d, Read: read, Contenders: n})
		}
	}
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
	ephemeral := false
	for _, i := range [sample]int{n - 1, 0, n / 2, n / 4} { // numbers put the newest last; it is likely to be ephemeral
		var err error
		if ephemeral, err = get(contenders[i]); err != nil {
			return err
		} else if ephemeral {
			break
		}
	}
	if !ephemeral || recognised(append(slices.Clone(read.New), unread(names, known)...)) == nil {
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
	if d == nil || w.found[leasesPath(path, d)] != nil {
		return nil
	}
	return w.report(ctx, Found{Path: path, Dialect: d, Read: read, Contenders: n, Partial: partial})
}

func (w *walk) markers(ctx context.Context, paths []string) (existing []string, err error) {
	for _, path := range paths {
		stat, err := w.exists(ctx, path)
		if err != nil && !errors.Is(err, zk.ErrNoAuth) {
			return nil, err
		}
		if stat != nil {
			existing = append(existing, path)
		}
	}
	return existing, nil
}

func leasesPath(path string, d *dialect.Dialect) string {
	parent := strings.TrimSuffix(path, "/"+znode.Base(path))
	switch d.ID {
	case "curator-semaphore-queue":
		return znode.Join(cmp.Or(parent, "/"), "leases")
	case "kazoo-semaphore-queue":
		return strings.TrimSuffix(path, "-__lock__")
	}
	return ""
}

func (w *walk) report(ctx context.Context, f Found) error {
	j := model.NewJournal(model.Config{Path: f.Path, Found: true, AckFollows: true})
	j.Apply(f.Read)
	for {
		o, err := observer.ReadBeside(ctx, w.conn, j.State(), w.cfg.Now, func(send func() error) error { return w.request(ctx, send) })
		if err != nil {
			return err
		}
		if o == nil {
			break
		}
		j.Apply(o)
		f.Beside = append(f.Beside, o)
	}
	w.found[f.Path] = f.Dialect
	for _, path := range j.State().AckPaths {
		w.acks[path] = true
	}
	for _, c := range j.State().Queue.All() {
		w.contends[c.Session] = append(w.contends[c.Session], f.Path)
	}
	w.progress.Elections = len(w.found)
	if w.cfg.Found != nil {
		w.cfg.Found(f)
	}
	return nil
}

func (w *walk) exists(ctx context.Context, path string) (stat *zk.Stat, err error) {
	err = w.request(ctx, func() (err error) {
		_, stat, err = w.conn.Exists(ctx, path)
		return err
	})
	return stat, err
}

func (w *walk) read(ctx context.Context, path, name string) (znode.Znode, error) {
	return w.conn.ReadZnode(ctx, path, name, func(send func() error) error {
		err := w.request(ctx, send)
		if errors.Is(err, client.ErrReplyTooLarge) {
			return zk.ErrNoAuth
		}
		return err
	})
}

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

func bySequence(a, b string) int {
	m, _ := znode.Sequence(a)
	n, _ := znode.Sequence(b)
	return cmp.Or(cmp.Compare(m, n), cmp.Compare(a, b))
}
