package dialect

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"electop/model/znode"
)

// Evidence is the content of a directory and the names beside it.
type Evidence struct {
	Path     string
	Children []znode.Znode // for a single ephemeral znode, that znode
	// Parent is the directory's stat in the reply with the children, zero if unknown.
	Parent   znode.Parent
	Siblings []string // the names beside the path, nil if they are not known
	Ready    bool     // a session watches the child [Ready]
	Markers  []string // the existing znodes among the results of [Markers]
}

// Recognise returns the dialect of the system that uses the directory, nil if the evidence shows none.
//
// A single znode or an empty queue is recognised only at a known path. Otherwise the children vote, and the
// oldest child decides between known namings with equal votes.
func Recognise(e Evidence) *Dialect {
	if d := cmp.Or(e.single(), e.empty()); d != nil {
		return d
	}
	candidates := slices.DeleteFunc(All(), func(d *Dialect) bool {
		return d.Single || d.unknown || !d.fits(e.Path) || d.content != nil && !d.content(&e)
	})
	read := slices.ContainsFunc(e.Children, func(z znode.Znode) bool { return z.Session != 0 && !z.Unread })
	type tally struct {
		votes  int
		oldest int64 // czxid
	}
	votes := make(map[*Dialect]tally)
	for i := range e.Children {
		z := &e.Children[i]
		if z.Unread && read {
			continue
		}
		d := e.vote(candidates, z)
		if d == nil && e.sequential(z.Name) && z.Session != 0 {
			d = unknownNaming
		}
		if d != nil {
			created := cmp.Or(z.Czxid, math.MaxInt64) // no czxid: not read
			votes[d] = tally{votes[d].votes + 1, min(cmp.Or(votes[d].oldest, math.MaxInt64), created)}
		}
	}
	var best *Dialect
	var most tally
	for _, d := range append(candidates, unknownNaming) { // not in the random order of the map
		t := votes[d]
		older := t.oldest < most.oldest && d != unknownNaming
		if t.votes > most.votes || t.votes > 0 && t.votes == most.votes && older {
			best, most = d, t
		}
	}
	if best == nil && plainGroup.content(&e) {
		if e.every(func(z *znode.Znode) bool { _, id := unknownIDs.match(z.Name); return id }) {
			return unknownIDs
		}
		return plainGroup
	}
	return best.Widened(e.Children)
}

func (e *Evidence) every(fits func(z *znode.Znode) bool) bool {
	for i := range e.Children {
		if !fits(&e.Children[i]) {
			return false
		}
	}
	return true
}

func (e *Evidence) sequential(name string) bool {
	seq, numbered := znode.Sequence(name)
	if !numbered || e.Parent.Czxid == 0 || seq < 0 { // negative: the counter overflowed, before ZooKeeper 3.6
		return numbered
	}
	// A sequence number is below the number of creates in its directory.
	creates, counted := e.Parent.Creates()
	return !counted || seq < int64(creates)
}

func (e *Evidence) vote(among []*Dialect, z *znode.Znode) *Dialect {
	for _, d := range among {
		persistent := z.Session == 0 && !z.Unread
		if !d.bare && !e.sequential(z.Name) || persistent && d.kind != KindQueue && d.kind != KindCommit || z.Session != 0 && d.kind == KindQueue {
			continue
		}
		if _, ok := d.match(z.Name); ok && (d.proof == nil || d.proof(e.Path, z)) &&
			(d.marker == "" || slices.Contains(e.Markers, d.markerOf(e.Path))) {
			return d
		}
	}
	return nil
}

// single also returns a system whose leader's own znode is missing at the path.
func (e *Evidence) single() *Dialect {
	alone := len(e.Children) == 1 && e.Children[0].Session != 0 && (e.Children[0].Name == e.Path || e.Children[0].Name == znode.Base(e.Path))
	if !alone && len(e.Children) > 0 {
		return nil
	}
	for _, d := range dialects {
		if !d.Single || !d.maybeAt(e.Path) {
			continue
		}
		sure := d.listsPath(e.Path) && (d.proof == nil && (alone || e.Siblings != nil) || d.proof != nil && alone && d.proof(e.Path, &e.Children[0]))
		if sure || d.Shown(e.Siblings) {
			return d
		}
	}
	return nil
}

func (e *Evidence) empty() *Dialect {
	if len(e.Children) > 0 || e.Parent.Czxid == 0 || e.Parent.Children > 0 {
		return nil
	}
	for _, d := range dialects {
		if !d.Single && d.vacantIfEmpty(e.Path) {
			return d
		}
	}
	return nil
}

// Widened returns the dialect that a child shows according to d.wider, otherwise d.
func (d *Dialect) Widened(children []znode.Znode) *Dialect {
	if d == nil {
		return nil
	}
	for _, w := range d.wider {
		if slices.ContainsFunc(children, func(z znode.Znode) bool {
			return z.Name != Stem(z.Name) && w.mark(Stem(z.Name)) && (z.Session != 0 || z.Unread)
		}) {
			other, _ := ByID(w.id)
			return other.Widened(children)
		}
	}
	return d
}

// Guess interprets the unknown naming. shown reports whether watches or names show an election.
func (d *Dialect) Guess(shown bool) *Dialect {
	if d == unknownNaming && shown {
		return guessedElection
	}
	return d
}

// Unnumbered returns the unknown naming if the number of an ephemeral child is no sequence number,
// otherwise nil.
func (e *Evidence) Unnumbered() *Dialect {
	if e.every(func(z *znode.Znode) bool { return z.Session == 0 || Stem(z.Name) == z.Name || e.sequential(z.Name) }) {
		return nil
	}
	return unknownNaming
}

// Alike reports whether the children could be one election.
func (e *Evidence) Alike() bool {
	children := slices.DeleteFunc(slices.Clone(e.Children), func(z znode.Znode) bool { return z.Unread })
	slices.SortFunc(children, func(a, b znode.Znode) int { return cmp.Or(cmp.Compare(a.Czxid, b.Czxid), cmp.Compare(a.Name, b.Name)) })
	pattern, last, n := "", int64(0), 0
	for before, z := range children {
		if z.Session == 0 {
			continue
		}
		p := masked(Stem(z.Name), z.Session)
		seq, _ := znode.Sequence(z.Name)
		switch {
		case !e.sequential(z.Name), p == "*", n > 0 && p != pattern:
			return false
		case seq < 0: // the counter overflowed, before ZooKeeper 3.6
		case seq < int64(before), n > 0 && seq <= last: // a sequence number is at least the number of older children
			return false
		}
		pattern, last, n = p, seq, n+1
	}
	return n > 1
}

func masked(stem string, session uint64) string {
	if from, to := guidIn(stem); to > 0 {
		return stem[:from] + "*" + stem[to:]
	}
	for _, id := range []string{znode.Hex(session), znode.Hex(session)[2:], strconv.FormatInt(int64(session), 10)} {
		if len(id) >= 8 && strings.Contains(stem, id) { // a shorter id may be part of a word
			return strings.Replace(stem, id, "*", 1)
		}
	}
	return stem
}

// markerOf returns the path of d's marker. d must fit the path.
func (d *Dialect) markerOf(path string) string {
	star, _ := endsIn(path, d.at...)
	return from(path, d.marker, star)
}

// Markers returns the znodes whose existence decides which system the children belong to.
func Markers(path string, names []string) (wanted []string) {
	for _, d := range dialects {
		if d.marker == "" || !d.fits(path) {
			continue
		}
		if slices.ContainsFunc(names, func(name string) bool { _, ok := d.match(name); return ok }) {
			wanted = append(wanted, d.markerOf(path))
		}
	}
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

// LeadersName reports whether path's last element is a common name of a leader's own znode.
func LeadersName(path string) bool {
	return slices.Contains([]string{"leader", "master", "active", "controller", "coordinator", "primary"}, strings.ToLower(znode.Base(path)))
}

// MaybeSingle reports whether a known system may have its leader's own znode at path.
func MaybeSingle(path string) bool {
	return slices.ContainsFunc(dialects, func(d *Dialect) bool { return d.Single && d.maybeAt(path) })
}

// Vacant returns the paths in dir at which a leader's own znode is missing.
func Vacant(dir string, names []string) (paths []string) {
	for _, d := range dialects {
		if !d.Single {
			continue
		}
		for _, end := range slices.Concat(d.at, d.near) {
			leader := znode.Base(end)
			path := znode.Join(dir, leader)
			if _, ok := endsIn(path, end); ok && d.Shown(names) && !slices.Contains(names, leader) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// Unsupported reports whether electop does not implement the rules of this system.
func (d *Dialect) Unsupported() bool { return slices.Contains(unsupported, d) }

// Blocker returns a child that is no contender, but blocks clients that read only names; nil for none.
func (d *Dialect) Blocker(queue Queue, others []*Candidate) *Candidate {
	if d == nil || queue.Len() == 0 || d.Unsupported() {
		return nil
	}
	head, curators := queue.At(0), slices.Contains(curator, d)
	for _, c := range others {
		if curators && d.Outranks(queue, c) {
			return c
		}
		if c.Session != 0 || c.Unread || !c.HasSequence || !d.Recipe.Before(c, head) {
			continue
		}
		owned := *c
		owned.Session = 1 // a client that reads only names does not see that the child is persistent
		if d.Recipe.Contends(&owned) && d.Recipe.Holders(queue.Insert(0, &owned)) == 1 {
			return c
		}
	}
	return nil
}

// Outranks reports whether Curator's clients order c, without a contender's name, before the head of the queue.
func (d *Dialect) Outranks(queue Queue, c *Candidate) bool {
	if d == nil || queue.Len() == 0 || c.Unread {
		return false
	}
	head := queue.At(0)
	if !head.HasSequence || !slices.Contains(curator, d) {
		return false
	}
	for _, lock := range [...]string{"latch-", "lock-"} {
		if strings.HasSuffix(Stem(head.Name), lock) {
			return curatorKey(c.Name, lock) < curatorKey(head.Name, lock) &&
				!d.Recipe.Contends(&Candidate{Znode: znode.Znode{Name: c.Name, Session: 1}, Sequence: c.Sequence, HasSequence: c.HasSequence})
		}
	}
	return false
}
