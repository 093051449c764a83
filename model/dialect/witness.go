package dialect

import "slices"

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
