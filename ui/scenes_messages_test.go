package ui

import (
	"time"

	"electop/model"
	"electop/model/dialect"
)

// Moments of a slowed server, with the messages that it reports.

// wire plays the messages of an embedded server into a world.
type wire struct {
	*world
	pace model.Pace
	n    int
}

func slowedServer(w *world, p model.Pace) *wire {
	w.pace(p)
	return &wire{world: w, pace: p}
}

// hold makes a message, which the server holds.
func (x *wire) hold(session uint64, op, path string) *wire {
	x.n++
	m := model.Message{Session: session, N: x.n, Since: x.now, Op: op, Path: path}
	if op == model.Notification {
		m.Event = "deleted"
	}
	x.pace.Held = append(x.pace.Held[:len(x.pace.Held):len(x.pace.Held)], m)
	x.world.pace(x.pace)
	return x
}

// release sends the first message, after d, and with an error if there is one.
func (x *wire) release(d time.Duration, err string, change func(*model.Passed)) *wire {
	x.wait(d)
	m := x.pace.Held[0]
	m.Err = err
	x.pace.Held = x.pace.Held[1:]
	p := x.pace
	p.Passed = []model.Passed{{Message: m, Left: x.now}}
	if change != nil {
		change(&p.Passed[0])
	}
	x.world.pace(p)
	x.wait(time.Millisecond)
	return x
}

// ask is a request with its reply.
func (x *wire) ask(session uint64, op, path string, d time.Duration) *wire {
	return x.hold(session, op, path).release(d, "", nil)
}

// takenOver is a handoff, step by step, up to where birch acknowledges.
func takenOver(recipe dialect.Recipe) *wire {
	w := five(recipe).wait(time.Minute)
	x := slowedServer(w, model.Pace{Steps: true})
	x.ask(0xa3, "getData", "/election/"+birchZ, 300*time.Millisecond)
	x.wait(900 * time.Millisecond)
	x.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fault, m.FaultAt = model.Killed, w.now })
	x.wait(4 * time.Second)
	told := []uint64{0xa2}
	if recipe.Name() == dialect.Herd().Name() {
		told = []uint64{0xa2, 0xa3, 0xa4, 0xa5}
	}
	w.wake(amberZ, len(told), 60, false, told...)
	for _, session := range told {
		x.hold(session, model.Notification, "/election/"+amberZ)
	}
	x.leave(amberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: *w.members["amber"], Gone: true})
	for range told {
		x.release(700*time.Millisecond, "", nil)
	}
	x.ask(0xa2, "getChildren", "/election", 800*time.Millisecond)
	x.took("birch", model.StepListAgain, "13", "14", "15", "16").cast("birch", birchZ, model.Elected, nil)
	x.took("birch", model.StepLowest, "13", "14", "15", "16").wait(time.Millisecond)
	w.took("birch", model.StepLead).wait(time.Millisecond)
	w.took("birch", model.StepAcknowledge, "election-leader").wait(time.Millisecond)
	x.hold(0xa2, "getData", "/election-leader").release(500*time.Millisecond, "NoNode", nil)
	x.hold(0xa2, "create", "/election-leader")
	return x
}

func messageScenes() map[string]func() scene {
	demo := Options{Mode: ModeDemo, Role: "observer", Cluster: "embedded 127.0.0.1:41873"}
	focused := []string{"tab", "tab", "tab"}
	return map[string]func() scene{
		"messages": func() scene {
			x := takenOver(dialect.Election())
			x.wait(1200 * time.Millisecond)
			return scene{world: x.world, o: demo, keys: focused}
		},
		"messages-herd": func() scene {
			x := takenOver(dialect.Herd())
			x.hold(0xa3, "getChildren", "/election").hold(0xa4, "getChildren", "/election").hold(0xa5, "getChildren", "/election").wait(time.Second)
			return scene{world: x.world, o: demo, keys: focused}
		},
		// birch loses the reply to its create, and amber is frozen while it is notified.
		"messages-lost": func() scene {
			w := five(dialect.Election()).wait(time.Minute)
			x := slowedServer(w, model.Pace{Delay: 500 * time.Millisecond})
			x.cast("birch", birchZ, model.Volunteering, func(m *model.Member) { m.LosesReply = true })
			x.took("birch", model.StepCreate, "guid-n_").wait(time.Millisecond)
			x.ask(0xa2, "create", "/election/guid-n_0000000017", 500*time.Millisecond)
			x.cast("birch", birchZ, model.Volunteering, func(m *model.Member) { m.LosesReply = false })
			x.wait(300*time.Millisecond).cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fault, m.FaultAt = model.Frozen, w.now })
			x.wait(200 * time.Millisecond)
			x.hold(0xa1, "getChildren", "/election").release(500*time.Millisecond, "", nil)
			x.hold(0xa2, "getChildren", "/election").release(200*time.Millisecond, "", func(p *model.Passed) { p.Dropped = true })
			x.wait(700 * time.Millisecond)
			x.hold(0xa1, "getData", "/election").wait(300 * time.Millisecond)
			x.hold(0xa2, model.Notification, "/election/"+amberZ).wait(100 * time.Millisecond)
			return scene{world: x.world, o: demo, keys: focused}
		},
		"messages-lesson": func() scene {
			x := takenOver(dialect.Election())
			o := demo
			o.Tutor = teaching(asked)
			return scene{world: x.world, o: o, runs: true}
		},
	}
}
