package doctor

import (
	"electop/model"
	"electop/model/dialect"
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
	return c != nil && c.Name == name && l.state().Twofold()
}

// Blind returns the first contender that may not count the head of the queue (see
// [dialect.Dialect.Blind]), and what the servers say of its watch: if that is on its
// predecessor, it does count it.
func (s *State) Blind() (c *dialect.Candidate, e Edge) {
	if c = s.Dialect.Blind(s.Queue); c == nil {
		return nil, e
	}
	i, _ := model.Position(s.Recipe, s.Queue, c)
	return c, s.edge(i, s.Recipe.Holders(s.Queue))
}

// Twofold reports whether two rounds of the servers' tables show that the contender of
// [State.Blind] does not wait: it leads beside the head of the queue.
func (s *State) Twofold() bool {
	c, e := s.Blind()
	return c != nil && (e.State == MissingWatch || e.State == WrongWatch)
}
