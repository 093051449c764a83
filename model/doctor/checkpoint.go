package doctor

import (
	"maps"
	"slices"
	"time"

	"electop/model"
)

// restoreFindings restores the findings that were raised before a baseline.
func (d *Doctor) restoreFindings(at time.Time, j *model.Journal) {
	d.dirty |= onQueue
	d.examine(at, j)
	d.suspicions.restore(d.cfg.Standing, at.Add(flapWindow))
}

func (d *Doctor) clone() Doctor {
	c := *d
	c.risks.byID = maps.Clone(d.risks.byID)
	c.former.log = slices.Clip(d.former.log)
	c.lost = slices.Clip(d.lost)
	c.suspicions = d.suspicions.clone()
	return c
}
