package doctor

import (
	"fmt"
	"maps"
	"slices"

	"electop/model/dialect"
)

func herd(r *ruleRun) {
	s, v := r.s, r.watchFaults()
	for _, name := range slices.Sorted(maps.Keys(v.crowds)) {
		c := v.crowds[name]
		all := slices.Concat(c.sure, c.right, c.maybe)
		slices.Sort(all)
		f := r.find(watchOne, safe(name), "{candidates}", fmt.Sprintf("%d candidates", len(all)))
		f.Znodes = []string{r.path(name)}
		f.because("watched: %s", safe(name))
		for _, i := range all {
			f.Sessions = append(f.Sessions, s.Queue.At(i).Session)
			should := r.mustWatch(i)
			if s.Recipe.Name() == dialect.Herd().Name() {
				should = safe(s.Queue.At(i - 1).Name)
			}
			f.because("%s should watch %s", described(s.Queue.At(i)), should)
		}
	}
	if r.state().watchesList() && s.Queue.Len() > 2 {
		f := r.find(herdByDesign, "list")
		f.Znodes = []string{s.Path}
		f.because("%s: %s", s.Dialect.System, candidates(s.Queue.Len()))
	}
}

// crowd has the positions of the contenders that watch the same child.
type crowd struct {
	sure  []int // two tables show a wrong watch, or the recipe is [dialect.Herd]
	maybe []int // the last table shows a wrong watch, but the tables do not prove it
	right []int // contenders that should watch this child
}

const herdMin = 3

func (c *crowd) herd() bool {
	return len(c.sure) > 0 && len(c.sure)+len(c.right) >= 2 || len(c.sure)+len(c.maybe) >= herdMin
}
