package doctor

import (
	"maps"
	"slices"
)

// watchCycle finds candidates that wait for each other, as in kazoo#649.
func watchCycle(r *ruleRun) {
	s := r.s
	last, base := r.d.watch.last, r.d.watch.base
	if last == nil || base == nil {
		return
	}
	circle := r.circle(last, base)
	if len(circle) == 0 {
		return
	}
	f := r.find(cycle, safe(s.Queue.At(slices.Min(circle)).Name))
	for k, i := range circle {
		c, next := s.Queue.At(i), s.Queue.At(circle[(k+1)%len(circle)])
		f.about(c).because("%s watches %s", described(c), safe(next.Name))
	}
	f.sortSessions()
}

// circle returns the positions of contenders that wait for each other, nil for none.
func (r *ruleRun) circle(last, base *watchTable) []int {
	s := r.state()
	place := make(map[string]int, s.Queue.Len())
	for i, c := range s.Queue.All() {
		place[c.Name] = i
	}
	waits := make(map[int][]int) // position of a contender -> positions that it waits for
	upward := false
	for session, all := range r.owners() {
		w := last.watching[session]
		if w == nil {
			continue
		}
		for _, name := range w.names {
			to, queued := place[name]
			if !queued || s.Queue.At(to).Session == session || !base.watches(session, name) {
				continue
			}
			waiting := all
			if k, _ := slices.BinarySearch(all, to); k < len(all) {
				waiting = all[k:]
			} else {
				// A contender that watches its predecessor waits for nobody else, and a leader for nobody.
				waiting = slices.DeleteFunc(slices.Clone(all), func(i int) bool {
					return s.Edge(i).State == Verified || i < s.Recipe.Holders(s.Queue) && !s.Dialect.Locks()
				})
				upward = upward || len(waiting) > 0
			}
			for _, from := range waiting {
				waits[from] = append(waits[from], to)
			}
		}
	}
	if !upward {
		return nil
	}
	for _, to := range waits {
		slices.Sort(to)
	}
	return cycleIn(slices.Sorted(maps.Keys(waits)), waits)
}

func cycleIn(starts []int, edges map[int][]int) (cycle []int) {
	const walking, done = 1, 2
	color := make(map[int]int, len(starts))
	var path []int
	var walk func(at int) bool
	walk = func(at int) bool {
		switch color[at] {
		case walking:
			cycle = path[slices.Index(path, at):]
			return true
		case done:
			return false
		}
		color[at], path = walking, append(path, at)
		if slices.ContainsFunc(edges[at], walk) {
			return true
		}
		color[at], path = done, path[:len(path)-1]
		return false
	}
	for _, start := range starts {
		if walk(start) {
			break
		}
	}
	return cycle
}
