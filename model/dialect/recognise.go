package dialect

import (
	"cmp"
	"math"
	"slices"

	"electop/model/znode"
)

// Recognise finds out which system's election it is from the names of the children
// and their data, with the path as a hint: nil if no child shows it.
//
// Each ephemeral child speaks for one dialect, and most decide, so a stray child
// does not make another election of it. Children that were not read speak only
// where none was. Between as many, a known naming comes before the unknown, then
// that of the oldest child. The order of children does not matter.
func Recognise(e Evidence) *Dialect {
	if d := cmp.Or(e.single(), e.empty()); d != nil {
		return d
	}
	candidates := placed(e.Path)
	read := slices.ContainsFunc(e.Children, func(z znode.Znode) bool { return z.Session != 0 && !z.Unread })
	votes := make(map[*Dialect]tally)
	for i := range e.Children {
		z := &e.Children[i]
		if z.Session == 0 && !z.Unread || z.Unread && read {
			continue
		}
		if d := e.speaksFor(candidates, z); d != nil {
			votes[d] = votes[d].and(z)
		} else if e.given(z.Name) && !z.Unread {
			votes[unknownNaming] = votes[unknownNaming].and(z)
		}
	}
	var best *Dialect
	var most tally
	for _, d := range append(candidates, unknownNaming) { // not by map order
		t := votes[d]
		older := t.oldest < most.oldest && d != unknownNaming
		if t.votes > most.votes || t.votes > 0 && t.votes == most.votes && older {
			best, most = d, t
		}
	}
	return best.Widened(e.Children)
}

// tally counts the children that speak for a dialect.
type tally struct {
	votes  int
	oldest int64 // czxid
}

// and returns the tally with another child.
func (t tally) and(z *znode.Znode) tally {
	born := z.Czxid
	if born == 0 {
		born = math.MaxInt64 // gone before it was read
	}
	if t.votes == 0 || born < t.oldest {
		t.oldest = born
	}
	t.votes++
	return t
}

// placed returns the dialects of queues that can be at path.
func placed(path string) []*Dialect {
	var out []*Dialect
	for _, d := range dialects {
		if !d.Single && !d.unknown && d.standsAt(path) {
			out = append(out, d)
		}
	}
	return out
}

// speaksFor returns the first dialect of which a child is.
func (e *Evidence) speaksFor(among []*Dialect, z *znode.Znode) *Dialect {
	for _, d := range among {
		if !d.bare && !e.given(z.Name) {
			continue
		}
		if _, ok := d.named(z.Name); ok && (d.proof == nil || d.proof(e.Path, z)) && e.witnessed(d) {
			return d
		}
	}
	return nil
}

// single is the system whose leader has its own znode at the path, or would have if
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

// empty is the system that has a queue at the path and says elsewhere who could stand
// in it, where the queue is empty; nil for none.
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

// Widened returns the dialect that d is part of, where a child shows that, else d.
func (d *Dialect) Widened(children []znode.Znode) *Dialect {
	for range 3 { // as often as it can become wider
		is := slices.IndexFunc(d.widerOnes(), func(w wider) bool {
			return slices.ContainsFunc(children, func(z znode.Znode) bool {
				_, numbered := znode.Sequence(z.Name)
				_, marked := match(w.mark, Stem(z.Name))
				return numbered && marked && (z.Session != 0 || z.Unread)
			})
		})
		if is < 0 {
			break
		}
		d, _ = ByID(d.wider[is].id)
	}
	return d
}

func (d *Dialect) widerOnes() []wider {
	if d == nil {
		return nil
	}
	return d.wider
}
