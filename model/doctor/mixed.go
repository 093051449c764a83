package doctor

import (
	"electop/model"
	"electop/model/dialect"
)

// uncounted finds a lock that two libraries hold at the same time: the clients of one
// do not count those of the other, so their first candidate waits for nobody.
func uncounted(r *report) {
	s := r.state()
	if !s.Twofold() {
		return
	}
	c, e := s.Blind()
	head := s.First()
	i, _ := model.Position(s.Recipe, s.Queue, c)
	f := r.find(twoLibraries, safe(c.Name)).about(head, c)
	f.because("lowest of all: %s", said(head))
	f.because("lowest of the other library: %s, which does not watch %s", said(c), r.mustWatch(i))
	for _, name := range e.Watched[:min(len(e.Watched), 4)] {
		f.because("it watches %s", safe(name))
	}
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
