package ui

import (
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/ui/action"
)

// Moments of the recipe at work, as the demo's own server and cast tell them.

// took has a member of ours take a step.
func (w *world) took(id string, step model.Step, on ...string) *world {
	return w.cast(id, w.znodeOf(id), w.members[id].Belief, func(m *model.Member) { m.Step, m.StepAt, m.StepOn = step, w.now, stepOn(step, on...) })
}

// stepOn is what a step works on: the list of children, or a name.
func stepOn(step model.Step, names ...string) model.StepOn {
	switch step {
	case model.StepList, model.StepListAgain, model.StepLowest:
		return model.StepOn{Children: names}
	}
	if len(names) > 0 {
		return model.StepOn{Name: names[0]}
	}
	return model.StepOn{}
}

func (w *world) znodeOf(id string) string {
	if m := w.members[id]; m != nil {
		return m.Znode
	}
	return ""
}

// wake is what the server says of a deletion, before the list is read again.
func (w *world) wake(znode string, requests int, bytes int64, settled bool, notified ...uint64) *world {
	w.j.Apply(&model.Wake{At: w.now, Deleted: w.now, Znode: znode, Zxid: w.zxid + 1, Notified: notified, Requests: requests, BytesIn: bytes / 4, BytesOut: bytes - bytes/4, Settled: settled})
	return w
}

func (w *world) pace(p model.Pace) *world {
	p.At = w.now
	p.Waiting = max(p.Waiting, len(p.Held))
	w.j.Apply(&p)
	return w
}

func (w *world) rule(r model.Rules) *world {
	r.At = w.now
	w.j.Apply(&r)
	return w
}

// write is an attempt of a member's worker at both resources.
func (w *world) write(id string, value int64, refused bool) *world {
	m := w.members[id]
	czxid := m.Fence
	fenced := w.state().Work.Rules.Fenced
	o := model.Write{At: w.now, Member: id, Znode: m.Znode, Token: czxid, Resource: model.Counter, Fenced: fenced, Refused: refused && fenced, Value: value}
	if o.Refused {
		o.Reason, o.Value = "multi: check: no node", 0
	} else {
		w.zxid++
		o.Zxid = w.zxid
	}
	w.j.Apply(&o)
	t := model.Write{At: w.now, Member: id, Znode: m.Znode, Token: czxid, Resource: model.Tokens, Refused: refused}
	if refused {
		t.Reason = "a higher token was seen"
	}
	w.j.Apply(&t)
	return w
}

// handed is a handoff from whom leads to the next, which the server counted.
func (w *world) handed(requests int, bytes int64) *world {
	q := w.state().Queue.Slice()
	var told []uint64
	if w.state().Recipe.Name() == dialect.Herd().Name() {
		for _, c := range q[1:] {
			told = append(told, c.Session)
		}
	} else {
		told = []uint64{q[1].Session}
	}
	id := string(q[0].Data.Bytes)
	w.wake(q[0].Name, requests, bytes, true, told...).leave(q[0].Name)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: id}, Gone: true})
	next := string(q[1].Data.Bytes)
	w.wait(2*time.Millisecond).acked(q[1].Name).cast(next, q[1].Name, model.Leading, func(m *model.Member) { m.Fence = q[1].Czxid })
	return w
}

// volunteering is an election in which fjord has just come, and birch takes
// over from amber.
func volunteering() *world {
	w := five(dialect.Election()).wait(time.Minute)
	w.wake(amberZ, 2, 310, true, 0xa2).wait(time.Millisecond).leave(amberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "amber"}, Gone: true})
	w.wait(700*time.Millisecond).cast("birch", birchZ, model.Elected, nil)
	w.took("birch", model.StepListAgain, "13", "14", "15", "16").wait(time.Millisecond)
	w.took("birch", model.StepLowest, "13", "14", "15", "16")
	z := w.join("guid-n_", "fjord", 0xa6)
	w.cast("fjord", z, model.Volunteering, func(m *model.Member) {
		m.Step, m.StepAt, m.StepOn = model.StepCreate, w.now, model.StepOn{Name: "guid-n_"}
	})
	w.wait(time.Millisecond).took("fjord", model.StepList, "13", "14", "15", "16", "17").wait(time.Millisecond)
	w.took("fjord", model.StepWatch, "16").took("birch", model.StepLead)
	return w.wait(300 * time.Millisecond)
}

// travelling is the moment after amber's znode went, so long ago.
func travelling(recipe dialect.Recipe, ago time.Duration, told ...uint64) *world {
	w := five(recipe).wait(time.Minute)
	w.wake(amberZ, len(told), 200*int64(len(told)), false, told...).wait(time.Millisecond).leave(amberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "amber"}, Gone: true})
	return w.wait(ago)
}

func held(since time.Time, told ...uint64) []model.Message {
	var out []model.Message
	for _, session := range told {
		out = append(out, model.Message{Session: session, Since: since, Op: "notification", Path: "/election/" + amberZ, Event: "deleted"})
	}
	return out
}

func slowed500() *world {
	w := five(dialect.Election()).pace(model.Pace{Delay: 500 * time.Millisecond}).wait(time.Minute)
	w.wake(amberZ, 0, 60, false, 0xa2).pace(model.Pace{Delay: 500 * time.Millisecond, Held: held(w.now, 0xa2)})
	w.wait(time.Millisecond).leave(amberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "amber"}, Gone: true})
	return w.wait(380 * time.Millisecond)
}

// stepping is a herd whose messages are let go one by one: birch was told and
// asks for the list, the others are still being told.
func stepping() *world {
	w := five(dialect.Herd()).pace(model.Pace{Steps: true}).wait(time.Minute)
	w.wake(amberZ, 0, 240, false, 0xa2, 0xa3, 0xa4, 0xa5).pace(model.Pace{Steps: true, Held: held(w.now, 0xa2, 0xa3, 0xa4, 0xa5)})
	at := w.now
	w.wait(time.Millisecond).leave(amberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "amber"}, Gone: true})
	w.wait(3*time.Second).took("birch", model.StepListAgain, "13", "14", "15", "16")
	w.pace(model.Pace{Steps: true, Held: append(held(at, 0xa3, 0xa4, 0xa5), model.Message{Session: 0xa2, Since: w.now, Op: "create", Path: "/election-leader"})})
	return w.wait(5 * time.Second)
}

// countedHandoffs is an election in which handoffs were counted, first by the rule,
// then in the herd; with one that goes on.
func countedHandoffs() *world {
	w := five(dialect.Election())
	z := w.join("guid-n_", "fjord", 0xa6)
	w.cast("fjord", z, model.Waiting, nil)
	z = w.join("guid-n_", "grove", 0xa7)
	w.cast("grove", z, model.Waiting, nil)
	w.wait(20*time.Second).handed(2, 318).wait(15*time.Second).handed(2, 302)
	w.j.Apply(&model.Switch{At: w.now, Recipe: "herd"})
	w.wait(12*time.Second).handed(12, 2214)
	q := w.state().Queue.Slice()
	w.wait(10*time.Second).wake(q[0].Name, 4, 812, false, q[1].Session, q[2].Session, q[3].Session)
	w.wait(time.Millisecond).leave(q[0].Name)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: string(q[0].Data.Bytes)}, Gone: true})
	return w.wait(2 * time.Second)
}

func faulty() *world {
	w := five(dialect.Election()).wait(time.Minute)
	for id, change := range map[string]func(*model.Member){
		"amber": func(m *model.Member) {
			m.Fault, m.FaultAt = model.Partitioned, w.now.Add(-1200*time.Millisecond)
			m.ExpiresFrom = w.now.Add(2500 * time.Millisecond)
		},
		"birch": func(m *model.Member) { m.NoGuid = true },
		"cedar": func(m *model.Member) { m.LosesReply = true },
		"delta": func(m *model.Member) { m.SlowLead, m.NoGuid = true, true },
	} {
		w.cast(id, w.znodeOf(id), w.members[id].Belief, change)
	}
	return w
}

// twoLeaders is a frozen leader whose session expired, and whose worker goes
// on; so does that of the new one.
func twoLeaders(fenced bool) *world {
	w := five(dialect.Election()).rule(model.Rules{Workers: true, Fenced: fenced})
	w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fence = w.children[amberZ].Czxid })
	for i := range 3 {
		w.wait(10*time.Second).write("amber", int64(i+1), false)
	}
	w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fault, m.FaultAt = model.Frozen, w.now })
	w.wait(4*time.Second).wake(amberZ, 2, 310, true, 0xa2).leave(amberZ)
	w.cast("birch", birchZ, model.Leading, func(m *model.Member) { m.Fence = w.children[birchZ].Czxid }).wait(3 * time.Millisecond).acked(birchZ)
	w.wait(300*time.Millisecond).write("birch", 4, false)
	w.wait(100*time.Millisecond).write("amber", 5, true)
	w.wait(200*time.Millisecond).write("birch", 6, false)
	return w.wait(1500 * time.Millisecond)
}

// haunted is an election in which cedar's session owns a second znode.
func haunted() *world {
	w := five(dialect.Election()).wait(time.Minute)
	z := w.join("n_", "cedar", 0xa3)
	w.cast("cedar", z, model.Waiting, func(m *model.Member) { m.Znode, m.NoGuid, m.Watches = z, true, emberZ })
	w.wait(5 * time.Second)
	w.j.Apply(&model.Advance{At: w.now})
	return w.wait(time.Second)
}

func chaotic(broken bool) *world {
	w := five(dialect.Election()).rule(model.Rules{Chaos: "seed 42, 2/s"}).wait(2 * time.Minute)
	w.wait(9*time.Second).handed(2, 318).wait(time.Minute)
	if broken {
		w.cast("cedar", w.znodeOf("cedar"), model.Leading, nil)
	}
	return w.wait(5 * time.Second)
}

// bewitched is an election whose words are all hostile.
func bewitched() *world {
	const evil = "\x1b[31m\u202eevil\x07家族👨‍👩‍👧‍👦\u0301"
	w := five(dialect.Herd()).rule(model.Rules{Workers: true, Chaos: evil})
	w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Name, m.Belief, m.Fence = evil, model.Leading, 1<<62 })
	w.took("birch", model.StepList, evil).took("cedar", model.StepCreate, evil+evil).took("delta", model.StepWatch, evil)
	w.j.Apply(&model.Write{At: w.now, Member: "amber", Znode: evil, Token: 1 << 62, Resource: model.Counter, Refused: true, Reason: evil, Value: -1 << 62})
	w.j.Apply(&model.Wake{At: w.now, Deleted: w.now, Znode: evil, Zxid: 1 << 60, Notified: []uint64{0xa2, 0xa3, 1<<64 - 1}, Requests: 1 << 40, BytesIn: 1 << 60})
	w.pace(model.Pace{Steps: true, Waiting: 1 << 30, Held: []model.Message{
		{Session: 0xa2, Since: w.now, Op: evil, Path: evil, Err: evil},
		{Session: 0xa3, Since: w.now, Op: "notification", Path: "/election/" + evil, Event: evil},
		{Session: 1<<64 - 1, Since: w.now, Op: "notification", Path: "/election/" + evil, Event: "deleted"},
	}})
	return w.wait(200 * time.Millisecond)
}

func teachScenes() map[string]func() scene {
	demo := Options{Mode: ModeDemo, Role: "observer", Cluster: "embedded 127.0.0.1:41873"}
	refusing := demo
	refusing.Actions = &allow{why: map[action.Kind]string{action.Resign: "birch is frozen. Thaw it first", action.LoseReply: "birch is frozen. Thaw it first"}}
	return map[string]func() scene{
		"steps": func() scene { return scene{world: volunteering(), o: demo} },
		"told":  func() scene { return scene{world: travelling(dialect.Election(), 300*time.Millisecond, 0xa2), o: demo} },
		"storm": func() scene {
			return scene{world: travelling(dialect.Herd(), 350*time.Millisecond, 0xa2, 0xa3, 0xa4, 0xa5), o: demo}
		},
		"slow":     func() scene { return scene{world: slowed500(), o: demo} },
		"stepping": func() scene { return scene{world: stepping(), o: demo} },
		"counted":  func() scene { return scene{world: countedHandoffs(), o: demo} },
		"faults": func() scene {
			return scene{world: faulty(), o: demo, keys: []string{"j", "X", "j", "j", "j", "j", "j"}}
		},
		"faults-refused": func() scene { return scene{world: faulty(), o: refusing, keys: []string{"j", "X"}} },
		"palette":        func() scene { return scene{world: faulty(), o: demo, keys: []string{"j", ":"}} },
		"palette-typed":  func() scene { return scene{world: faulty(), o: refusing, keys: []string{"j", ":", "r", "e", "s"}} },
		"faulty":         func() scene { return scene{world: faulty(), o: demo} },
		"faulty-one":     func() scene { return scene{world: faulty(), o: demo, keys: []string{"G", "k", "enter"}} },
		"two":            func() scene { return scene{world: twoLeaders(false), o: demo} },
		"two-fenced":     func() scene { return scene{world: twoLeaders(true), o: demo} },
		"two-recipe":     func() scene { return scene{world: twoLeaders(false), o: demo, keys: []string{"tab"}} },
		"ghost":          func() scene { return scene{world: haunted(), o: demo} },
		"bewitched":      func() scene { return scene{world: bewitched(), o: demo} },
		"chaos":          func() scene { return scene{world: chaotic(false), o: demo} },
		"chaos-broken":   func() scene { return scene{world: chaotic(true), o: demo} },
	}
}
