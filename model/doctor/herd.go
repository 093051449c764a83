package doctor

import (
	"fmt"
	"slices"

	"electop/model/dialect"
)

// herd finds many contenders that one deletion notifies.
func herd(r *report) {
	s, v := r.s, r.watchFaults()
	for _, name := range v.names {
		c := v.crowds[name]
		all := slices.Concat(c.sure, c.right, c.maybe)
		slices.Sort(all)
		f := r.find(watchOne, safe(name), "{candidates}", fmt.Sprintf("%d candidates", len(all)))
		f.Znodes = []string{r.path(name)}
		f.because("watched: %s", safe(name))
		for _, i := range all {
			f.Sessions = append(f.Sessions, s.Queue.At(i).Session)
			should := r.mustWatch(i)
			if s.Recipe.Name() == dialect.Herd().Name() { // by this recipe the herd's znode is right
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
