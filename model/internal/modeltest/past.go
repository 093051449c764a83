package modeltest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

type past struct {
	*rapid.T
	tree    *Tree
	w       *Watcher
	cfg     model.Config
	stems   []string // for the names of created children
	single  bool     // the path is the leader's own znode
	members map[int]*model.Member
	all     []model.Observation
}

var stems = []string{
	"n_", "n_", "n_", "guid-n_", "_c_01234567-0123-4567-89ab-0123456789ab-latch-", "read-", "write-", "x-17-", "json.info_", "zk", "other",
}

// singles has paths of leaders' own znodes: of an unknown system, Kafka, Patroni and Hadoop.
var singles = []string{"/e", "/controller", "/app/leader", "/hadoop-ha/c/ActiveStandbyElectorLock"}

// DrawPast draws a configuration and the observations of an election.
func DrawPast(t *rapid.T) (model.Config, []model.Observation) {
	p := &past{T: t, tree: NewTree(), cfg: model.Config{Path: "/e"}, members: map[int]*model.Member{}}
	p.w, p.cfg.Found = &Watcher{Tree: p.tree}, p.flip("found")
	switch p.pick("recipe", 4) {
	case 0:
		p.cfg.Recipe = dialect.Election()
	case 1:
		p.cfg.Recipe = dialect.Herd()
	}
	if p.flip("ack path") {
		p.cfg.AckPath, p.cfg.AckExpected, p.cfg.AckFollows = "/leader", p.flip("ack expected"), p.flip("ack follows")
	}
	if p.single = p.pick("single", 6) == 0; p.single {
		p.cfg.Path = rapid.SampledFrom(singles).Draw(t, "path")
	}
	if p.flip("connected at first") {
		p.link(model.Connected)
	}
	p.tree.CreateParent(rapid.SampledFrom([]uint32{0, 5}).Draw(t, "creates before"))
	p.stems = stems[:rapid.IntRange(1, len(stems)).Draw(t, "kinds of names")]
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		p.tree.Now = p.tree.Now.Add(time.Duration(rapid.IntRange(0, 900).Draw(t, "ms")) * time.Millisecond)
		p.single = p.single && p.pick("a parent from now on", 31) < 30 // 30 is rare, because rapid prefers small numbers
		p.step()
	}
	return p.cfg, p.all
}

func (p *past) put(o model.Observation) { p.all = append(p.all, o) }

func (p *past) flip(what string) bool { return rapid.Bool().Draw(p.T, what) }

func (p *past) pick(what string, of int) int { return rapid.IntRange(0, of-1).Draw(p.T, what) }

func (p *past) child() string {
	if names := p.tree.Names(); len(names) > 0 {
		return rapid.SampledFrom(names).Draw(p.T, "child")
	}
	return ""
}

func (p *past) step() {
	switch p.pick("step", 25) {
	case 0, 1, 2, 3, 4, 5:
		p.create()
	case 6, 7, 8:
		p.remove()
	case 9, 10, 11, 12, 13:
		if p.single {
			p.readSingle()
		} else {
			p.read()
		}
	case 14:
		if names := slices.Sorted(maps.Keys(p.w.Known)); len(names) > 0 {
			if r := p.w.Refresh(rapid.SampledFrom(names).Draw(p.T, "refresh")); r != nil {
				p.put(r)
			}
		}
	case 15:
		p.disturb()
	case 16:
		p.ack()
	case 17, 18, 19, 20:
		p.cast()
	case 21:
		p.put(&model.Advance{At: p.tree.Now})
	case 22:
		p.demo()
	case 23:
		p.table()
	case 24:
		p.directory()
	}
}

func (p *past) create() {
	name := rapid.SampledFrom(p.stems).Draw(p.T, "name")
	session := uint64(p.pick("session", 9))
	data := fmt.Sprint("host", session)
	if p.single {
		data = fmt.Sprintf(`{"version":1,"brokerid":%d}`, session)
	}
	p.tree.Create(name, name != "other", session, data)
}

func (p *past) remove() {
	name := p.child()
	p.tree.Delete(name)
	if name == "" || !p.flip("reported") {
		return
	}
	report := &model.DeletionReport{At: p.tree.Now, Deleted: p.tree.Now, Znode: name, Zxid: p.tree.Zxid, Notified: []uint64{3}}
	p.put(report)
	if p.flip("again") {
		more := *report
		more.Requests, more.Settled = 2, true
		p.put(&more)
	}
}

func (p *past) read() {
	r := p.w.Read(p.pick("full", 8) == 0, p.pick("gap", 12) == 0, func() {
		if p.pick("race", 6) == 0 {
			p.tree.Delete(p.child())
		}
	})
	if p.pick("by a watch", 4) > 0 || r.Full || r.Gap || r.Presence != model.Present {
		p.put(r)
		return
	}
	p.put(&model.Follow{At: r.At, By: model.ByWatch})
	for _, name := range r.Gone {
		p.put(&model.Delta{At: r.At, Notified: r.At, Gone: name})
	}
	for i := range r.New {
		p.put(&model.Delta{At: r.At, Notified: r.At, New: &r.New[i]})
	}
	if p.flip("compared") {
		p.put(&model.Delta{At: r.At, Parent: &r.Parent})
	}
}

func (p *past) readSingle() {
	r := &model.Read{At: p.tree.Now, Single: true, Presence: model.Absent, Gap: p.pick("gap", 12) == 0}
	if name := p.child(); name != "" {
		z := p.tree.Children[name]
		z.Name = rapid.SampledFrom([]string{p.cfg.Path, znode.Base(p.cfg.Path)}).Draw(p.T, "named")
		if p.pick("unread", 6) == 0 {
			z = znode.Znode{Name: z.Name, Unread: true}
		}
		r.Presence, r.New = model.Present, []znode.Znode{z}
		if !z.Unread && p.pick("refresh", 4) == 0 {
			p.put(&model.Refresh{At: r.At, Znode: z})
		}
	} else {
		r.Single = p.flip("known to be single")
	}
	p.put(r)
}

func (p *past) disturb() {
	switch p.pick("disturbance", 6) {
	case 0:
		p.put(&model.Read{At: p.tree.Now, Presence: model.Denied})
	case 1:
		p.tree.DeleteParent()
		p.tree.CreateParent(0)
	case 2:
		p.tree.DeleteParent()
	case 3:
		p.tree.CreateParent(0)
	default:
		p.link(rapid.SampledFrom([]model.Link{model.Connected, model.Connected, model.Disconnected, model.Expired, model.Connecting}).Draw(p.T, "link"))
	}
}

func (p *past) demo() {
	now := p.tree.Now
	switch p.pick("of the demo", 5) {
	case 0:
		p.put(&model.Switch{At: now, Recipe: rapid.SampledFrom([]string{"herd", "election", "no such"}).Draw(p.T, "switch")})
	case 1:
		p.put(&model.Rules{At: now, Workers: p.flip("workers"), Fenced: p.flip("fenced")})
	case 2:
		o := &model.Pace{At: now, Delay: time.Second, Waiting: p.pick("waiting", 3), Unlisted: p.pick("unlisted", 2)}
		for i := range p.pick("passed", 4) {
			m := model.Message{Session: uint64(7 + p.pick("to", 6)), N: i + 1, Since: now}
			m.Op = rapid.SampledFrom([]string{"create", "getChildren", model.Notification}).Draw(p.T, "op")
			o.Passed = append(o.Passed, model.Passed{Message: m, Left: now, Dropped: p.flip("dropped")})
		}
		p.put(o)
	default:
		p.put(&model.Write{
			At: now, Member: fmt.Sprint("m", p.pick("writer", 4)), Znode: p.child(), Token: p.tree.Zxid - int64(p.pick("age", 9)),
			Resource: rapid.SampledFrom([]model.Resource{model.Counter, model.Tokens}).Draw(p.T, "resource"),
			Refused:  p.flip("refused"), Zxid: p.tree.Zxid, Value: p.tree.Zxid,
		})
	}
}

func (p *past) link(l model.Link) {
	p.put(&model.Connection{At: p.tree.Now, Link: l, Session: uint64(7 + p.pick("session", 2)), Server: "127.0.0.1:2181", RTT: time.Millisecond})
}

func (p *past) ack() {
	a := &model.Ack{At: p.tree.Now, Presence: model.Absent}
	if name := p.child(); name != "" {
		z := p.tree.Children[name]
		a.Presence, a.Session, a.Data = model.Present, z.Session, z.Data
		if p.flip("in electop's format") {
			a.Data = znode.NewData(model.AckData(znode.Join(p.cfg.Path, name), z.Czxid))
		}
	}
	p.put(a)
}

func (p *past) directory() {
	d := &model.Directory{At: p.tree.Now, Presence: model.Present, Path: znode.Dir(p.cfg.Path)}
	if p.flip("other directory") {
		d.Path = "/brokers/ids"
	}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"1", "brokers", "controller_epoch", "members"}), 0, 4, rapid.ID).Draw(p.T, "names") {
		d.Names = append(d.Names, name)
		d.Children = append(d.Children, znode.Znode{Name: name, Session: uint64(p.pick("session", 3)), Czxid: 5})
	}
	slices.Sort(d.Names)
	p.put(d)
}

func (p *past) cast() {
	n := p.pick("member", 6)
	m := p.members[n]
	if m == nil {
		m = &model.Member{ID: fmt.Sprint("m", n), Name: fmt.Sprint("host", n), Recipe: "election", Belief: model.Volunteering, Timeout: 4 * time.Second}
		p.members[n] = m
	}
	switch p.pick("change", 8) {
	case 0:
		p.put(&model.Cast{At: p.tree.Now, Member: *m, Gone: true})
		delete(p.members, n)
		return
	case 1:
		m.Fault, m.FaultAt = rapid.SampledFrom([]model.Fault{model.NoFault, model.Killed, model.Frozen, model.Partitioned}).Draw(p.T, "fault"), p.tree.Now
	case 2:
		m.Belief = rapid.SampledFrom([]model.Belief{model.Leading, model.Waiting, model.Elected, model.Lost}).Draw(p.T, "belief")
	case 3, 4:
		if name := p.child(); name != "" {
			m.Znode, m.Session = name, p.tree.Children[name].Session
		}
	case 5:
		m.ExpiresFrom = p.tree.Now.Add(time.Second)
	case 6:
		m.Session += 100
	default:
		m.Step, m.StepAt, m.StepOn = model.Step(p.pick("member step", 9)), p.tree.Now, model.StepOn{Children: []string{"1"}}
	}
	p.put(&model.Cast{At: p.tree.Now, Member: *m})
}

func (p *past) table() {
	now := p.tree.Now
	answered := func(what string) session.Answer {
		if p.pick(what, 4) == 0 {
			return session.Answer{}
		}
		return session.Answer{State: session.Answered, Via: "http", At: now}
	}
	t := &session.Table{At: now, End: now, Whole: p.pick("whole", 4) > 0, Every: 2 * time.Second}
	for i := range 3 {
		s := session.Server{
			Addr:  fmt.Sprintf("s%d:2181", i),
			Basic: answered("basic"), Connections: answered("connections"), Sessions: answered("sessions"), Watches: answered("watches"),
		}
		has := func(a session.Answer) bool { return a.State == session.Answered }
		if has(s.Basic) {
			s.Mode, s.Zxid = session.ModeFollower, p.tree.Zxid
			if i == 0 {
				s.Mode = session.ModeLeader
			}
		}
		before := ""
		for k, name := range p.tree.Names() {
			z := p.tree.Children[name]
			if int(z.Session)%3 == i && p.pick("connected", 8) > 0 {
				if has(s.Connections) {
					s.Clients = append(s.Clients, session.Client{Session: z.Session, Addr: "10.0.0.1:1", Timeout: 4 * time.Second, Received: int64(k)})
				}
				if has(s.Watches) && before != "" && p.pick("watches", 5) > 0 {
					s.Watched = append(s.Watched, session.Watch{Path: znode.Join(p.cfg.Path, before), Sessions: []uint64{z.Session}})
				}
			}
			if i == 0 && has(s.Sessions) {
				s.Deadlines = append(s.Deadlines, session.Deadline{Session: z.Session, At: time.Hour + now.Sub(Start)})
			}
			before = name
		}
		t.Servers = append(t.Servers, s)
	}
	p.put(t)
}
