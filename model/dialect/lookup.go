package dialect

import (
	"slices"
	"strings"

	"electop/model/znode"
)

// All returns all dialects, the specific before the general.
func All() []*Dialect { return slices.Clone(dialects) }

// ByID returns the dialect with that ID.
func ByID(id string) (*Dialect, bool) {
	for _, d := range dialects {
		if d.ID == id {
			return d, true
		}
	}
	return nil, false
}

// SingleZnode returns the dialect of an election by one ephemeral znode, of no
// system in particular; of one that nobody said to be an election, if it is not named.
func SingleZnode(named bool) *Dialect {
	if !named {
		return unknownSingle
	}
	d, _ := ByID(singleID)
	return d
}

// LeadersName reports whether the znode has a name that programs give to the leader's own
// znode. That is the only evidence of an election of an unknown system.
func LeadersName(path string) bool {
	switch strings.ToLower(znode.Base(path)) {
	case "leader", "master", "active", "controller", "coordinator", "primary":
		return true
	}
	return false
}

// RecipeNamed returns the recipe with that [Recipe.Name].
func RecipeNamed(name string) (Recipe, bool) {
	for _, r := range []Recipe{Election(), Herd()} {
		if r.Name() == name {
			return r, true
		}
	}
	for _, d := range dialects {
		if d.Recipe.Name() == name {
			return d.Recipe, true
		}
	}
	return nil, false
}

// MaybeSingle reports whether some system has its leader's own znode at such a
// path.
func MaybeSingle(path string) bool {
	return slices.ContainsFunc(dialects, func(d *Dialect) bool { return d.Single && d.maybeAt(path) })
}

// Vacant returns the paths of the leader's own znodes that are missing among the
// children of dir, whose names show that a system has its leader there.
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
