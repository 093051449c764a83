package ui

import (
	"cmp"
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
	"electop/model/history"
	"electop/model/lesson"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/elections"
	"electop/ui/overlay"
	"electop/ui/term"
	"electop/ui/travel"
)

var noon = time.Date(2026, time.March, 14, 11, 57, 51, 3e6, time.UTC)

type world struct {
	j        *doctor.Journal
	now      time.Time
	path     string
	ack      string
	creates  int
	zxid     int64
	children map[string]znode.Znode
	members  map[string]*model.Member
	apply    func(model.Observation) // if set, put calls it instead of j.Apply
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

func (w *world) disconnect(err string) *world {
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

// cast adds or changes a member. The parameter znode is only for a new member.
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

func quiet() *world { return five(dialect.Election()).wait(4 * time.Minute) }

const (
	amberZ = "guid-n_0000000012"
	birchZ = "guid-n_0000000013"
	emberZ = "guid-n_0000000016"
)

func killed() *world {
	w := five(dialect.Election()).wait(3 * time.Minute)
	expires := w.now.Add(3600 * time.Millisecond)
	w.wait(400*time.Millisecond).cast("amber", amberZ, model.Suspended, func(m *model.Member) {
		m.Fault, m.FaultAt, m.ExpiresFrom = model.Killed, w.now, expires
	})
	return w.wait(2100 * time.Millisecond)
}

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

func leaderWithoutZnode() *world {
	w := five(dialect.Election()).wait(3 * time.Minute)
	w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fault, m.FaultAt = model.Frozen, w.now })
	w.wait(5 * time.Second).leave(amberZ)
	w.cast("birch", birchZ, model.Leading, nil).wait(3 * time.Millisecond).acked(birchZ)
	return w.wait(7 * time.Second)
}

type sample struct {
	world  *world
	o      Options
	keys   []string
	others []*world // other elections on the dashboard
	search *elections.Search
	then   func(w *world) // if set, runs after the keys
	pass   time.Duration  // time from the state after the function then to the frame; ignored if then is nil
	ended  bool           // the state after the function then is the source's last one; ignored if then is nil
	runs   bool           // the command of each key runs
}

var (
	demo = Options{Mode: ModeDemo, Role: "observer", Cluster: "embedded 127.0.0.1:41873"}
	live = Options{Role: "observer", Cluster: "zk1:2181,zk2:2181"}
)

func samples() map[string]func() sample {
	all := map[string]func() sample{
		"main":   func() sample { return sample{world: quiet(), o: demo} },
		"killed": func() sample { return sample{world: killed(), o: demo} },
		"handoff": func() sample {
			return sample{world: killed(), o: demo, then: func(w *world) {
				next := handedOver()
				*w = *next
			}}
		},
		"herd": func() sample { return sample{world: herded(), o: demo} },
		"offline": func() sample {
			return sample{world: five(dialect.Election()).wait(4*time.Minute + 200*time.Millisecond).disconnect("dial tcp 127.0.0.1:41873: connection refused").wait(7 * time.Second), o: demo}
		},
		"never-connected": func() sample {
			return sample{world: newWorld("/election", nil, false).disconnect("dial tcp 10.0.0.9:2181: no route to host").wait(3 * time.Second), o: live}
		},
		"absent": func() sample { return sample{world: presence(model.Absent), o: live} },
		"denied": func() sample { return sample{world: presence(model.Denied), o: live} },
		"vacant": func() sample { return sample{world: vacant(), o: demo} },
		"paused": func() sample {
			return sample{world: quiet(), o: demo, keys: []string{"p"}, pass: 7 * time.Second, then: func(w *world) {
				w.wait(2*time.Second).join("guid-n_", "fjord", 0xa6)
				w.wait(time.Second).join("guid-n_", "grove", 0xa7)
			}}
		},
		"filter": func() sample { return sample{world: quiet(), o: demo, keys: []string{"/", "e", "r"}} },
		"inspect-lease": func() sample {
			w := five(dialect.Election()).wait(time.Minute)
			w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.LeaseEnd = w.now.Add(1800 * time.Millisecond) })
			return sample{world: w, o: demo, keys: []string{"enter"}}
		},
		"suspended": func() sample {
			w := five(dialect.Election()).wait(time.Minute)
			w.cast("amber", amberZ, model.Suspended, func(m *model.Member) { m.Obstacle = "no quorum answers" })
			return sample{world: w, o: demo, keys: []string{"enter"}}
		},
		"inspect":  func() sample { return sample{world: killed(), o: demo, keys: []string{"enter"}} },
		"help":     func() sample { return sample{world: quiet(), o: demo, keys: []string{"?"}} },
		"no-znode": func() sample { return sample{world: leaderWithoutZnode(), o: demo, keys: []string{"G"}} },
		"hostile":  func() sample { return sample{world: hostile(), o: live} },
		"crowd":    func() sample { return sample{world: crowd(500), o: live, keys: []string{"pgdown", "pgdown"}} },
		"history":  func() sample { return sample{world: eventful(), o: demo} },
		"ended": func() sample {
			return sample{world: quiet(), o: live, ended: true, pass: 5 * time.Second, then: func(*world) {}}
		},

		"verified":              func() sample { return sample{world: verified(), o: live} },
		"wrong-watch":           func() sample { return sample{world: wrongWatches(), o: live} },
		"wrong-watch-inspected": func() sample { return sample{world: wrongWatches(), o: live, keys: []string{"j", "j", "enter"}} },
		"risk":                  func() sample { return sample{world: atRisk(), o: live} },
		"after-risk":            func() sample { return sample{world: afterRisk(), o: live} },
		"risk-inspected":        func() sample { return sample{world: atRisk(), o: live, keys: []string{"enter"}} },
		"doctor":                func() sample { return sample{world: wrongWatches(), o: live, keys: []string{"!"}} },
		"healthy":               func() sample { return sample{world: verified(), o: live, keys: []string{"!"}} },
		"servers-refuse":        func() sample { return sample{world: refusingServers(), o: live, keys: []string{"!"}} },
		"servers":               func() sample { return sample{world: verified(), o: live, keys: []string{"S"}} },
		"silent-servers":        func() sample { return sample{world: refusingServers(), o: live, keys: []string{"S"}} },
		"elections": func() sample {
			return sample{world: atRisk(), others: several()[1:], search: searched(false), o: live, keys: []string{"e", "j"}}
		},
		"searching":      func() sample { return sample{world: verified(), search: searched(true), o: live, keys: []string{"e"}} },
		"never-searched": func() sample { return sample{world: verified(), o: live, keys: []string{"e"}} },
		"second-election": func() sample {
			return sample{world: verified(), others: []*world{readers()}, o: live, keys: []string{"e", "j", "enter"}}
		},
		"leaderless":    func() sample { return sample{world: leaderless(), o: live} },
		"mixed":         func() sample { return sample{world: mixed(), o: live} },
		"group":         func() sample { return sample{world: group(), o: live} },
		"no-queue":      func() sample { return sample{world: controller(), o: live} },
		"no-controller": func() sample { return sample{world: noController(), o: live} },
		"reconnecting": func() sample {
			return sample{world: reconnecting("/services/billing/leader", model.Disconnected), o: live}
		},
		"expired":        func() sample { return sample{world: reconnecting("/services/billing/leader", model.Expired), o: live} },
		"read-only":      func() sample { return sample{world: verified(), o: observing(live)} },
		"read-only-help": func() sample { return sample{world: verified(), o: observing(live), keys: []string{"?"}} },
		"replayed": func() sample {
			return sample{world: eventful(), o: Options{Mode: ModeReplay, Role: "recording", Cluster: "monday.jsonl"}, ended: true, then: func(*world) {}}
		},
	}
	maps.Copy(all, recipeSamples())
	maps.Copy(all, messageSamples())
	maps.Copy(all, lessonSamples())
	maps.Copy(all, crowdSamples())
	maps.Copy(all, laneSamples())
	return all
}

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

type source struct {
	world *world
	dirty chan struct{}
}

func (s *source) State() *doctor.State   { return s.world.state() }
func (s *source) Dirty() <-chan struct{} { return s.dirty }

type fakeActions struct {
	why    map[action.Kind]string
	err    error
	done   chan action.Action
	listed []string
}

func (a *fakeActions) Why(x action.Action) string { return a.why[x.Kind] }
func (a *fakeActions) Do(_ context.Context, x action.Action) error {
	if x.Kind == action.Listing {
		a.listed = append(a.listed, x.Arg)
	} else if a.done != nil {
		a.done <- x
	}
	return a.err
}

func (a *fakeActions) did() (x action.Action) {
	select {
	case x = <-a.done:
	default:
	}
	return x
}

var errRefused = errors.New("refused by \x1b[31mtest")

func dashboardOn(w *world, acts Actions, o Options) (Model, *source, *time.Time) {
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

func show(sm sample, w, h int, theme string) Model {
	m, _ := showWithClock(sm, w, h, theme)
	return m
}

func showWithClock(sm sample, w, h int, theme string) (Model, *time.Time) {
	o := sm.o
	src := &source{world: sm.world, dirty: make(chan struct{}, 1)}
	o.Source = src
	if sm.others != nil || sm.search != nil {
		o.Source = &multiSource{*src, sm.others, sm.search}
	}
	now := sm.world.now
	o.Now = func() time.Time { return now }
	o.Theme = theme
	if o.Mode == ModeDemo && o.Actions == nil {
		o.Actions = &fakeActions{why: map[action.Kind]string{action.Campaign: "it is a candidate already"}}
	}
	if o.Renderer == nil {
		o.Renderer = plainRenderer()
	}
	m := New(o)
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	for _, k := range sm.keys {
		if cmd := pressed(m, k); cmd != nil && sm.runs {
			m.Update(cmd())
		}
	}
	if sm.then != nil {
		sm.then(src.world)
		now = src.world.now
		m.Update(refreshMsg{states: []*doctor.State{src.world.state()}, ended: sm.ended})
		now = now.Add(sm.pass)
		drawNow(m)
	}
	return m, &now
}

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

func copied(s *doctor.State) doctor.State {
	c, election := *s, *s.State
	c.State = &election
	return c
}

func (w *world) took(id string, step model.Step, on ...string) *world {
	return w.cast(id, w.znodeOf(id), w.members[id].Belief, func(m *model.Member) { m.Step, m.StepAt, m.StepOn = step, w.now, stepOn(step, on...) })
}

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

func (w *world) reportDeletion(znode string, requests int, bytes int64, settled bool, notified ...uint64) *world {
	w.j.Apply(&model.DeletionReport{At: w.now, Deleted: w.now, Znode: znode, Zxid: w.zxid + 1, Notified: notified, Requests: requests, BytesIn: bytes / 4, BytesOut: bytes - bytes/4, Settled: settled})
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

func (w *world) handed(requests int, bytes int64) *world {
	q := w.state().Queue.Slice()
	notified := sessions(q[1:])
	if w.state().Recipe.Name() != dialect.Herd().Name() {
		notified = notified[:1]
	}
	id := string(q[0].Data.Bytes)
	w.reportDeletion(q[0].Name, requests, bytes, true, notified...).leave(q[0].Name)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: id}, Gone: true})
	next := string(q[1].Data.Bytes)
	w.wait(2*time.Millisecond).acked(q[1].Name).cast(next, q[1].Name, model.Leading, func(m *model.Member) { m.Fence = q[1].Czxid })
	return w
}

func sessions(of []*dialect.Candidate) (all []uint64) {
	for _, c := range of {
		all = append(all, c.Session)
	}
	return all
}

func volunteering() *world {
	w := five(dialect.Election()).wait(time.Minute)
	w.reportDeletion(amberZ, 2, 310, true, 0xa2).wait(time.Millisecond).leave(amberZ)
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

func notifying(recipe dialect.Recipe, ago time.Duration, notified ...uint64) *world {
	w := five(recipe).wait(time.Minute)
	w.reportDeletion(amberZ, len(notified), 200*int64(len(notified)), false, notified...).wait(time.Millisecond).leave(amberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "amber"}, Gone: true})
	return w.wait(ago)
}

func held(since time.Time, sessions ...uint64) []model.Message {
	var out []model.Message
	for _, session := range sessions {
		out = append(out, model.Message{Session: session, Since: since, Op: "notification", Path: "/election/" + amberZ, Event: "deleted"})
	}
	return out
}

func slowed500() *world {
	w := five(dialect.Election()).pace(model.Pace{Delay: 500 * time.Millisecond}).wait(time.Minute)
	w.reportDeletion(amberZ, 0, 60, false, 0xa2).pace(model.Pace{Delay: 500 * time.Millisecond, Held: held(w.now, 0xa2)})
	w.wait(time.Millisecond).leave(amberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "amber"}, Gone: true})
	return w.wait(380 * time.Millisecond)
}

// stepping holds the reply to birch's acknowledgement and the notifications to cedar, delta and ember.
func stepping() *world {
	w := five(dialect.Herd()).pace(model.Pace{Steps: true}).wait(time.Minute)
	w.reportDeletion(amberZ, 0, 240, false, 0xa2, 0xa3, 0xa4, 0xa5).pace(model.Pace{Steps: true, Held: held(w.now, 0xa2, 0xa3, 0xa4, 0xa5)})
	at := w.now
	w.wait(time.Millisecond).leave(amberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: "amber"}, Gone: true})
	w.wait(3*time.Second).took("birch", model.StepListAgain, "13", "14", "15", "16")
	w.pace(model.Pace{Steps: true, Held: append(held(at, 0xa3, 0xa4, 0xa5), model.Message{Session: 0xa2, Since: w.now, Op: "create", Path: "/election-leader"})})
	return w.wait(5 * time.Second)
}

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
	w.wait(10*time.Second).reportDeletion(q[0].Name, 4, 812, false, q[1].Session, q[2].Session, q[3].Session)
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

// twoLeaders has a frozen leader whose session expired, but whose worker still tries to write.
func twoLeaders(fenced bool) *world {
	w := five(dialect.Election()).rule(model.Rules{Workers: true, Fenced: fenced})
	w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fence = w.children[amberZ].Czxid })
	for i := range 3 {
		w.wait(10*time.Second).write("amber", int64(i+1), false)
	}
	w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fault, m.FaultAt = model.Frozen, w.now })
	w.wait(4*time.Second).reportDeletion(amberZ, 2, 310, true, 0xa2).leave(amberZ)
	w.cast("birch", birchZ, model.Leading, func(m *model.Member) { m.Fence = w.children[birchZ].Czxid }).wait(3 * time.Millisecond).acked(birchZ)
	w.wait(300*time.Millisecond).write("birch", 4, false)
	w.wait(100*time.Millisecond).write("amber", 5, true)
	w.wait(200*time.Millisecond).write("birch", 6, false)
	return w.wait(1500 * time.Millisecond)
}

func withGhost() *world {
	w := five(dialect.Election()).wait(time.Minute)
	z := w.join("n_", "cedar", 0xa3)
	w.cast("cedar", z, model.Waiting, func(m *model.Member) { m.Znode, m.NoGuid, m.Watches = z, true, emberZ })
	w.wait(5 * time.Second)
	w.j.Apply(&model.Advance{At: w.now})
	return w.wait(time.Second)
}

func chaotic(twoLead bool) *world {
	w := five(dialect.Election()).rule(model.Rules{Chaos: "seed 42, 2/s"}).wait(2 * time.Minute)
	w.wait(9*time.Second).handed(2, 318).wait(time.Minute)
	if twoLead {
		w.cast("cedar", w.znodeOf("cedar"), model.Leading, nil)
	}
	return w.wait(5 * time.Second)
}

func hostileDemo() *world {
	const evil = "\x1b[31m\u202eevil\x07家族👨‍👩‍👧‍👦\u0301"
	w := five(dialect.Herd()).rule(model.Rules{Workers: true, Chaos: evil})
	w.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Name, m.Belief, m.Fence = evil, model.Leading, 1<<62 })
	w.took("birch", model.StepList, evil).took("cedar", model.StepCreate, evil+evil).took("delta", model.StepWatch, evil)
	w.j.Apply(&model.Write{At: w.now, Member: "amber", Znode: evil, Token: 1 << 62, Resource: model.Counter, Refused: true, Reason: evil, Value: -1 << 62})
	w.j.Apply(&model.DeletionReport{At: w.now, Deleted: w.now, Znode: evil, Zxid: 1 << 60, Notified: []uint64{0xa2, 0xa3, 1<<64 - 1}, Requests: 1 << 40, BytesIn: 1 << 60})
	w.pace(model.Pace{Steps: true, Waiting: 1 << 30, Held: []model.Message{
		{Session: 0xa2, Since: w.now, Op: evil, Path: evil, Err: evil},
		{Session: 0xa3, Since: w.now, Op: "notification", Path: "/election/" + evil, Event: evil},
		{Session: 1<<64 - 1, Since: w.now, Op: "notification", Path: "/election/" + evil, Event: "deleted"},
	}})
	return w.wait(200 * time.Millisecond)
}

func recipeSamples() map[string]func() sample {
	refusing := demo
	const frozen = "birch is frozen. Thaw it first"
	refusing.Actions = &fakeActions{why: map[action.Kind]string{action.Resign: frozen, action.LoseReply: frozen}}
	return map[string]func() sample{
		"steps": func() sample { return sample{world: volunteering(), o: demo} },
		"notified": func() sample {
			return sample{world: notifying(dialect.Election(), 300*time.Millisecond, 0xa2), o: demo}
		},
		"herd-notified": func() sample {
			return sample{world: notifying(dialect.Herd(), 350*time.Millisecond, 0xa2, 0xa3, 0xa4, 0xa5), o: demo}
		},
		"slow":     func() sample { return sample{world: slowed500(), o: demo} },
		"stepping": func() sample { return sample{world: stepping(), o: demo} },
		"counted":  func() sample { return sample{world: countedHandoffs(), o: demo} },
		"faults": func() sample {
			return sample{world: faulty(), o: demo, keys: []string{"j", "X", "j", "j", "j", "j", "j"}}
		},
		"faults-refused":     func() sample { return sample{world: faulty(), o: refusing, keys: []string{"j", "X"}} },
		"palette":            func() sample { return sample{world: faulty(), o: demo, keys: []string{"j", ":"}} },
		"palette-typed":      func() sample { return sample{world: faulty(), o: refusing, keys: []string{"j", ":", "r", "e", "s"}} },
		"faulty":             func() sample { return sample{world: faulty(), o: demo} },
		"faulty-inspected":   func() sample { return sample{world: faulty(), o: demo, keys: []string{"G", "k", "enter"}} },
		"two-leaders":        func() sample { return sample{world: twoLeaders(false), o: demo} },
		"two-leaders-guard":  func() sample { return sample{world: twoLeaders(true), o: demo} },
		"two-leaders-recipe": func() sample { return sample{world: twoLeaders(false), o: demo, keys: []string{"tab"}} },
		"ghost":              func() sample { return sample{world: withGhost(), o: demo} },
		"hostile-demo":       func() sample { return sample{world: hostileDemo(), o: demo} },
		"chaos":              func() sample { return sample{world: chaotic(false), o: demo} },
		"chaos-broken":       func() sample { return sample{world: chaotic(true), o: demo} },
	}
}

type slowServer struct {
	*world
	pace model.Pace
	n    int
}

func newSlowServer(w *world, p model.Pace) *slowServer {
	w.pace(p)
	return &slowServer{world: w, pace: p}
}

func (x *slowServer) hold(session uint64, op, path string) *slowServer {
	x.n++
	m := model.Message{Session: session, N: x.n, Since: x.now, Op: op, Path: path}
	if op == model.Notification {
		m.Event = "deleted"
	}
	x.pace.Held = append(x.pace.Held[:len(x.pace.Held):len(x.pace.Held)], m)
	x.world.pace(x.pace)
	return x
}

func (x *slowServer) release(d time.Duration, err string, change func(*model.Passed)) *slowServer {
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

func (x *slowServer) reply(session uint64, op, path string, d time.Duration) *slowServer {
	return x.hold(session, op, path).release(d, "", nil)
}

func takenOver(recipe dialect.Recipe) *slowServer {
	w := five(recipe).wait(time.Minute)
	x := newSlowServer(w, model.Pace{Steps: true})
	x.reply(0xa3, "getData", "/election/"+birchZ, 300*time.Millisecond)
	x.wait(900 * time.Millisecond)
	x.cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fault, m.FaultAt = model.Killed, w.now })
	x.wait(4 * time.Second)
	notified := []uint64{0xa2}
	if recipe.Name() == dialect.Herd().Name() {
		notified = []uint64{0xa2, 0xa3, 0xa4, 0xa5}
	}
	w.reportDeletion(amberZ, len(notified), 60, false, notified...)
	for _, session := range notified {
		x.hold(session, model.Notification, "/election/"+amberZ)
	}
	x.leave(amberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: *w.members["amber"], Gone: true})
	for range notified {
		x.release(700*time.Millisecond, "", nil)
	}
	x.reply(0xa2, "getChildren", "/election", 800*time.Millisecond)
	x.took("birch", model.StepListAgain, "13", "14", "15", "16").cast("birch", birchZ, model.Elected, nil)
	x.took("birch", model.StepLowest, "13", "14", "15", "16").wait(time.Millisecond)
	w.took("birch", model.StepLead).wait(time.Millisecond)
	w.took("birch", model.StepAcknowledge, "election-leader").wait(time.Millisecond)
	x.hold(0xa2, "getData", "/election-leader").release(500*time.Millisecond, "NoNode", nil)
	x.hold(0xa2, "create", "/election-leader")
	return x
}

func messageSamples() map[string]func() sample {
	focused := []string{"tab", "tab", "tab"}
	return map[string]func() sample{
		"messages": func() sample {
			x := takenOver(dialect.Election())
			x.wait(1200 * time.Millisecond)
			return sample{world: x.world, o: demo, keys: focused}
		},
		"messages-herd": func() sample {
			x := takenOver(dialect.Herd())
			x.hold(0xa3, "getChildren", "/election").hold(0xa4, "getChildren", "/election").hold(0xa5, "getChildren", "/election").wait(time.Second)
			return sample{world: x.world, o: demo, keys: focused}
		},
		"messages-lost": func() sample {
			w := five(dialect.Election()).wait(time.Minute)
			x := newSlowServer(w, model.Pace{Delay: 500 * time.Millisecond})
			x.cast("birch", birchZ, model.Volunteering, func(m *model.Member) { m.LosesReply = true })
			x.took("birch", model.StepCreate, "guid-n_").wait(time.Millisecond)
			x.reply(0xa2, "create", "/election/guid-n_0000000017", 500*time.Millisecond)
			x.cast("birch", birchZ, model.Volunteering, func(m *model.Member) { m.LosesReply = false })
			x.wait(300*time.Millisecond).cast("amber", amberZ, model.Leading, func(m *model.Member) { m.Fault, m.FaultAt = model.Frozen, w.now })
			x.wait(200 * time.Millisecond)
			x.hold(0xa1, "getChildren", "/election").release(500*time.Millisecond, "", nil)
			x.hold(0xa2, "getChildren", "/election").release(200*time.Millisecond, "", func(p *model.Passed) { p.Dropped = true })
			x.wait(700 * time.Millisecond)
			x.hold(0xa1, "getData", "/election").wait(300 * time.Millisecond)
			x.hold(0xa2, model.Notification, "/election/"+amberZ).wait(100 * time.Millisecond)
			return sample{world: x.world, o: demo, keys: focused}
		},
		"messages-lesson": func() sample {
			x := takenOver(dialect.Election())
			o := demo
			o.Lessons = thirdLesson(questioning)
			return sample{world: x.world, o: o, runs: true}
		},
	}
}

type fakePast struct {
	moments []history.Moment
	seeks   []history.Move
	path    string
}

func (p *fakePast) record(w *world, events ...model.EventBody) {
	m := history.Moment{N: uint64(len(p.moments) + 1), At: w.now, State: w.state()}
	for _, b := range events {
		m.Events = append(m.Events, model.Event{N: m.N, At: w.now, Body: b})
	}
	p.moments = append(p.moments, m)
}

func (p *fakePast) Seek(path string, n uint64, m history.Move) (history.Moment, bool) {
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

type fakeRecording struct {
	fakePast
	at      uint64
	stopped bool
	end     time.Time
	speeds  []string
}

func (p *fakeRecording) Seek(path string, n uint64, m history.Move) (history.Moment, bool) {
	at, ok := p.fakePast.Seek(path, n, m)
	if ok {
		p.at, p.stopped = at.N, true
	}
	return at, ok
}

func (p *fakeRecording) Playing() travel.Playing {
	return travel.Playing{N: p.at, First: p.moments[0].At, Last: p.end, Speed: 4, Stopped: p.stopped, Ended: int(p.at) == len(p.moments), Whole: p.moments[len(p.moments)-1].State}
}

func (p *fakeRecording) Do(_ context.Context, a action.Action) error {
	switch a.Kind {
	case action.Pause:
		p.stopped = !p.stopped
	case action.Slow:
		p.speeds = append(p.speeds, a.Arg)
	}
	return nil
}

func (p *fakeRecording) Why(a action.Action) string {
	if a.Kind == action.Pause {
		return ""
	}
	return "this is a recording. Start electop demo to act"
}

func withPast() (*world, *fakePast) {
	p := &fakePast{}
	w := five(dialect.Election())
	p.record(w, doctor.Snapshot{State: w.state()})
	w.wait(90 * time.Second)
	z := w.join("guid-n_", "fjord", 0xa6)
	p.record(w, model.Joined{Candidate: w.candidate(z)})
	w.wait(time.Minute+412*time.Millisecond).cast("amber", amberZ, model.Suspended, func(m *model.Member) {
		m.Fault, m.FaultAt, m.ExpiresFrom = model.Killed, w.now, w.now.Add(3600*time.Millisecond)
	})
	p.record(w)
	amber := w.candidate(amberZ)
	silent, takeover := 4020*time.Millisecond, 3*time.Millisecond
	w.wait(silent).leave(amberZ)
	w.j.Apply(&model.Cast{At: w.now, Member: *w.members["amber"], Gone: true})
	p.record(w, model.Left{Candidate: amber}, model.Handoff{At: w.now, From: amber, To: w.candidate(birchZ), Cause: model.CauseExpired, Silent: &silent})
	for _, step := range []model.Step{model.StepListAgain, model.StepLowest} {
		w.wait(time.Millisecond).cast("birch", birchZ, model.Elected, func(m *model.Member) {
			m.Step, m.StepAt, m.StepOn = step, w.now, stepOn(step, "13", "14", "15", "16", "17")
		})
		p.record(w)
	}
	w.wait(time.Millisecond).cast("birch", birchZ, model.Leading, func(m *model.Member) { m.Step, m.StepAt, m.StepOn = model.StepAcknowledge, w.now, model.StepOn{} })
	w.acked(birchZ)
	p.record(w, model.Handoff{At: w.now, From: amber, To: w.candidate(birchZ), Cause: model.CauseExpired, Silent: &silent, Takeover: &takeover})
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

type fakeRunner struct {
	entries []lesson.Entry
	view    lesson.View
	on      bool
	inputs  []string
	started []string
	why     string
	err     error
	left    bool
}

func (t *fakeRunner) Lessons() []lesson.Entry   { return t.entries }
func (t *fakeRunner) View() (lesson.View, bool) { return t.view, t.on }
func (t *fakeRunner) Leave()                    { t.on, t.left = false, true }
func (t *fakeRunner) Start(_ context.Context, id string) error {
	t.started = append(t.started, id)
	return t.err
}
func (t *fakeRunner) Input(in lesson.Input, choice int) string {
	t.inputs = append(t.inputs, fmt.Sprint(in, " ", choice))
	return t.why
}

func elevenLessons() []lesson.Entry {
	var out []lesson.Entry
	for i, title := range []string{
		"Volunteer", "The chain", "The handoff", "One in the middle leaves", "Resigning and crashing", "The herd",
		"Freeze, two leaders and the guard", "The lost reply and the guid", "Acknowledgement", "Observers cost one watch", "Query the servers: who watches what",
	} {
		out = append(out, lesson.Entry{ID: fmt.Sprintf("l%02d", i+1), Title: title, About: "What lesson " + fmt.Sprint(i+1) + " is about, in a sentence that is long enough to be broken if the screen is too narrow.", Done: i < 2})
	}
	return out
}

func thirdLesson(change func(v *lesson.View)) *fakeRunner {
	v := lesson.View{
		ID: "l03", Title: "The handoff", Number: 3, Of: 11, Part: 2, Parts: 5, Chosen: -1, Right: -1, CanBack: true,
		Text: []string{
			"amber leads because its znode has the lowest number. Each of the others watches the znode right before its own, and nothing else.",
			"When amber goes, its znode is deleted. ZooKeeper notifies only the clients that watch it.",
		},
	}
	change(&v)
	return &fakeRunner{entries: elevenLessons(), view: v, on: true}
}

func questioning(v *lesson.View) {
	v.Question = "amber is about to be killed. Who leads next?"
	v.Options = []string{"ember, who came last", "birch, who watches amber", "whoever asks first"}
	v.Hints = 2
}

func acting(v *lesson.View) {
	v.Do = "Select amber and press x: its connection is cut without closing its session."
	v.Keys, v.Target, v.Waiting, v.Hints = []string{"x"}, "amber", true, 1
}

func lessonSamples() map[string]func() sample {
	past := func(keys ...string) sample {
		w, p := withPast()
		o := demo
		o.Past = p
		return sample{world: w, o: o, keys: keys, runs: true}
	}
	withRunner := func(t *fakeRunner, keys ...string) sample {
		o := demo
		o.Lessons = t
		return sample{world: quiet(), o: o, keys: keys, runs: true}
	}
	lessonIn := func(w func() *world, change func(v *lesson.View), keys ...string) func() sample {
		return func() sample {
			sm := withRunner(thirdLesson(change), keys...)
			sm.world = w()
			return sm
		}
	}
	then := func(change func(v *lesson.View), keys ...string) sample {
		t := thirdLesson(questioning)
		sm := withRunner(t, keys...)
		sm.then = func(*world) { change(&t.view) }
		return sm
	}
	invitations := []overlay.Invitation{
		{Program: "electop", Line: "electop campaign /election -s 192.168.7.20:2181 --name YOU"},
		{Program: "kazoo (Python)", Line: `python3 -c "import time; from kazoo.client import KazooClient as C; c = C('192.168.7.20:2181'); c.start(); c.Election('/election', 'YOU').run(time.sleep, 999)"`},
		{Program: "zkCli", Line: "zkCli.sh -server 192.168.7.20:2181 create -s -e /election/YOU-n_ YOU"},
	}
	joining := func(open bool) sample {
		o := demo
		o.Invitations, o.Open = invitations, open
		return sample{world: quiet(), o: o, keys: []string{"J"}, runs: true}
	}
	replay := func(keys ...string) sample {
		w, p := withPast()
		r := &fakeRecording{fakePast: *p, at: 4, end: w.now.Add(time.Hour)}
		w.now = p.moments[3].At
		return sample{world: w, o: Options{Mode: ModeReplay, Role: "recording", Cluster: "monday.jsonl", Past: r, Actions: r}, keys: keys, runs: true}
	}
	return map[string]func() sample{
		"past":         func() sample { return past("p") },
		"past-step":    func() sample { return past("p", "left", ".") },
		"past-refused": func() sample { return past("p", "left", "x") },
		"past-inspect": func() sample { return past("p", "left", "left", ".", "enter") },

		"lesson":       func() sample { return withRunner(thirdLesson(func(v *lesson.View) { v.CanNext = true })) },
		"lesson-waits": func() sample { return then(func(v *lesson.View) { acting(v); v.Chosen = 0 }, "1") },
		"lesson-stuck": func() sample {
			return withRunner(thirdLesson(func(v *lesson.View) {
				v.Stuck = "You chose birch; this step needs amber. This part cannot go on: < restarts it."
			}))
		},
		"lesson-feedback": func() sample { return then(answered) },
		"lesson-fault": lessonIn(quiet, func(v *lesson.View) {
			acting(v)
			v.Do, v.Keys, v.Fault, v.Target = "Select birch, press X, choose lose reply, and press enter.", []string{"X", "enter"}, string(action.LoseReply), "birch"
		}, "j", "X"),
		"lesson-herd":   lessonIn(countedHandoffs, answered, "tab"),
		"lesson-recipe": func() sample { return then(answered, "tab") },
		"lesson-done": func() sample {
			return withRunner(thirdLesson(func(v *lesson.View) { v.Done, v.Skipped, v.Part = true, true, 5 }))
		},
		"lesson-preparing": func() sample {
			return withRunner(thirdLesson(func(v *lesson.View) { v.Preparing, v.Text, v.CanBack = true, nil, false }))
		},
		"lesson-hostile": func() sample {
			return withRunner(thirdLesson(func(v *lesson.View) {
				v.Text = []string{"\x1b[2J\x07owned \u202egnp.exe"}
				v.Title = "\x1b]0;x\x07"
				acting(v)
				v.Keys = []string{"\x1b[31m"}
			}))
		},
		"lessons":    func() sample { return withRunner(&fakeRunner{entries: elevenLessons()}, "L") },
		"lessons-on": func() sample { return withRunner(thirdLesson(questioning), "L", "G") },

		"join":          func() sample { return joining(true) },
		"join-loopback": func() sample { return joining(false) },
		"join-nowhere":  func() sample { return sample{world: quiet(), o: demo, keys: []string{"J"}} },

		"grid": func() sample { return sample{world: mixedCrowd(300), o: demo, keys: []string{"z", "j", "j"}} },
		"grid-crowd": func() sample {
			return sample{world: crowd(500), o: Options{Role: "observer", Cluster: "zk1:2181,zk2:2181"}, keys: []string{"z", "G"}}
		},
		"guests":      func() sample { return sample{world: guests(), o: demo, keys: []string{"G"}} },
		"zoom-lesson": func() sample { return then(answered, "tab", "tab", "z") },

		"replay":      func() sample { return replay() },
		"replay-past": func() sample { return replay("p", "left") },
	}
}

func answered(v *lesson.View) {
	questioning(v)
	v.Chosen, v.Right, v.Hints, v.CanNext = 0, 1, 0, true
	v.Happened = "amber's session expired after 4 s. birch listed the children, saw that its own number is the lowest, and leads."
	v.Feedback = "It was birch: it alone watched amber's znode, and its number is the lowest now. The newest waits longest."
}

func mixedCrowd(n int) *world {
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

func (w *world) deleted(name string, notified ...uint64) {
	w.j.Apply(&model.DeletionReport{At: w.now, Deleted: w.now, Znode: name, Zxid: w.zxid + 1, Notified: notified})
	w.leave(name)
}

func (w *world) wrote(member, name string, token int64, refused bool) {
	w.zxid++
	w.j.Apply(&model.Write{At: w.now, Member: member, Znode: name, Token: token, Resource: model.Counter, Refused: refused, Zxid: w.zxid, Value: w.zxid & 0xff})
}

func manyLaneSigns() *world {
	w := five(dialect.Election()).wait(20 * time.Second)
	w.j.Apply(&model.Rules{At: w.now, Workers: true})
	cedarZ, deltaZ := "guid-n_0000000014", "guid-n_0000000015"
	w.cast("amber", amberZ, model.Resigned, func(m *model.Member) { m.Ending = model.Resigning })
	w.deleted(amberZ, 0xa2)
	w.j.Apply(&model.Cast{At: w.now, Member: *w.members["amber"], Gone: true})
	w.wait(800*time.Millisecond).cast("birch", birchZ, model.Elected, nil)
	w.wait(1500*time.Millisecond).cast("birch", birchZ, model.Leading, nil).acked(birchZ)
	token := w.children[birchZ].Czxid
	for range 6 {
		w.wait(500*time.Millisecond).wrote("birch", birchZ, token, false)
	}
	w.cast("delta", deltaZ, model.Suspended, func(m *model.Member) { m.Fault, m.FaultAt = model.Partitioned, w.now })
	w.wait(time.Second).cast("birch", birchZ, model.Leading, func(m *model.Member) {
		m.Fault, m.FaultAt, m.ExpiresFrom = model.Frozen, w.now, w.now.Add(4*time.Second)
	})
	w.wait(time.Second).cast("delta", deltaZ, model.Waiting, func(m *model.Member) { m.Fault = model.NoFault })
	for range 3 {
		w.wait(time.Second).wrote("birch", birchZ, token, false)
	}
	w.deleted(birchZ, 0xa3)
	w.wait(300*time.Millisecond).cast("cedar", cedarZ, model.Elected, nil)
	w.wait(300*time.Millisecond).cast("cedar", cedarZ, model.Leading, nil).acked(cedarZ)
	z := w.join("guid-n_", "fjord", 0xa6)
	w.cast("fjord", z, model.Waiting, nil)
	for i := range 7 {
		w.wait(700*time.Millisecond).wrote("birch", birchZ, token, i == 5)
	}
	return w.wait(400 * time.Millisecond)
}

func thirdParty() *world {
	w := newWorld("/services/billing/election", nil, false).connect()
	w.read(nil, nil)
	names := []string{}
	for i, host := range []string{"billing-7f9c", "billing-b2d1", "billing-03aa", "billing-e5e0"} {
		w.wait(3 * time.Second)
		names = append(names, w.join("_c_01234567-0123-4567-89ab-0123456789ab-latch-", host, 0x51+uint64(i)))
	}
	w.wait(20 * time.Second).leave(names[0])
	w.wait(4 * time.Second).leave(names[2])
	w.wait(6 * time.Second).disconnect("dial tcp 10.0.0.9:2181: i/o timeout")
	w.wait(5 * time.Second).connect()
	w.read(nil, nil)
	w.wait(5 * time.Second).leave(names[1])
	return w.wait(9 * time.Second)
}

func laneSamples() map[string]func() sample {
	zoom := []string{"tab", "tab", "z"}
	return map[string]func() sample{
		"lanes":             func() sample { return sample{world: manyLaneSigns(), o: demo, keys: zoom} },
		"lanes-panel":       func() sample { return sample{world: manyLaneSigns(), o: demo} },
		"lanes-third-party": func() sample { return sample{world: thirdParty(), o: live, keys: zoom} },
		"lanes-crowd":       func() sample { return sample{world: crowd(500), o: live, keys: zoom} },
		"lanes-past": func() sample {
			w, p := withPast()
			o := demo
			o.Past = p
			return sample{world: w, o: o, keys: append([]string{"p", "pgup", "+"}, zoom...), runs: true}
		},
	}
}

func bigCast(n int) *world {
	w := newWorld("/class", dialect.Election(), true).connect().pace(model.Pace{})
	w.read(nil, nil)
	return w.joinMany(n).wait(time.Minute)
}

func (w *world) joinMany(n int) *world {
	var names []string
	for i := range n {
		names = append(names, w.add("guid-n_", castName(i), uint64(0x1000+w.creates)))
	}
	w.read(names, nil)
	for i, z := range names {
		belief := model.Waiting
		if i == 0 {
			belief = model.Leading
		}
		w.cast(castName(i), z, belief, func(m *model.Member) { m.Session, m.Znode = w.children[z].Session, z })
	}
	return w
}

func castName(i int) string {
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

func (w *world) switchRecipe(recipe dialect.Recipe) *world {
	w.j.Apply(&model.Switch{At: w.now, Recipe: recipe.Name()})
	for id := range w.members {
		w.j.Apply(&model.Cast{At: w.now, Member: model.Member{ID: id}, Gone: true})
		delete(w.members, id)
	}
	var gone []string
	for _, c := range w.state().Queue.All() {
		w.zxid++
		w.j.Apply(&model.DeletionReport{At: w.now, Deleted: w.now, Znode: c.Name, Zxid: w.zxid, Settled: true})
		delete(w.children, c.Name)
		gone = append(gone, c.Name)
	}
	w.read(nil, gone)
	return w.joinMany(len(gone)).wait(time.Minute)
}

// leaderDeleted deletes the leader's znode and applies what follows within the duration upTo.
func (w *world) leaderDeleted(upTo time.Duration) *world {
	q := w.state().Queue.Slice()
	at := w.now
	notified := sessions(q[1:])
	if w.state().Recipe.Name() == dialect.Election().Name() {
		notified = notified[:1]
	}
	reportDeletion := func(requests int, settled bool) {
		w.j.Apply(&model.DeletionReport{
			At: w.now, Deleted: at, Znode: q[0].Name, Zxid: w.zxid + 1, Notified: notified,
			Requests: requests, BytesIn: int64(52 * requests), BytesOut: int64(60*len(notified) + 7000*requests), Settled: settled,
		})
	}
	reportDeletion(0, false)
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
	for i := range notified {
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
			reportDeletion(requests, settled)
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

func secondWave(n int, upTo time.Duration) *world {
	return bigCast(n).leaderDeleted(time.Minute).switchRecipe(dialect.Herd()).leaderDeleted(upTo)
}

func crowdSamples() map[string]func() sample {
	return map[string]func() sample{
		"wave": func() sample {
			return sample{world: secondWave(300, 1800*time.Millisecond), o: demo, keys: []string{"z", "j"}}
		},
	}
}
