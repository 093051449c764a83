package dialect

import (
	"slices"

	"electop/model/znode"
)

// Evidence is what a directory shows of the system that uses it.
type Evidence struct {
	Path     string
	Children []znode.Znode // for a single ephemeral znode, that znode
	// Parent is the directory's stat in the same reply, zero if it is not known. A
	// number that is not below its count of creates was never a sequence number.
	Parent znode.Parent
	// Siblings are the names beside the path, nil if they are not known.
	Siblings []string
	// Witnesses are those of [Witnesses] that exist.
	Witnesses []string
}

// given reports whether ZooKeeper may have given the name its number.
func (e *Evidence) given(name string) bool {
	seq, numbered := znode.Sequence(name)
	if !numbered || e.Parent.Czxid == 0 || seq < 0 { // wrapped, before ZooKeeper 3.6
		return numbered
	}
	creates, counted := e.Parent.Creates()
	return !counted || seq < int64(creates)
}

// witnessOf is the znode that has to exist for an election of d at path, "" for none.
func (d *Dialect) witnessOf(path string) string {
	star, ok := endsIn(path, d.at...)
	if !ok || d.witness == "" {
		return ""
	}
	return from(path, d.witness, star)
}

// witnessed reports whether the znode exists that d needs.
func (e *Evidence) witnessed(d *Dialect) bool {
	return d.witness == "" || slices.Contains(e.Witnesses, d.witnessOf(e.Path))
}

// Witnesses returns the znodes that would show which system has children of such names at
// path, if they exist: the names alone do not. nil for most.
func Witnesses(path string, names []string) (wanted []string) {
	for _, d := range dialects {
		if d.witness == "" || !d.standsAt(path) {
			continue
		}
		if slices.ContainsFunc(names, func(name string) bool { _, ok := d.named(name); return ok }) {
			wanted = append(wanted, d.witnessOf(path))
		}
	}
	slices.Sort(wanted)
	return slices.Compact(wanted)
}
