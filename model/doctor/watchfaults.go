package doctor

import (
	"maps"

	"electop/model/dialect"
)

type watchFaults struct {
	missing []int // positions of contenders
	wrong   []wrongWatcher
	crowds  map[string]*crowd // herds, by the name of the child that they watch
}

type wrongWatcher struct {
	at      int // position of the contender
	watched []string
}

func (v *watchFaults) crowd(name string) *crowd {
	if v.crowds[name] == nil {
		v.crowds[name] = &crowd{}
	}
	return v.crowds[name]
}

// watchFaults checks all edges, unless a check at least [calm] after the last table found no fault.
func (rc *ruleContext) watchFaults() *watchFaults {
	if rc.faults != nil {
		return rc.faults
	}
	d := rc.d
	rc.faults = &watchFaults{crowds: make(map[string]*crowd)}
	last := d.watch.last
	s := rc.state()
	if last == nil {
		return rc.faults
	}
	sure := last.end.Add(calm)
	if !rc.newTable && !d.badEdges && !d.edgesCheckedAt.Before(sure) {
		return rc.faults
	}
	d.edgesCheckedAt = s.At
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
			if target := v.crowd(s.Queue.At(t).Name); herdRecipe {
				target.sure = append(target.sure, i)
			} else {
				target.right = append(target.right, i)
			}
		case MissingWatch:
			v.missing = append(v.missing, i)
		case WrongWatch:
			v.wrong = append(v.wrong, wrongWatcher{i, e.Watched})
			for _, name := range e.Watched {
				v.crowd(name).sure = append(v.crowd(name).sure, i)
			}
		default:
			// crowd.maybe needs only the last table, if the contender had [calm] to set the right watch.
			if s.At.Before(sure) || len(e.Watched) == 0 || last.several[c.Session] || !s.hadTarget(last, c, s.Queue.At(t), true) {
				continue
			}
			for _, name := range e.Watched {
				v.crowd(name).maybe = append(v.crowd(name).maybe, i)
			}
		}
	}
	maps.DeleteFunc(v.crowds, func(_ string, c *crowd) bool { return !c.herd() })
	d.badEdges = len(v.missing)+len(v.wrong)+len(v.crowds) > 0
	return v
}

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
