package ui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/lesson"
	"electop/ui/action"
	"electop/ui/overlay"
	"electop/ui/travel"
)

// tape is a [travel.Past] of moments that were put on it.
type tape struct {
	moments []history.Moment
	seeks   []history.Move
	path    string
}

// take notes the present moment of a world, with the events that happened.
func (p *tape) take(w *world, events ...model.EventBody) {
	m := history.Moment{N: uint64(len(p.moments) + 1), At: w.now, State: w.state()}
	for _, b := range events {
		m.Events = append(m.Events, model.Event{N: m.N, At: w.now, Body: b})
	}
	p.moments = append(p.moments, m)
}

func (p *tape) Seek(path string, n uint64, m history.Move) (history.Moment, bool) {
	p.seeks, p.path = append(p.seeks, m), path
	last := len(p.moments) - 1
	if last < 0 {
		return history.Moment{}, false
	}
	handoff := func(m history.Moment) bool {
		return slices.ContainsFunc(m.Events, func(e model.Event) bool { _, ok := e.Body.(model.Handoff); return ok })
	}
	is, by := func(history.Moment) bool { return true }, 0
	i := min(max(int(n)-1, 0), last)
	switch m {
	case history.MoveToFirst:
		i = 0
	case history.MoveToLast:
		i = last
	case history.MoveBack:
		by = -1
	case history.MoveOn:
		by = 1
	case history.MoveBackToEvent:
		by, is = -1, func(m history.Moment) bool { return len(m.Events) > 0 }
	case history.MoveToEvent:
		by, is = 1, func(m history.Moment) bool { return len(m.Events) > 0 }
	case history.MoveBackToHandoff:
		by, is = -1, handoff
	case history.MoveToHandoff:
		by, is = 1, handoff
	}
	for j := i + by; by != 0 && j >= 0 && j <= last; j += by {
		if is(p.moments[j]) {
			i = j
			break
		}
	}
	at := p.moments[i]
	at.First, at.Last = i == 0, i == last
	return at, true
}

// player is the tape of a recording that is being played.
type player struct {
	tape
	at      uint64
	stopped bool
	end     time.Time
	paces   []string // how its speed was changed
}

func (p *player) Seek(path string, n uint64, m history.Move) (history.Moment, bool) {
	at, ok := p.tape.Seek(path, n, m)
	if ok {
		p.at, p.stopped = at.N, true
	}
	return at, ok
}

func (p *player) Playing() travel.Playing {
	return travel.Playing{N: p.at, First: p.moments[0].At, Last: p.end, Speed: 4, Stopped: p.stopped, Ended: int(p.at) == len(p.moments), Whole: p.moments[len(p.moments)-1].State}
}

// Do and Why make it the actions of its replay.
func (p *player) Do(_ context.Context, a action.Action) error {
	switch a.Kind {
	case action.Pause:
		p.stopped = !p.stopped
	case action.Slow:
		p.paces = append(p.paces, a.Arg)
	}
	return nil
}

func (p *player) Why(a action.Action) string {
	if a.Kind == action.Pause {
		return ""
	}
	return "this is a recording: what happened has happened"
}

// travelled is an election with a past: amber is killed, and birch takes over
// step by step.
func travelled() (*world, *tape) {
	p := &tape{}
	w := five(dialect.Election())
	p.take(w, doctor.Snapshot{State: w.state()})
	w.wait(90 * time.Second)
	z := w.join("guid-n_", "fjord", 0xa6)
	p.take(w, model.Joined{Candidate: w.candidate(z)})
	w.wait(time.Minute+412*time.Millisecond).cast("amber", amberZ, model.Suspended, func(m *model.Member) {
		m.Fault, m.FaultAt, m.ExpiresFrom = model.Killed, w.now, w.now.Add(3600*time.Millisecond)
	})
	p.take(w)
	amber := w.candidate(amberZ)
	silent, takeover := 4020*time.Millisecond, 3*time.Millisecond
	w.wait(silent).leave(amberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: *w.members["amber"], Gone: true})
	p.take(w, model.Left{Candidate: amber}, model.Handoff{At: w.now, From: amber, To: w.candidate(birchZ), Cause: model.CauseExpired, Silent: &silent})
	for _, step := range []model.Step{model.StepListAgain, model.StepLowest} {
		w.wait(time.Millisecond).cast("birch", birchZ, model.Elected, func(m *model.Member) {
			m.Step, m.StepAt, m.StepOn = step, w.now, stepOn(step, "13", "14", "15", "16", "17")
		})
		p.take(w)
	}
	w.wait(time.Millisecond).cast("birch", birchZ, model.Leading, func(m *model.Member) { m.Step, m.StepAt, m.StepOn = model.StepAcknowledge, w.now, model.StepOn{} })
	w.acked(birchZ)
	p.take(w, model.Handoff{At: w.now, From: amber, To: w.candidate(birchZ), Cause: model.CauseExpired, Silent: &silent, Takeover: &takeover})
	w.wait(42 * time.Second)
	return w, p
}

func (w *world) candidate(name string) *dialect.Candidate {
	for _, c := range w.state().Queue.All() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// tutor is a [lessons.Tutor] that shows what it is told to.
type tutor struct {
	entries []lesson.Entry
	view    lesson.View
	on      bool
	inputs  []string
	started []string
	why     string
	err     error
	left    bool
}

func (t *tutor) Lessons() []lesson.Entry   { return t.entries }
func (t *tutor) View() (lesson.View, bool) { return t.view, t.on }
func (t *tutor) Leave()                    { t.on, t.left = false, true }
func (t *tutor) Start(_ context.Context, id string) error {
	t.started = append(t.started, id)
	return t.err
}
func (t *tutor) Input(in lesson.Input, choice int) string {
	t.inputs = append(t.inputs, fmt.Sprint(in, " ", choice))
	return t.why
}

// entries is a course of eleven.
func entries() []lesson.Entry {
	var out []lesson.Entry
	for i, title := range []string{
		"Volunteer", "The chain", "The handoff", "One in the middle leaves", "Resigning and crashing", "The herd",
		"Freeze, two leaders and the guard", "The lost reply and the guid", "Acknowledgement", "Observers cost one watch", "Ask the servers who watches what",
	} {
		out = append(out, lesson.Entry{ID: fmt.Sprintf("l%02d", i+1), Title: title, About: "What lesson " + fmt.Sprint(i+1) + " is about, in a sentence that is long enough to be broken where the screen is narrow.", Done: i < 2})
	}
	return out
}

// teaching is a tutor with the third lesson on.
func teaching(change func(v *lesson.View)) *tutor {
	v := lesson.View{
		ID: "l03", Title: "The handoff", Number: 3, Of: 11, Part: 2, Parts: 5, Chosen: -1, Right: -1, CanBack: true,
		Text: []string{
			"amber leads because its znode has the lowest number. Each of the others watches the znode right before its own, and nothing else.",
			"When amber goes, its znode is deleted. ZooKeeper tells exactly those who watch it.",
		},
	}
	change(&v)
	return &tutor{entries: entries(), view: v, on: true}
}

func asked(v *lesson.View) {
	v.Question = "amber is about to be killed. Who leads next?"
	v.Options = []string{"ember, who came last", "birch, who watches amber", "whoever is fastest to ask"}
	v.Hints = 2
}

func acting(v *lesson.View) {
	v.Do = "Select amber and press x: its connection is cut without closing its session."
	v.Keys, v.Target, v.Waiting, v.Hints = []string{"x"}, "amber", true, 1
}

// lessonScenes are the scenes of time travel, lessons, joining and crowds.
func lessonScenes() map[string]func() scene {
	demo := Options{Mode: ModeDemo, Role: "observer", Cluster: "embedded 127.0.0.1:41873"}
	past := func(keys ...string) scene {
		w, p := travelled()
		o := demo
		o.Past = p
		return scene{world: w, o: o, keys: keys, runs: true}
	}
	taught := func(t *tutor, keys ...string) scene {
		o := demo
		o.Tutor = t
		return scene{world: quiet(), o: o, keys: keys, runs: true}
	}
	taughtAt := func(w func() *world, change func(v *lesson.View), keys ...string) func() scene {
		return func() scene {
			sc := taught(teaching(change), keys...)
			sc.world = w()
			return sc
		}
	}
	// then is what becomes of a lesson that asks.
	then := func(change func(v *lesson.View), keys ...string) scene {
		t := teaching(asked)
		sc := taught(t, keys...)
		sc.then = func(*world) { change(&t.view) }
		return sc
	}
	lines := []overlay.Invitation{
		{Program: "electop", Line: "electop campaign /election -s 192.168.7.20:2181 --name YOU"},
		{Program: "kazoo (Python)", Line: `python3 -c "import time; from kazoo.client import KazooClient as C; c = C('192.168.7.20:2181'); c.start(); c.Election('/election', 'YOU').run(time.sleep, 999)"`},
		{Program: "zkCli", Line: "zkCli.sh -server 192.168.7.20:2181 create -s -e /election/YOU-n_ YOU"},
	}
	joining := func(open bool) scene {
		o := demo
		o.Invitations, o.Open = lines, open
		return scene{world: quiet(), o: o, keys: []string{"J"}, runs: true}
	}
	replay := func(keys ...string) scene {
		w, p := travelled()
		r := &player{tape: *p, at: 4, end: w.now.Add(time.Hour)}
		w.now = p.moments[3].At
		return scene{world: w, o: Options{Mode: ModeReplay, Role: "recording", Cluster: "monday.ndjson", Past: r, Actions: r}, keys: keys, runs: true}
	}
	return map[string]func() scene{
		"past":         func() scene { return past("p") },
		"past-step":    func() scene { return past("p", "left", ".") },
		"past-refused": func() scene { return past("p", "left", "x") },
		"past-inspect": func() scene { return past("p", "left", "left", ".", "enter") },

		"lesson":       func() scene { return taught(teaching(func(v *lesson.View) { v.CanNext = true })) },
		"lesson-waits": func() scene { return then(func(v *lesson.View) { acting(v); v.Chosen = 0 }, "1") },
		"lesson-stuck": func() scene {
			return taught(teaching(func(v *lesson.View) {
				v.Stuck = "You chose birch; this step needs amber. This part cannot go on: < restarts it."
			}))
		},
		"lesson-verdict": func() scene { return then(foretold) },
		"lesson-fault": taughtAt(quiet, func(v *lesson.View) {
			acting(v)
			v.Do, v.Keys, v.Fault, v.Target = "Select birch, press X, choose lose reply, and press enter.", []string{"X", "enter"}, string(action.LoseReply), "birch"
		}, "j", "X"),
		"lesson-herd":   taughtAt(countedHandoffs, foretold, "tab"),
		"lesson-recipe": func() scene { return then(foretold, "tab") },
		"lesson-done": func() scene {
			return taught(teaching(func(v *lesson.View) { v.Done, v.Skipped, v.Part = true, true, 5 }))
		},
		"lesson-setting": func() scene {
			return taught(teaching(func(v *lesson.View) { v.Setting, v.Text, v.CanBack = true, nil, false }))
		},
		"lesson-hostile": func() scene {
			return taught(teaching(func(v *lesson.View) {
				v.Text = []string{"\x1b[2J\x07owned \u202egnp.exe"}
				v.Title = "\x1b]0;x\x07"
				acting(v)
				v.Keys = []string{"\x1b[31m"}
			}))
		},
		"lessons":    func() scene { return taught(&tutor{entries: entries()}, "L") },
		"lessons-on": func() scene { return taught(teaching(asked), "L", "G") },

		"join":          func() scene { return joining(true) },
		"join-loopback": func() scene { return joining(false) },
		"join-nowhere":  func() scene { return scene{world: quiet(), o: demo, keys: []string{"J"}} },

		"grid": func() scene { return scene{world: class(300), o: demo, keys: []string{"z", "j", "j"}} },
		"grid-crowd": func() scene {
			return scene{world: crowd(500), o: Options{Role: "observer", Cluster: "zk1:2181,zk2:2181"}, keys: []string{"z", "G"}}
		},
		"class":       func() scene { return scene{world: guests(), o: demo, keys: []string{"G"}} },
		"zoom-lesson": func() scene { return then(foretold, "tab", "tab", "z") },

		"replay":      func() scene { return replay() },
		"replay-past": func() scene { return replay("p", "left") },
	}
}

func foretold(v *lesson.View) {
	asked(v)
	v.Chosen, v.Right, v.Hints, v.CanNext = 0, 1, 0, true
	v.Happened = "amber's session expired after 4 s. birch listed the children, saw that its own number is the lowest, and leads."
	v.Verdict = "It was birch: it alone watched amber's znode, and its number is the lowest now. Who came last waits longest."
}

// class is an election of n, most of them from elsewhere, with some trouble.
func class(n int) *world {
	w := newWorld("/class", nil, false).connect()
	names := make([]string, 0, n)
	for i := range n {
		names = append(names, w.add("guid-n_", fmt.Sprintf("student-%d", i+1), 0x500+uint64(i)))
	}
	w.read(names, nil)
	for i, name := range names[:min(n, 12)] {
		id := cmp.Or(map[int]string{0: "amber", 1: "birch", 2: "cedar"}[i], fmt.Sprintf("ours-%d", i+1))
		w.cast(id, name, model.Waiting, func(m *model.Member) {
			m.You = i == 3
			switch i {
			case 0:
				m.Belief = model.Leading
			case 5:
				m.Fault, m.FaultAt = model.Frozen, w.now
			case 7:
				m.Fault, m.FaultAt = model.Killed, w.now
			}
		})
	}
	return w.wait(20 * time.Second)
}

// guests is an election of four of ours and five from elsewhere, whose
// addresses the server tells.
func guests() *world {
	w := newWorld("/class", nil, false).connect().read(nil, nil)
	for i := range 9 {
		id := fmt.Sprintf("student-%d", i+1)
		z := w.wait(time.Second).join("guid-n_", id, sessionOn(0, i))
		if i < 4 {
			w.cast(id, z, map[bool]model.Belief{true: model.Leading, false: model.Waiting}[i == 0], nil)
		}
	}
	t := w.table()
	w.j.Apply(t)
	return w.wait(500 * time.Millisecond)
}
