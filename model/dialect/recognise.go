package dialect

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"electop/model/znode"
)

// Evidence is the content of a directory, and of znodes beside it, that shows which system uses it.
type Evidence struct {
	Path     string
	Children []znode.Znode // for a single ephemeral znode, that znode
	// Parent is the directory's stat in the same reply, zero if it is not known. A
	// number is a sequence number only if it is below the parent's count of creates.
	Parent znode.Parent
	// Siblings are the names beside the path, nil if they are not known.
	Siblings []string
	// Markers are the znodes of [Markers] that exist.
	Markers []string
}

// Recognise returns the dialect of the system that owns an election, nil if the evidence shows
// none. A leader's own znode and an empty queue show it by their path, some of these znodes only
// with their data or their siblings.
//
// Otherwise each ephemeral child votes for one dialect. The dialect with the most votes wins, so a
// stray child does not change the result. Children that were not read vote only if no child was
// read. If votes are equal, a known naming wins over the unknown naming, then the naming of the
// oldest child. The order of the children does not matter.
func Recognise(e Evidence) *Dialect {
	if d := cmp.Or(e.single(), e.empty()); d != nil {
		return d
	}
	candidates := slices.DeleteFunc(All(), func(d *Dialect) bool { return d.Single || d.unknown || !d.fits(e.Path) })
	read := slices.ContainsFunc(e.Children, func(z znode.Znode) bool { return z.Session != 0 && !z.Unread })
	type tally struct {
		votes  int
		oldest int64 // czxid
	}
	votes := make(map[*Dialect]tally)
	for i := range e.Children {
		z := &e.Children[i]
		if z.Session == 0 && !z.Unread || z.Unread && read {
			continue
		}
		d := e.vote(candidates, z)
		if d == nil && e.given(z.Name) && !z.Unread {
			d = unknownNaming
		}
		if d != nil {
			created := cmp.Or(z.Czxid, math.MaxInt64) // without a czxid it was deleted before it was read
			votes[d] = tally{votes[d].votes + 1, min(cmp.Or(votes[d].oldest, math.MaxInt64), created)}
		}
	}
	var best *Dialect
	var most tally
	for _, d := range append(candidates, unknownNaming) { // not in map order
		t := votes[d]
		older := t.oldest < most.oldest && d != unknownNaming
		if t.votes > most.votes || t.votes > 0 && t.votes == most.votes && older {
			best, most = d, t
		}
	}
	return best.Widened(e.Children)
}

// given reports whether ZooKeeper may have given the name its number.
func (e *Evidence) given(name string) bool {
	seq, numbered := znode.Sequence(name)
	if !numbered || e.Parent.Czxid == 0 || seq < 0 { // negative: wrapped, before ZooKeeper 3.6
		return numbered
	}
	creates, counted := e.Parent.Creates()
	return !counted || seq < int64(creates)
}

// vote returns the first dialect of among that a child shows, nil for none.
func (e *Evidence) vote(among []*Dialect, z *znode.Znode) *Dialect {
	for _, d := range among {
		if !d.bare && !e.given(z.Name) {
			continue
		}
		if _, ok := d.named(z.Name); ok && (d.proof == nil || d.proof(e.Path, z)) &&
			(d.marker == "" || slices.Contains(e.Markers, d.markerOf(e.Path))) {
			return d
		}
	}
	return nil
}

// single returns the system whose leader has its own znode at the path, or would have it if
// somebody led; nil for none.
func (e *Evidence) single() *Dialect {
	alone := len(e.Children) == 1 && e.Children[0].Session != 0 && (e.Children[0].Name == e.Path || e.Children[0].Name == znode.Base(e.Path))
	if !alone && len(e.Children) > 0 {
		return nil
	}
	for _, d := range dialects {
		if !d.Single || !d.maybeAt(e.Path) {
			continue
		}
		sure := d.placed(e.Path) && (d.proof == nil && (alone || e.Siblings != nil) || d.proof != nil && alone && d.proof(e.Path, &e.Children[0]))
		if sure || d.Shown(e.Siblings) {
			return d
		}
	}
	return nil
}

// empty returns the system of an empty queue at the path, if an empty queue means that nobody
// leads; nil for none.
func (e *Evidence) empty() *Dialect {
	if len(e.Children) > 0 || e.Parent.Czxid == 0 || e.Parent.Children > 0 {
		return nil
	}
	for _, d := range dialects {
		if !d.Single && d.beside.matters(e.Path) && (d.beside.queues != nil || d.placed(e.Path)) {
			return d
		}
	}
	return nil
}

// Widened returns the wider dialect of d that a child shows, otherwise d.
func (d *Dialect) Widened(children []znode.Znode) *Dialect {
	for range 3 { // a wider dialect may have a wider one
		if d == nil {
			return nil
		}
		i := slices.IndexFunc(d.wider, func(w wider) bool {
			return slices.ContainsFunc(children, func(z znode.Znode) bool {
				_, numbered := znode.Sequence(z.Name)
				_, marked := match(w.mark, Stem(z.Name))
				return numbered && marked && (z.Session != 0 || z.Unread)
			})
		})
		if i < 0 {
			break
		}
		d, _ = ByID(d.wider[i].id)
	}
	return d
}

// Guess turns children of an unknown kind into an election of an unknown system, if something
// has shown an election: a candidate watches its predecessor, or the user named the path and
// the names fit (see [Evidence.Alike]). It returns any other dialect unchanged.
func (d *Dialect) Guess(shown bool) *Dialect {
	if d == unknownNaming && shown {
		return guessedElection
	}
	return d
}

// Unnumbered returns the dialect of children of an unknown kind if a name ends in a number that
// ZooKeeper never gave, so the order of the numbers has no meaning; otherwise nil. It is for
// children for which [Recognise] returns nil.
func (e *Evidence) Unnumbered() *Dialect {
	for i := range e.Children {
		z := &e.Children[i]
		if _, numbered := znode.Sequence(z.Name); numbered && z.Session != 0 && !e.given(z.Name) {
			return unknownNaming
		}
	}
	return nil
}

// Alike reports whether the children could be one election: there are at least two ephemeral
// ones, ZooKeeper gave all numbers, in the order in which the children were created, and all names
// are equal without their numbers, guids and session ids. Members of a group usually have different
// names, or only a guid.
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
		case !e.given(z.Name), p == "*", n > 0 && p != pattern:
			return false
		case seq < 0: // wrapped, before ZooKeeper 3.6
		case seq < int64(before), n > 0 && seq <= last: // a number is at least the number of earlier creates, and grows
			return false
		}
		pattern, last, n = p, seq, n+1
	}
	return n > 1
}

// masked returns a stem with its guid, or its session id, replaced by "*".
func masked(stem string, session uint64) string {
	if from, to := guidIn(stem); to > 0 {
		return stem[:from] + "*" + stem[to:]
	}
	for _, id := range []string{znode.Hex(session), znode.Hex(session)[2:], strconv.FormatInt(int64(session), 10)} {
		if len(id) >= 8 && strings.Contains(stem, id) { // real ids are longer; a shorter one may be part of a word
			return strings.Replace(stem, id, "*", 1)
		}
	}
	return stem
}

// markerOf returns the znode that has to exist for an election of d at path, "" for none.
func (d *Dialect) markerOf(path string) string {
	star, ok := endsIn(path, d.at...)
	if !ok || d.marker == "" {
		return ""
	}
	return from(path, d.marker, star)
}

// Markers returns the znodes whose existence decides which system the children at path belong
// to, if their names do not show it. It is nil for most names.
func Markers(path string, names []string) (wanted []string) {
	for _, d := range dialects {
		if d.marker == "" || !d.fits(path) {
			continue
		}
		if slices.ContainsFunc(names, func(name string) bool { _, ok := d.named(name); return ok }) {
			wanted = append(wanted, d.markerOf(path))
		}
	}
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

// LeadersName reports whether the znode at path has a name that programs give to a leader's own
// znode. In an unknown system the name is the only evidence of an election.
func LeadersName(path string) bool {
	return slices.Contains([]string{"leader", "master", "active", "controller", "coordinator", "primary"}, strings.ToLower(znode.Base(path)))
}

// MaybeSingle reports whether a known system may have its leader's own znode at path.
func MaybeSingle(path string) bool {
	return slices.ContainsFunc(dialects, func(d *Dialect) bool { return d.Single && d.maybeAt(path) })
}

// Vacant returns the paths of leaders' own znodes that are missing in dir, if the names of its
// children show a system that has its leader's znode there.
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
