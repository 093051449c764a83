package doctor

import (
	"maps"
	"slices"
)

func (d *Doctor) clone() Doctor {
	c := *d
	c.risks.byID = maps.Clone(d.risks.byID)
	c.former.log = slices.Clip(d.former.log)
	c.lost = slices.Clip(d.lost)
	c.suspicions = d.suspicions.clone()
	return c
}
