package ui

import (
	"fmt"
	"time"

	"electop/model"
	"electop/model/dialect"
)

// A class in front of the demo: hundreds of candidates, all of them ours.

// classroom is an election of n of ours by the predecessor rule, whose server counts.
func classroom(n int) *world {
	w := newWorld("/class", dialect.Election(), true).connect().pace(model.Pace{})
	w.read(nil, nil)
	return w.seat(n).wait(time.Minute)
}

// seat has n new members join at once.
func (w *world) seat(n int) *world {
	var names []string
	for i := range n {
		names = append(names, w.add("guid-n_", seatName(i), uint64(0x1000+w.creates)))
	}
	w.read(names, nil)
	for i, z := range names {
		belief := model.Waiting
		if i == 0 {
			belief = model.Leading
		}
		w.cast(seatName(i), z, belief, func(m *model.Member) { m.Session, m.Znode = w.children[z].Session, z })
	}
	return w
}

// seatName is the i-th name of a cast.
func seatName(i int) string {
	name := [...]string{
		"amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty",
		"kelp", "larch", "marsh", "north", "ocean", "pine", "quartz", "ridge", "slate", "tide",
		"umber", "vale", "willow", "xenon", "yarrow", "zephyr",
	}[i%26]
	if i >= 26 {
		name += fmt.Sprintf("-%d", i/26+1)
	}
	return name
}

// reseat changes the rule: all rejoin, which deletes a znode of each.
func (w *world) reseat(recipe dialect.Recipe) *world {
	w.j.Apply(&model.Switch{At: w.now, Recipe: recipe.Name()})
	var gone []string
	for _, c := range w.state().Queue {
		w.zxid++
		w.j.Apply(&model.Wake{At: w.now, Deleted: w.now, Znode: c.Name, Zxid: w.zxid, Settled: true})
		delete(w.children, c.Name)
		gone = append(gone, c.Name)
	}
	w.read(nil, gone)
	return w.seat(len(gone)).wait(time.Minute)
}
