package doctor

import (
	"slices"

	"electop/model"
	"electop/model/znode"
)

// uncounted finds a lock that two libraries hold at the same time: the clients of one
// do not count those of the other, so their first candidate waits for nobody.
func uncounted(r *report) {
	s := r.state()
	c, e := s.Blind()
	if c == nil || !r.uncounted(c.Name) {
		return
	}
	head := s.First()
	i, _ := model.Position(s.Recipe, s.Queue, c)
	f := Finding{
		Severity: Critical,
		Title:    "two leaders: clients of two libraries do not wait for each other",
		Evidence: []string{
			"lowest of all: " + said(head),
			"lowest of the other library: " + said(c) + ", which does not watch " + r.mustWatch(i),
		},
		Harm:       "Each library's first candidate finds itself the lowest that it counts: two do the work of one.",
		Advice:     "Stop the programs of one library. Then have both count each other: kazoo's Lock does with extra_lock_patterns=['-lock-'], go-zookeeper's always does.",
		Znodes:     []string{r.path(head.Name), r.path(c.Name)},
		Sessions:   []uint64{head.Session, c.Session},
		References: []string{s.Dialect.Source},
	}
	for _, name := range e.Watched[:min(len(e.Watched), 4)] {
		f.Evidence = append(f.Evidence, "it watches "+znode.Safe(name, 0))
	}
	r.find(znode.Safe(c.Name, 0), f, hold{})
}

// uncounted reports whether two rounds of tables show that the contender of that name,
// the first of its library, does not watch its predecessor of another library.
func (l *ruleContext) uncounted(name string) bool {
	c, _ := l.state().Blind()
	if c == nil || c.Name != name {
		return false
	}
	v := l.watchFaults()
	is := func(i int) bool { return l.s.Queue.At(i) == c }
	return slices.ContainsFunc(v.missing, is) || slices.ContainsFunc(v.wrong, func(a astray) bool { return is(a.at) })
}
