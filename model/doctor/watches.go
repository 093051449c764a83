package doctor

import (
	"slices"

	"electop/model/dialect"
)

// watchFaults has what the watch tables show about all contenders.
type watchFaults struct {
	missing []int
	wrong   []astray
	// crowds are contenders that watch a child which they need not watch.
	crowds map[string]*crowd
	names  []string // of the crowds, sorted
}

type astray struct {
	at      int
	watched []string
}

type crowd struct {
	sure, maybe []int // by two tables, and by the last alone
	right       []int // those that have to watch it
}

// herdAtOnce is the number of contenders on one child, all with another one to watch, that
// are a herd according to one table alone: no moment of a handoff looks like it.
const herdAtOnce = 3

func (v *watchFaults) gather(name string) *crowd {
	if v.crowds == nil {
		v.crowds = make(map[string]*crowd)
	}
	c := v.crowds[name]
	if c == nil {
		c = &crowd{}
		v.crowds[name] = c
	}
	return c
}

// herd reports whether two or more watch the child and at least one of them
// should watch another.
func (c *crowd) herd() bool {
	return len(c.sure) > 0 && len(c.sure)+len(c.right) >= 2 || len(c.sure)+len(c.maybe) >= herdAtOnce
}

// watchFaults makes out the edges, once in a run. Changes of the queue alone add no
// trouble to edges, they only make the tables too old; so without a new table
// there is nothing to do where there was none.
func (l *ruleContext) watchFaults() *watchFaults {
	if l.faults != nil {
		return l.faults
	}
	d := l.m
	l.faults = &watchFaults{}
	last := d.watch.last
	s := l.state()
	if last == nil {
		return l.faults
	}
	sure := last.end.Add(calm)
	if !l.tabled && !d.strayed && !d.sighted.Before(sure) {
		return l.faults
	}
	d.sighted = s.At
	if s.At.Before(sure) {
		d.lookAgain(sure)
	}
	v := l.faults
	holders := s.Recipe.Holders(s.Queue)
	calling := s.Recipe.Name() == dialect.Herd().Name() // a herd by its own rule
	for i := holders; i < s.Queue.Len(); i++ {
		c := s.Queue.At(i)
		t, waits := s.Recipe.Watches(s.Queue, i)
		if !waits {
			continue
		}
		switch e := s.edge(i, holders); e.State {
		case Verified:
			target := s.Queue.At(t).Name
			if calling {
				v.gather(target).sure = append(v.gather(target).sure, i)
			} else {
				v.gather(target).right = append(v.gather(target).right, i)
			}
		case MissingWatch:
			v.missing = append(v.missing, i)
		case WrongWatch:
			v.wrong = append(v.wrong, astray{i, e.Watched})
			for _, name := range e.Watched {
				v.gather(name).sure = append(v.gather(name).sure, i)
			}
		default:
			// Settled, and on another child, by the last table alone.
			if s.At.Before(sure) || len(e.Watched) == 0 || last.crowded[c.Session] || !s.waited(last, c, s.Queue.At(t), true) {
				continue
			}
			for _, name := range e.Watched {
				v.gather(name).maybe = append(v.gather(name).maybe, i)
			}
		}
	}
	for name, c := range v.crowds {
		if len(c.sure)+len(c.maybe) == 0 || !c.herd() {
			delete(v.crowds, name)
		}
	}
	v.names = make([]string, 0, len(v.crowds))
	for name := range v.crowds {
		v.names = append(v.names, name)
	}
	slices.Sort(v.names)
	d.strayed = len(v.missing)+len(v.wrong)+len(v.names) > 0
	return v
}

// stuck grades a contender that is not notified when its turn comes.
func (r *report) stuck(i int) Severity {
	if i == r.holders() {
		return Critical
	}
	return Warning
}

// mustWatch names the znode that the contender at i must watch.
func (r *report) mustWatch(i int) string {
	t, ok := r.s.Recipe.Watches(r.s.Queue, i)
	if !ok {
		return "nobody"
	}
	return safe(r.s.Queue.At(t).Name)
}
