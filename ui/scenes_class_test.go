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
	for id := range w.members {
		w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: id}, Gone: true})
		delete(w.members, id)
	}
	var gone []string
	for _, c := range w.state().Queue.All() {
		w.zxid++
		w.j.Apply(&model.Wake{At: w.now, Deleted: w.now, Znode: c.Name, Zxid: w.zxid, Settled: true})
		delete(w.children, c.Name)
		gone = append(gone, c.Name)
	}
	w.read(nil, gone)
	return w.seat(len(gone)).wait(time.Minute)
}

// stormed is the herd after its leader's znode was deleted: one after the other reads the
// list again, and is done 40 ms later. upTo is how much of that has happened.
func (w *world) stormed(upTo time.Duration) *world {
	q := w.state().Queue.Slice()
	at := w.now
	var told []uint64
	for _, c := range q[1:] {
		told = append(told, c.Session)
	}
	if w.state().Recipe.Name() == dialect.Election().Name() {
		told = told[:1]
	}
	wake := func(requests int, settled bool) {
		w.j.Apply(&model.Wake{At: w.now, Deleted: at, Znode: q[0].Name, Zxid: w.zxid + 1, Notified: told, Requests: requests, BytesIn: int64(52 * requests), BytesOut: int64(60*len(told) + 7000*requests), Settled: settled})
	}
	wake(0, false)
	var happens [][]func()
	after := func(d time.Duration, do func()) {
		for len(happens) <= int(d/time.Millisecond) {
			happens = append(happens, nil)
		}
		happens[d/time.Millisecond] = append(happens[d/time.Millisecond], do)
	}
	zxid := w.zxid
	after(time.Millisecond, func() {
		w.leave(q[0].Name)
		w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: string(q[0].Data.Bytes)}, Gone: true})
	})
	requests := 0
	for i := range told {
		id := string(q[1+i].Data.Bytes)
		read := time.Duration(15+i) * time.Millisecond
		after(read, func() {
			requests++
			w.took(id, model.StepListAgain)
			if i == 0 {
				w.took(id, model.StepLowest)
			}
		})
		if i > 0 {
			after(read+40*time.Millisecond, func() { requests++; w.took(id, model.StepWatchAgain) })
		}
	}
	end := time.Duration(len(happens)-1) * time.Millisecond
	report := func(settled bool) func() {
		return func() {
			was := w.zxid
			w.zxid = zxid
			wake(requests, settled)
			w.zxid = was
		}
	}
	for d := 20 * time.Millisecond; d < end; d += 20 * time.Millisecond {
		after(d, report(false))
	}
	after(end+300*time.Millisecond, report(true))
	for i, all := range happens {
		d := time.Duration(i) * time.Millisecond
		if d > upTo {
			break
		}
		for _, do := range all {
			w.now = at.Add(d)
			do()
		}
	}
	w.now = at.Add(upTo)
	return w
}

// lectured is a class that has seen a handoff by the predecessor rule, and then one in the
// herd, of which upTo has passed.
func lectured(n int, upTo time.Duration) *world {
	return classroom(n).stormed(time.Minute).reseat(dialect.Herd()).stormed(upTo)
}

func classScenes() map[string]func() scene {
	demo := Options{Mode: ModeDemo, Role: "observer", Cluster: "embedded 127.0.0.1:41873"}
	return map[string]func() scene{
		"class-wave": func() scene {
			return scene{world: lectured(300, 1800*time.Millisecond), o: demo, keys: []string{"z", "j"}}
		},
	}
}
