package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"electop/model/dialect"
	"electop/model/units"
	"electop/model/znode"
)

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
	if l.in&onTable == 0 && !d.strayed && !d.sighted.Before(sure) {
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
			since := d.predecessors.since(s.Queue, t, i)
			if s.At.Before(sure) || len(e.Watched) == 0 || since.Add(calm).After(last.at) || len(last.crowded[c.Session]) > 1 {
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
	if i == r.s.Recipe.Holders(r.s.Queue) {
		return atMost(r.ceiling(), Critical)
	}
	return atMost(r.ceiling(), Warning)
}

// missingWatch finds contenders without a watch.
func missingWatch(r *report) {
	s := r.s
	for _, i := range r.watchFaults().missing {
		c, t := s.Queue.At(i), r.mustWatch(i)
		if r.ghost(c) || r.uncounted(c.Name) {
			continue
		}
		advice := "Restart the candidate. Then check how its code sets the watch: the predecessor may be deleted after the list is read, so the code must list again if the znode to watch does not exist."
		if r.guessed() {
			advice = "If these are no candidates, but members or jobs, nobody leads, and nothing is wrong: electop takes them for candidates because their names fit. If they are, check how their code learns of its turn."
		}
		r.find(znode.Safe(c.Name, 0), Finding{
			Severity: r.stuck(i),
			Title:    "a candidate has no watch",
			Evidence: []string{
				said(c) + " should watch " + t,
				fmt.Sprintf("%s reported no such watch at %s, nor in an earlier answer", units.Count(len(s.Table.Servers), "member", "members"), units.Clock(r.m.watch.last.at)),
			},
			Harm:       "It is not notified when its turn comes: then nobody leads until its session ends or it lists the children by itself.",
			Advice:     advice,
			Znodes:     []string{r.path(c.Name)},
			Sessions:   []uint64{c.Session},
			References: []string{"ZooKeeper recipes: leader election", "Helix#44", "ZooKeeper WriteLock"},
		}, hold{})
	}
}

// mustWatch names the znode that the contender at i must watch.
func (r *report) mustWatch(i int) string {
	t, ok := r.s.Recipe.Watches(r.s.Queue, i)
	if !ok {
		return "nobody"
	}
	return znode.Safe(r.s.Queue.At(t).Name, 0)
}

// wrongWatch finds contenders that do not watch their predecessor, except those
// in a herd.
func wrongWatch(r *report) {
	s, v := r.s, r.watchFaults()
	for _, w := range v.wrong {
		c := s.Queue.At(w.at)
		if r.uncounted(c.Name) {
			continue
		}
		if slices.ContainsFunc(w.watched, func(name string) bool { return v.crowds[name] != nil }) {
			continue
		}
		before := false // it watches one that leaves before its turn comes
		var names []string
		for _, name := range w.watched {
			if k := r.child(name); k != nil && s.Recipe.Contends(k) && s.Recipe.Before(k, c) {
				before = true
			}
			names = append(names, znode.Safe(name, 0))
		}
		f := Finding{
			Severity: atMost(r.ceiling(), Warning),
			Title:    "a candidate does not watch its predecessor",
			Evidence: []string{
				said(c) + " should watch " + r.mustWatch(w.at),
				"it watches " + strings.Join(names[:min(len(names), 4)], ", "),
			},
			Harm:       "It is notified when it cannot lead, and lists all candidates for nothing.",
			Advice:     "Each candidate must watch the largest number below its own. The recipe's page of ZooKeeper 3.3 says the smallest, which is the leader's.",
			Znodes:     []string{r.path(c.Name)},
			Sessions:   []uint64{c.Session},
			References: []string{"ZooKeeper recipes: leader election"},
		}
		if !before {
			f.Severity = r.stuck(w.at)
			f.Harm = "The watched znode is not before its own, so it is not notified when its turn comes: then nobody leads."
		}
		r.find(znode.Safe(c.Name, 0), f, hold{})
	}
}

// herdWatch finds many contenders that one deletion notifies.
func herdWatch(r *report) {
	s, v := r.s, r.watchFaults()
	for _, name := range v.names {
		c := v.crowds[name]
		all := slices.Concat(c.sure, c.right, c.maybe)
		slices.Sort(all)
		f := Finding{
			Severity: atMost(r.ceiling(), Warning),
			Title:    fmt.Sprintf("a herd: %d candidates watch the same znode", len(all)),
			Harm:     "When the znode is deleted, all of them are notified and list all candidates, but only one can lead: the load of a handoff grows with the square of their number.",
			Advice:   "Each candidate must watch the largest number below its own. The recipe's page of ZooKeeper 3.3 says the smallest, which is the leader's; later pages are correct.",
			Znodes:   []string{r.path(name)},
			References: []string{
				"ZooKeeper recipes: leader election", "ZooKeeper recipes: locks (herd effect)",
			},
		}
		f.Evidence = append(f.Evidence, "watched: "+znode.Safe(name, 0))
		for _, i := range all[:min(len(all), evidenceMax-1)] {
			ought := r.mustWatch(i)
			if s.Recipe.Name() == dialect.Herd().Name() { // which asks for it
				ought = znode.Safe(s.Queue.At(i-1).Name, 0)
			}
			f.Evidence = append(f.Evidence, said(s.Queue.At(i))+" should watch "+ought)
			f.Sessions = append(f.Sessions, s.Queue.At(i).Session)
		}
		r.find(znode.Safe(name, 0), f, hold{})
	}
	if r.state().watchesList() && s.Queue.Len() > 2 {
		r.find("list", Finding{
			Severity: Info,
			Title:    "a herd by design: everybody watches the list of candidates",
			Evidence: []string{fmt.Sprintf("%s: %s", r.s.Dialect.System, units.Count(s.Queue.Len(), "candidate", "candidates"))},
			Harm:     "Each join and each departure notifies all of them. With few candidates that costs little.",
			Advice:   "Nothing to do while they are few: this system works that way.",
			Znodes:   []string{s.Path},
			References: []string{
				"MESOS: src/zookeeper/group.cpp", "Pinot#15890", "ZooKeeper recipes: locks (herd effect)",
			},
		}, hold{wait: time.Second})
	}
}
