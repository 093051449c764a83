package doctor

import "electop/model/units"

func missingWatch(r *ruleRun) {
	s, t := r.s, noWatch
	if r.s.Dialect.Unknown() {
		t = noWatchGuessed
	}
	for _, i := range r.watchFaults().missing {
		c := s.Queue.At(i)
		if r.inGhostFinding(c) || r.ofRivalLibrary(c) {
			continue
		}
		f := r.find(t, safe(c.Name)).about(c)
		f.Severity = r.stuck(i)
		f.because("%s should watch %s", described(c), r.mustWatch(i))
		f.because("%s reported no such watch at %s, nor in an earlier answer",
			units.Count(len(s.Table.Servers), "member", "members"), units.Clock(r.d.watch.last.at))
	}
}
