package palette

import (
	"cmp"
	"slices"
	"strings"
)

// match returns the entries in which each typed word is, those first that are called so.
// Without a word they are all, in their order.
func match(all []Entry, typed string) []Entry {
	typed = strings.ToLower(typed)
	words := strings.Fields(typed)
	type ranked struct {
		e    Entry
		rank int
	}
	var found []ranked
	for _, e := range all {
		name, about := strings.ToLower(e.Name), strings.ToLower(e.About)
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(name, w) && !strings.Contains(about, w) }) {
			continue
		}
		rank := 3
		switch first := strings.Join(words, " "); {
		case name == first || e.Key == strings.TrimSpace(typed):
			rank = 0
		case strings.HasPrefix(name, first):
			rank = 1
		case len(words) > 0 && strings.Contains(name, words[0]):
			rank = 2
		}
		found = append(found, ranked{e, rank})
	}
	if len(words) > 0 {
		slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	}
	out := make([]Entry, len(found))
	for i, f := range found {
		out[i] = f.e
	}
	return out
}
