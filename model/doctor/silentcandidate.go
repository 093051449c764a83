package doctor

import (
	"slices"

	"electop/model/units"
)

func silentCandidate(r *ruleRun) {
	waiting := slices.DeleteFunc(slices.Clone(r.d.risks.all), func(x *Risk) bool { return x.Leader })
	all := slices.DeleteFunc(slices.Clone(waiting), func(x *Risk) bool { return !x.Sure })
	if len(all) == 0 {
		return
	}
	n := units.Count(len(all), "waiting candidate is", "waiting candidates are")
	if len(all) < len(waiting) {
		n = "at least " + n
	}
	f := r.find(silentWaiting, "", "{candidates}", n)
	for _, x := range all {
		f.about(x.Candidate).because("%s: %s", described(x.Candidate), x.Evidence)
	}
}
