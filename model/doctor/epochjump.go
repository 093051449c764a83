package doctor

import (
	"fmt"

	"electop/model/units"
)

func epochJump(r *ruleRun) {
	e := r.s.EpochChange
	if e == nil || e.To == e.From+1 {
		return
	}
	path := r.s.Dialect.Notes(r.s.Path).Epoch
	f := r.find(epochJumped, "", "{from}", fmt.Sprint(e.From), "{to}", fmt.Sprint(e.To))
	f.Znodes = []string{path, r.s.Path}
	f.because("%s: %d at %s, %d at %s", safe(path), e.From, units.Clock(e.Before), e.To, units.Clock(e.At))
}
