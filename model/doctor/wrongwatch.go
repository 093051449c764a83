package doctor

import (
	"slices"
	"strings"
)

func wrongWatch(r *ruleRun) {
	s, v := r.s, r.watchFaults()
	for _, w := range v.wrong {
		c := s.Queue.At(w.at)
		if r.ofRivalLibrary(c) || slices.ContainsFunc(w.watched, func(name string) bool { return v.crowds[name] != nil }) {
			continue
		}
		before := false // c watches a contender before c
		var names []string
		for _, name := range w.watched {
			k := r.child(name)
			before = before || k != nil && s.Recipe.Contends(k) && s.Recipe.Before(k, c)
			names = append(names, safe(name))
		}
		t, severity := otherWatch, Warning
		if !before {
			t, severity = laterWatch, r.stuck(w.at)
		}
		f := r.find(t, safe(c.Name)).about(c)
		f.Severity = severity
		f.because("%s should watch %s", described(c), r.mustWatch(w.at))
		f.because("it watches %s", strings.Join(names[:min(len(names), 4)], ", "))
	}
}
