package doctor

import (
	"slices"

	"electop/model/dialect"
)

// watchFaults has the contenders with a wrong or missing watch, by position, and the herds.
type watchFaults struct {
	missing []int
	wrong   []wrongWatcher
	crowds  map[string]*crowd // herds, by the name of the child that they watch
	names   []string          // keys of crowds, sorted
}

type wrongWatcher struct {
	at      int
	watched []string
}

func (v *watchFaults) crowd(name string) *crowd {
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

// watchFaults checks all edges. A check that found no fault, at least [calm] after the last table, is
// not repeated.
func (rc *ruleContext) watchFaults() *watchFaults {
	if rc.faults != nil {
		return rc.faults
	}
	d := rc.d
	rc.faults = &watchFaults{}
	last := d.watch.last
	s := rc.state()
	if last == nil {
		return rc.faults
	}
	sure := last.end.Add(calm)
	if !rc.newTable && !d.badEdges && !d.edgesAt.Before(sure) {
		return rc.faults
	}
	d.edgesAt = s.At
	if s.At.Before(sure) {
		d.runAgain(sure)
	}
	v := rc.faults
	holders := s.Recipe.Holders(s.Queue)
	herdRecipe := s.Recipe.Name() == dialect.Herd().Name()
	for i := holders; i < s.Queue.Len(); i++ {
		c := s.Queue.At(i)
		t, waits := s.Recipe.Watches(s.Queue, i)
		if !waits {
			continue
		}
		switch e := s.edge(i, holders); e.State {
		case Verified:
			target := s.Queue.At(t).Name
			if herdRecipe {
				v.crowd(target).sure = append(v.crowd(target).sure, i)
			} else {
				v.crowd(target).right = append(v.crowd(target).right, i)
			}
		case MissingWatch:
			v.missing = append(v.missing, i)
		case WrongWatch:
			v.wrong = append(v.wrong, wrongWatcher{i, e.Watched})
			for _, name := range e.Watched {
				v.crowd(name).sure = append(v.crowd(name).sure, i)
			}
		default:
			// One table is enough for maybe, if the contender had time to set the right watch.
			if s.At.Before(sure) || len(e.Watched) == 0 || last.several[c.Session] || !s.hadTarget(last, c, s.Queue.At(t), true) {
				continue
			}
			for _, name := range e.Watched {
				v.crowd(name).maybe = append(v.crowd(name).maybe, i)
			}
		}
	}
	for name, c := range v.crowds {
		if !c.herd() {
			delete(v.crowds, name)
		}
	}
	v.names = make([]string, 0, len(v.crowds))
	for name := range v.crowds {
		v.names = append(v.names, name)
	}
	slices.Sort(v.names)
	d.badEdges = len(v.missing)+len(v.wrong)+len(v.names) > 0
	return v
}

// stuck returns the severity for a contender that is not notified when its turn comes.
func (r *ruleRun) stuck(i int) Severity {
	if i == r.holders() {
		return Critical
	}
	return Warning
}

func (r *ruleRun) mustWatch(i int) string {
	t, ok := r.s.Recipe.Watches(r.s.Queue, i)
	if !ok {
		return "nobody"
	}
	return safe(r.s.Queue.At(t).Name)
}
