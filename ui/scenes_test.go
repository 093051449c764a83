package ui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/elections"
	"electop/ui/term"
)

// noon is when the scenes begin.
var noon = time.Date(2026, time.March, 14, 11, 57, 51, 3e6, time.UTC)

// world plays an election into a journal, as a server and its watchers would.
type world struct {
	j        *doctor.Journal
	now      time.Time
	path     string
	ack      string
	creates  int
	zxid     int64
	children map[string]znode.Znode
	members  map[string]*model.Member
	// apply takes the observations instead of the journal, nil: that does.
	apply func(model.Observation)
}

func newWorld(path string, recipe dialect.Recipe, ack bool) *world {
	w := &world{now: noon, path: path, creates: 12, zxid: 1<<32 + 0x19, children: map[string]znode.Znode{}, members: map[string]*model.Member{}}
	cfg := model.Config{Path: path, Recipe: recipe}
	if ack {
		w.ack = path + "-leader"
		cfg.AckPath, cfg.AckExpected = w.ack, true
	}
	w.j = doctor.NewJournal(cfg)
	return w
}

func (w *world) put(o model.Observation) {
	if w.apply != nil {
		w.apply(o)
		return
	}
	w.j.Apply(o)
}

func (w *world) wait(d time.Duration) *world { w.now = w.now.Add(d); return w }

func (w *world) connect() *world {
	w.put(&model.Connection{At: w.now, Link: model.Connected, Server: "127.0.0.1:41873", Session: 0xa0, Timeout: 4 * time.Second, RTT: 300 * time.Microsecond})
	return w
}

func (w *world) lose(err string) *world {
	w.put(&model.Connection{At: w.now, Link: model.Disconnected, Err: err})
	return w
}

func (w *world) read(created, gone []string) *world {
	var zs []znode.Znode
	for _, n := range created {
		zs = append(zs, w.children[n])
	}
	n := int32(len(w.children))
	w.put(&model.Read{At: w.now, Notified: w.now.Add(-time.Millisecond), Presence: model.Present, New: zs, Gone: gone,
		Parent: znode.Parent{Czxid: 7, Ctime: noon.Add(-time.Hour), Children: n, Cversion: int32(2*w.creates) - n}})
	return w
}

// join adds a candidate that wrote data and belongs to session.
func (w *world) join(prefix, data string, session uint64) string {
	name := w.add(prefix, data, session)
	w.read([]string{name}, nil)
	return name
}

func (w *world) add(prefix, data string, session uint64) string {
	name := fmt.Sprintf("%s%010d", prefix, w.creates)
	w.creates++
	w.zxid += 3
	w.children[name] = znode.Znode{Name: name, Session: session, Czxid: w.zxid, Ctime: w.now.Truncate(time.Millisecond), Data: znode.NewData([]byte(data))}
	return name
}

func (w *world) leave(name string) *world {
	delete(w.children, name)
	w.zxid++
	return w.read(nil, []string{name})
}

func (w *world) acked(name string) *world {
	z := w.children[name]
	w.put(&model.Ack{At: w.now, Presence: model.Present, Session: z.Session, Czxid: z.Czxid + 1, Data: znode.NewData(model.AckData(w.path+"/"+name, z.Czxid))})
	return w
}

// cast is a member of ours with a znode.
func (w *world) cast(id, znode string, belief model.Belief, change func(*model.Member)) *world {
	m := model.Member{ID: id, Name: id, Recipe: "election", Belief: belief, Znode: znode, Session: w.children[znode].Session, Timeout: 4 * time.Second, ExpiresFrom: w.now.Add(4 * time.Second)}
	if old := w.members[id]; old != nil {
		m = *old
		m.Belief = belief
	}
	if change != nil {
		change(&m)
	}
	w.members[id] = &m
	w.put(&model.Cast{At: w.now, Member: m})
	return w
}

func (w *world) state() *doctor.State { return w.j.State() }

// five is the election of the sketches: amber leads, four wait, all are ours.
func five(recipe dialect.Recipe) *world {
	w := newWorld("/election", recipe, true).connect()
	w.read(nil, nil)
	names := []string{"amber", "birch", "cedar", "delta", "ember"}
	last := ""
	for i, n := range names {
		w.wait(time.Duration(7*i) * time.Second)
		z := w.join("guid-n_", n, 0xa1+uint64(i))
		belief := model.Waiting
		if i == 0 {
			belief = model.Leading
			w.wait(2 * time.Millisecond).acked(z)
		}
		w.cast(n, z, belief, func(m *model.Member) {
			m.You = n == "cedar"
			m.Watches = last
			if n == "birch" || n == "delta" {
				m.Watches = ""
			}
		})
		last = z
	}
	return w
}

// quiet is five after a while.
func quiet() *world { return five(dialect.Election()).wait(4 * time.Minute) }

const (
	amberZ = "guid-n_0000000012"
	birchZ = "guid-n_0000000013"
	emberZ = "guid-n_0000000016"
)

// kill cuts amber's connection 2.1 s before the picture.
func killed() *world {
	w := five(dialect.Election()).wait(3 * time.Minute)
	lease := w.now.Add(3600 * time.Millisecond)
	w.wait(400*time.Millisecond).cast("amber", amberZ, model.Suspended, func(m *model.Member) {
		m.Fault, m.FaultAt, m.ExpiresFrom = model.Killed, w.now, lease
	})
	return w.wait(2100 * time.Millisecond)
}

// handedOver is what comes of it.
func handedOver() *world {
	w := killed().wait(1920 * time.Millisecond).leave(amberZ)
	w.cast("amber", amberZ, model.Lost, func(m *model.Member) { m.Session, m.Znode = 0, "" })
	w.j.Apply(&model.Cast{At: w.now, Member: *w.members["amber"], Gone: true})
	w.cast("birch", birchZ, model.Leading, func(m *model.Member) {
		m.Step, m.StepAt, m.StepOn, m.Fence = model.StepAcknowledge, w.now, model.StepOn{Name: "election-leader"}, w.children[birchZ].Czxid
	})
	w.wait(3 * time.Millisecond).acked(birchZ)
	return w.wait(600 * time.Millisecond)
}

func homelessLeader() *world {
	w := five(dialect.Election()).wait(3 * time.Minute)
	w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fault, m.FaultAt = model.Frozen, w.now })
	w.wait(5 * time.Second).leave(amberZ)
	w.cast("birch", birchZ, model.Leading, nil).wait(3 * time.Millisecond).acked(birchZ)
	return w.wait(7 * time.Second)
}

// scene is a dashboard at one moment.
type scene struct {
	world  *world
	o      Options
	keys   []string
	others []*world // more elections watched
	walk   *elections.Walk
	// then is applied after the dashboard was made, and it is told.
	then func(w *world)
	// pass is the time that passes before the keys' frame.
	pass time.Duration
	// ended says that the source ends after that.
	ended bool
	// runs says that what the keys begin is done.
	runs bool
}

// scenes are the moments of the golden frames. Each call makes a new one.
func scenes() map[string]func() scene {
	demo := Options{Mode: ModeDemo, Role: "observer", Cluster: "embedded 127.0.0.1:41873"}
	live := Options{Role: "observer", Cluster: "zk1:2181,zk2:2181"}
	all := map[string]func() scene{
		"main":   func() scene { return scene{world: quiet(), o: demo} },
		"killed": func() scene { return scene{world: killed(), o: demo} },
		"handoff": func() scene {
			return scene{world: killed(), o: demo, then: func(w *world) {
				next := handedOver()
				*w = *next
			}}
		},
		"herd": func() scene { return scene{world: herded(), o: demo} },
		"offline": func() scene {
			return scene{world: five(dialect.Election()).wait(4*time.Minute + 200*time.Millisecond).lose("dial tcp 127.0.0.1:41873: connection refused").wait(7 * time.Second), o: demo}
		},
		"unseen": func() scene {
			return scene{world: newWorld("/election", nil, false).lose("dial tcp 10.0.0.9:2181: no route to host").wait(3 * time.Second), o: live}
		},
		"absent": func() scene { return scene{world: presence(model.Absent), o: live} },
		"denied": func() scene { return scene{world: presence(model.Denied), o: live} },
		"vacant": func() scene { return scene{world: vacant(), o: demo} },
		"paused": func() scene {
			return scene{world: quiet(), o: demo, keys: []string{"p"}, pass: 7 * time.Second, then: func(w *world) {
				w.wait(2*time.Second).join("guid-n_", "fjord", 0xa6)
				w.wait(time.Second).join("guid-n_", "grove", 0xa7)
			}}
		},
		"filter": func() scene { return scene{world: quiet(), o: demo, keys: []string{"/", "e", "r"}} },
		// A leader with a lease, and one that lost it while its server still answers.
		"inspect-lease": func() scene {
			w := five(dialect.Election()).wait(time.Minute)
			w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.LeaseEnd = w.now.Add(1800 * time.Millisecond) })
			return scene{world: w, o: demo, keys: []string{"enter"}}
		},
		"suspended": func() scene {
			w := five(dialect.Election()).wait(time.Minute)
			w.cast("amber", amberZ, model.Suspended, func(m *model.Member) { m.Obstacle = "no quorum answers" })
			return scene{world: w, o: demo, keys: []string{"enter"}}
		},
		"inspect":  func() scene { return scene{world: killed(), o: demo, keys: []string{"enter"}} },
		"help":     func() scene { return scene{world: quiet(), o: demo, keys: []string{"?"}} },
		"homeless": func() scene { return scene{world: homelessLeader(), o: demo, keys: []string{"G"}} },
		"hostile":  func() scene { return scene{world: hostile(), o: live} },
		"crowd":    func() scene { return scene{world: crowd(500), o: live, keys: []string{"pgdown", "pgdown"}} },
		"history":  func() scene { return scene{world: eventful(), o: demo} },
		"ended": func() scene {
			return scene{world: quiet(), o: live, ended: true, pass: 5 * time.Second, then: func(*world) {}}
		},

		"verified":   func() scene { return scene{world: verified(), o: live} },
		"astray":     func() scene { return scene{world: astray(), o: live} },
		"astray-one": func() scene { return scene{world: astray(), o: live, keys: []string{"j", "j", "enter"}} },
		"risk":       func() scene { return scene{world: atRisk(), o: live} },
		"aftermath":  func() scene { return scene{world: aftermath(), o: live} },
		"risk-one":   func() scene { return scene{world: atRisk(), o: live, keys: []string{"enter"}} },
		"doctor":     func() scene { return scene{world: astray(), o: live, keys: []string{"!"}} },
		"healthy":    func() scene { return scene{world: verified(), o: live, keys: []string{"!"}} },
		"unasked":    func() scene { return scene{world: unasked(), o: live, keys: []string{"!"}} },
		"servers":    func() scene { return scene{world: verified(), o: live, keys: []string{"S"}} },
		"silent":     func() scene { return scene{world: unasked(), o: live, keys: []string{"S"}} },
		"wall": func() scene {
			return scene{world: atRisk(), others: several()[1:], walk: searched(false), o: live, keys: []string{"e", "j"}}
		},
		"walking":  func() scene { return scene{world: verified(), walk: searched(true), o: live, keys: []string{"e"}} },
		"unsought": func() scene { return scene{world: verified(), o: live, keys: []string{"e"}} },
		"second": func() scene {
			return scene{world: verified(), others: []*world{readers()}, o: live, keys: []string{"e", "j", "enter"}}
		},
		"leaderless": func() scene { return scene{world: leaderless(), o: live} },
		"mixed":      func() scene { return scene{world: mixed(), o: live} },
		"group":      func() scene { return scene{world: group(), o: live} },
		"single":     func() scene { return scene{world: controller(), o: live} },
		"unled":      func() scene { return scene{world: noController(), o: live} },
		"retrying": func() scene {
			return scene{world: reconnecting("/services/billing/leader", model.Disconnected), o: live}
		},
		"expired":      func() scene { return scene{world: reconnecting("/services/billing/leader", model.Expired), o: live} },
		"looking":      func() scene { return scene{world: verified(), o: observing(live)} },
		"looking-help": func() scene { return scene{world: verified(), o: observing(live), keys: []string{"?"}} },
		"replayed": func() scene {
			return scene{world: eventful(), o: Options{Mode: ModeReplay, Role: "recording", Cluster: "monday.jsonl"}, ended: true, then: func(*world) {}}
		},
	}
	maps.Copy(all, teachScenes())
	maps.Copy(all, messageScenes())
	maps.Copy(all, lessonScenes())
	maps.Copy(all, classScenes())
	maps.Copy(all, laneScenes())
	return all
}

// observing is o with no key that changes anything.
func observing(o Options) Options {
	o.ObserveOnly = true
	return o
}

func herded() *world {
	w := five(dialect.Herd()).wait(4 * time.Minute)
	for i, id := range []string{"birch", "cedar", "delta", "ember"} {
		w.cast(id, "", model.Waiting, func(m *model.Member) {
			m.Recipe, m.Watches = "herd", amberZ
			m.Step, m.StepAt = model.StepWatchAgain, w.now.Add(-time.Duration(i)*50*time.Millisecond)
			m.StepOn = model.StepOn{Name: amberZ}
		})
	}
	return w.wait(300 * time.Millisecond)
}

func presence(p model.Presence) *world {
	w := newWorld("/services/billing/election", nil, false).connect()
	w.j.Apply(&model.Read{At: w.now, Presence: p})
	return w.wait(12 * time.Second)
}

func vacant() *world {
	w := five(dialect.Election()).wait(time.Minute)
	for _, n := range slices.Sorted(maps.Keys(w.children)) {
		w.wait(4 * time.Second).leave(n)
	}
	for id := range w.members {
		w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: id}, Gone: true})
	}
	return w.wait(8 * time.Second)
}

func hostile() *world {
	w := newWorld("/elec\x1b[31mtion/\u202egnp.exe", nil, true).connect()
	w.read(nil, nil)
	w.join("\x1b]0;owned\x07-n_", "\x1b[2J\x1b[Hgotcha", 0xffffffffffffffff)
	w.join("选举候选人选举候选人选举候选人-n_", "", 2)
	w.join("n_", "家族👨‍👩‍👧‍👦 e\u0301\u0301\u0301\u0301 \u200b\u2066x", 3)
	w.join("n_", "\xff\xfe\x00\x01\x80binary", 4)
	w.join("n_"+strings.Repeat("long", 50), strings.Repeat("wide　", 100), 5)
	w.creates++
	z := w.add("config\x9b31m", "{}", 0)
	w.read([]string{z}, nil)
	w.leave(fmt.Sprintf("\x1b]0;owned\x07-n_%010d", 12))
	return w.wait(12 * time.Second)
}

func crowd(n int) *world {
	w := newWorld("/solr/overseer_elect/election", nil, false).connect()
	names := make([]string, 0, n)
	for i := range n {
		names = append(names, w.add(fmt.Sprintf("%x-node%d-n_", 0x10000a1b2c30000+i, i), "", uint64(0x10000a1b2c30000+i)))
	}
	w.read(names, nil)
	return w.wait(90 * time.Second)
}

// eventful is an election in which much has happened.
func eventful() *world {
	w := five(dialect.Election())
	order := []string{amberZ, birchZ, "guid-n_0000000014", "guid-n_0000000015"}
	for i, z := range order {
		w.wait(time.Duration(25+15*i) * time.Second)
		id := []string{"amber", "birch", "cedar", "delta"}[i]
		switch i {
		case 1:
			w.cast(id, z, model.Leading, func(m *model.Member) { m.Ending = model.Resigning })
		case 2:
			w.cast(id, z, model.Leading, func(m *model.Member) {
				m.Fault, m.FaultAt, m.ExpiresFrom = model.Killed, w.now, w.now.Add(4*time.Second)
			})
			w.wait(4020 * time.Millisecond)
		}
		w.leave(z)
		w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: id}, Gone: true})
		if i+1 < len(order) {
			w.wait(3 * time.Millisecond).acked(order[i+1])
		} else {
			w.wait(2 * time.Millisecond).acked(emberZ)
		}
	}
	w.wait(20 * time.Second).leave(emberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "ember"}, Gone: true})
	w.wait(6 * time.Second)
	z := w.join("guid-n_", "fjord", 0xa6)
	w.wait(2 * time.Millisecond).acked(z)
	w.wait(9*time.Second).join("guid-n_", "grove", 0xa7)
	return w.wait(31 * time.Second)
}

// source serves one world.
type source struct {
	world *world
	dirty chan struct{}
}

func (s *source) State() *doctor.State   { return s.world.state() }
func (s *source) Dirty() <-chan struct{} { return s.dirty }

// allow is [Actions] that refuses what it is told to.
type allow struct {
	why  map[action.Kind]string
	err  error
	done chan action.Action
	// listed has the arguments of the Listing actions.
	listed []string
}

func (a *allow) Why(x action.Action) string { return a.why[x.Kind] }
func (a *allow) Do(_ context.Context, x action.Action) error {
	if x.Kind == action.Listing {
		a.listed = append(a.listed, x.Arg)
	} else if a.done != nil {
		a.done <- x
	}
	return a.err
}

// did is the action that was done, an empty one if none was.
func (a *allow) did() (x action.Action) {
	select {
	case x = <-a.done:
	default:
	}
	return x
}

var errRefused = errors.New("refused by \x1b[31mtest")

// stagedOn is a dashboard of 120x36 on a world, with its source and its clock.
func stagedOn(w *world, acts Actions, o Options) (Model, *source, *time.Time) {
	src := &source{world: w, dirty: make(chan struct{}, 1)}
	now := w.now
	o.Actions, o.Now = acts, func() time.Time { return now }
	if o.Source == nil {
		o.Source = src
	}
	o.Theme, o.Renderer = term.Mono, plainRenderer()
	m := New(o)
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	return m, src, &now
}

// stage makes the dashboard of a scene, of that size and theme.
func stage(sc scene, w, h int, theme string) Model {
	m, _ := stageAt(sc, w, h, theme)
	return m
}

// stageAt is stage with its clock.
func stageAt(sc scene, w, h int, theme string) (Model, *time.Time) {
	o := sc.o
	src := &source{world: sc.world, dirty: make(chan struct{}, 1)}
	o.Source = src
	if sc.others != nil || sc.walk != nil {
		o.Source = &wallSource{*src, sc.others, sc.walk}
	}
	now := sc.world.now
	o.Now = func() time.Time { return now }
	o.Theme = theme
	if o.Mode == ModeDemo && o.Actions == nil {
		o.Actions = &allow{why: map[action.Kind]string{action.Campaign: "it stands already"}}
	}
	if o.Renderer == nil {
		o.Renderer = plainRenderer()
	}
	m := New(o)
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	for _, k := range sc.keys {
		if cmd := pressed(m, k); cmd != nil && sc.runs {
			m.Update(cmd())
		}
	}
	if sc.then != nil {
		sc.then(src.world)
		now = src.world.now
		m.Update(refreshMsg{states: []*doctor.State{src.world.state()}, ended: sc.ended})
		now = now.Add(sc.pass)
		look(m)
	}
	return m, &now
}

// press is a key as bubbletea reports it.
func press(k string) tea.KeyMsg {
	for t, name := range map[tea.KeyType]string{
		tea.KeyEnter: "enter", tea.KeyEsc: "esc", tea.KeyTab: "tab", tea.KeyUp: "up", tea.KeyDown: "down",
		tea.KeyLeft: "left", tea.KeyRight: "right", tea.KeyPgUp: "pgup", tea.KeyPgDown: "pgdown", tea.KeyHome: "home", tea.KeyEnd: "end",
		tea.KeyBackspace: "backspace", tea.KeyCtrlC: "ctrl+c", tea.KeyCtrlZ: "ctrl+z", tea.KeyCtrlU: "ctrl+u",
	} {
		if name == k {
			return tea.KeyMsg{Type: t}
		}
	}
	if k == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
}

// copied returns a state that may be changed.
func copied(s *doctor.State) doctor.State {
	c, election := *s, *s.State
	c.State = &election
	return c
}
