package doctor_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/session"
	"electop/model/znode"
)

// clinic is an election with an ensemble around it that says what a healthy one
// does, unless the test says otherwise.
type clinic struct {
	*modeltest.Script
	found map[string]doctor.Severity // raised and not cleared, by events
	log   []string
	risks []doctor.RiskChanged
}

func newClinic(t *testing.T, cfg model.Config) *clinic {
	return &clinic{Script: modeltest.NewScript(t, cfg), found: map[string]doctor.Severity{}}
}

func (c *clinic) put(o model.Observation) {
	c.Helper()
	for _, e := range c.J.Apply(o) {
		switch b := e.Body.(type) {
		case doctor.FindingChanged:
			if was := c.found[b.Finding.Key]; b.Was != was && b.Raised || b.Raised && was == b.Finding.Severity || !b.Raised && was == "" {
				c.Errorf("raised %v again: %+v", b.Raised, b.Finding)
			}
			delete(c.found, b.Finding.Key)
			if b.Raised {
				c.found[b.Finding.Key] = b.Finding.Severity
			}
			c.log = append(c.log, fmt.Sprintf("%v %s %v", e.At.Sub(modeltest.Start), b.Finding.Key, b.Raised))
		case doctor.RiskChanged:
			c.risks = append(c.risks, b)
			c.log = append(c.log, fmt.Sprintf("%v risk %s %v", e.At.Sub(modeltest.Start), b.Risk.Candidate.Name, b.Raised))
		}
	}
	c.sound()
}

// sound checks what holds for every state.
func (c *clinic) sound() {
	c.Helper()
	st := c.J.State()
	if !slices.IsSortedFunc(st.Findings, func(a, b *doctor.Finding) int {
		return cmp.Or(-cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(a.ID, b.ID))
	}) {
		c.Errorf("not in order: %+v", st.Findings)
	}
	if len(st.Findings) != len(c.found) {
		c.Errorf("%d findings in the state, by events %v", len(st.Findings), c.found)
	}
	worst := doctor.Severity("")
	for _, f := range st.Findings {
		if c.found[f.Key] != f.Severity {
			c.Errorf("%s is %s in the state, by events %v", f.Key, f.Severity, c.found)
		}
		if f.Title == "" || f.Harm == "" || f.Advice == "" || len(f.References) == 0 || len(f.Evidence) == 0 || f.Since.IsZero() || strings.ContainsAny(f.Title+f.Harm+f.Advice, "{}") {
			c.Errorf("not complete: %+v", f)
		}
		for _, text := range append(slices.Clone(f.Evidence), f.Title, f.Harm, f.Advice) {
			if znode.Safe(text, 10000) != text {
				c.Errorf("not safe: %q", text)
			}
		}
		if rank(f.Severity) > rank(worst) {
			worst = f.Severity
		}
	}
	if doctor.Worst(st.Findings) != worst {
		c.Errorf("Worst is %s, want %s", doctor.Worst(st.Findings), worst)
	}
}

func rank(s doctor.Severity) int {
	return slices.Index([]doctor.Severity{"", doctor.Info, doctor.Warning, doctor.Critical}, s)
}

// look reads the election.
func (c *clinic) look() { c.Helper(); c.put(c.W.Read(false, false, nil)) }

// pass lets time pass, calling the journal whenever it wants that.
func (c *clinic) pass(d time.Duration) {
	c.Helper()
	end := c.Tree.Now.Add(d)
	for {
		due, ok := c.J.Deadline()
		if !ok || due.After(end) {
			break
		}
		c.Tree.Now = later(c.Tree.Now, due)
		c.put(&model.Advance{At: c.Tree.Now})
		if again, ok := c.J.Deadline(); ok && !again.After(c.Tree.Now) {
			c.Fatalf("at %v it wants to be called at %v", c.Tree.Now, again)
		}
	}
	c.Tree.Now = end
	c.put(&model.Advance{At: end})
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// healthy is what three members say of a healthy election, the sessions spread
// over them: everybody is connected and was just heard from, and watches whom
// the recipe says.
func (c *clinic) healthy() *session.Table {
	told := session.Answer{State: session.Answered, Via: "http", At: c.Tree.Now}
	t := &session.Table{At: c.Tree.Now.Add(-time.Millisecond), End: c.Tree.Now, Whole: true, Every: time.Second}
	st := c.J.State()
	for i := range 3 {
		mode := session.ModeFollower
		if i == 0 {
			mode = session.ModeLeader
		}
		s := session.Server{
			Addr: fmt.Sprintf("zk%d:2181", i+1), Mode: mode, Zxid: 0x100000100, Tick: 2 * time.Second,
			Basic: told, Connections: told, Sessions: told, Watches: told,
		}
		for k, x := range st.Queue.All() {
			s.Ephemerals = append(s.Ephemerals, session.Ephemeral{Session: x.Session, Path: znode.Join(st.Path, x.Name)})
			if i == 0 {
				s.Deadlines = append(s.Deadlines, session.Deadline{Session: x.Session, At: c.Tree.Now.Sub(modeltest.Start) + time.Hour + 12*time.Second})
			}
			if int(x.Session)%3 != i {
				continue
			}
			s.Clients = append(s.Clients, session.Client{
				Session: x.Session, Addr: fmt.Sprintf("10.0.0.%d:4000", x.Session), Timeout: 10 * time.Second,
				LastResponse: c.Tree.Now.Sub(modeltest.Start) + time.Hour,
			})
			if p, ok := st.Recipe.Watches(st.Queue, k); ok {
				s.Watched = append(s.Watched, session.Watch{Path: znode.Join(st.Path, st.Queue.At(p).Name), Sessions: []uint64{x.Session}})
			}
		}
		t.Servers = append(t.Servers, s)
	}
	return t
}

// watches makes the session watch these children and no others.
func watches(t *session.Table, path string, sessionID uint64, names ...string) {
	for i := range t.Servers {
		s := &t.Servers[i]
		s.Watched = slices.DeleteFunc(s.Watched, func(w session.Watch) bool { return slices.Equal(w.Sessions, []uint64{sessionID}) })
		if int(sessionID)%3 == i {
			for _, name := range names {
				s.Watched = append(s.Watched, session.Watch{Path: path + "/" + name, Sessions: []uint64{sessionID}})
			}
		}
	}
}

// without takes a session's connection out.
func without(t *session.Table, sessionID uint64) {
	for i := range t.Servers {
		t.Servers[i].Clients = slices.DeleteFunc(t.Servers[i].Clients, func(x session.Client) bool { return x.Session == sessionID })
	}
}

// answer has the servers asked once.
func (c *clinic) answer(change func(*session.Table)) {
	c.Helper()
	t := c.healthy()
	if change != nil {
		change(t)
	}
	c.put(t)
}

// asked has the servers asked twice, and waits for what comes of it.
func (c *clinic) asked(change func(*session.Table)) {
	c.Helper()
	for range 2 {
		c.pass(3 * time.Second)
		c.answer(change)
	}
	c.pass(2 * time.Second)
}

// has checks the findings above info: "id severity" each, in order.
func (c *clinic) has(want ...string) {
	c.Helper()
	var got []string
	for _, f := range c.J.State().Findings {
		got = append(got, f.ID+" "+string(f.Severity))
	}
	if !slices.Equal(got, want) {
		c.Errorf("%v: findings %q, want %q\n%s", c.Tree.Now.Sub(modeltest.Start), got, want, strings.Join(c.log, "\n"))
		for _, f := range c.J.State().Findings {
			c.Logf("%+v", *f)
		}
	}
}

// after lets time pass and checks the findings.
func (c *clinic) after(d time.Duration, want ...string) {
	c.Helper()
	c.pass(d)
	c.has(want...)
}

// told has the servers asked twice and checks the findings.
func (c *clinic) told(change func(*session.Table), want ...string) {
	c.Helper()
	c.asked(change)
	c.has(want...)
}

// leaves deletes a znode and reads the election; joins creates one.
func (c *clinic) leaves(name string) {
	c.Helper()
	c.Tree.Delete(name)
	c.look()
}

func (c *clinic) joins(prefix string, session uint64) string {
	c.Helper()
	name := c.child(prefix, session)
	c.look()
	return name
}

// freezes returns what makes the servers report that the first client has sent nothing
// since now, and keeps its connection.
func (c *clinic) freezes() func(*session.Table) {
	x := c.healthy()
	client, due := x.Servers[1].Clients[0], x.Servers[0].Deadlines[0]
	return func(x *session.Table) { x.Servers[1].Clients[0], x.Servers[0].Deadlines[0] = client, due }
}

func (c *clinic) child(prefix string, session uint64) string {
	return c.Tree.Create(prefix, true, session, fmt.Sprint("host", session))
}

// crowd lets so many candidates join, the first with that session.
func (c *clinic) crowd(n int, prefix string, first uint64) (names []string) {
	c.Helper()
	for i := range n {
		names = append(names, c.child(prefix, first+uint64(i)))
	}
	c.look()
	return names
}

// three is a healthy election of three.
func three(t *testing.T, cfg model.Config, prefix string) (*clinic, []string) {
	c := newClinic(t, cfg)
	names := c.crowd(3, prefix, 1)
	c.told(nil)
	if due, ok := c.J.Deadline(); ok {
		t.Errorf("nothing happens, and it wants to be called at %v", due)
	}
	return c, names
}

const (
	uuidA = "_c_01234567-89ab-cdef-0123-456789abcdef-"
	uuidB = "_c_11234567-89ab-cdef-0123-456789abcdef-"
	uuidC = "_c_21234567-89ab-cdef-0123-456789abcdef-"
)

func TestMissingWatch(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	none := func(x *session.Table) { watches(x, "/e", 2) }
	c.pass(3 * time.Second)
	c.answer(none)
	c.after(time.Minute)                   // once is not enough
	c.told(none, "missing-watch critical") // the next in line
	st := c.J.State()
	if e := st.Edge(1); e.State != doctor.MissingWatch || e.Why != "" {
		t.Errorf("edge %+v", e)
	}
	if e := st.Edge(2); e.State != doctor.Verified || e.Server != "zk1:2181" || !slices.Equal(e.Watched, []string{names[1]}) {
		t.Errorf("edge %+v", e)
	}
	if e := st.Edge(0); e.State != doctor.Unverified || e.Why != "" {
		t.Errorf("the leader's edge %+v", e)
	}
	c.told(nil)

	// One further behind has time yet.
	c.told(func(x *session.Table) { watches(x, "/e", 3) }, "missing-watch warning")
	// Whom it watches goes: it will look again.
	c.leaves(names[1])
	c.after(time.Second)
}

func TestMissingWatchNeedsAllMembers(t *testing.T) {
	for name, change := range map[string]func(*session.Table){
		"zk4 has no address": func(x *session.Table) { x.Whole, x.Unwhole = false, "zk4 has no address" },
		"(4lw.commands.whitelist would allow it)": func(x *session.Table) {
			x.Servers[1].Watches = session.Answer{State: session.Refused, Why: "not in the whitelist", Hint: "4lw.commands.whitelist"}
		},
		"more watches than electop keeps":  func(x *session.Table) { x.Servers[0].Leftover = true },
		"its client has no connection":     func(x *session.Table) { without(x, 2) },
		"zk3:2181 was not asked":           func(x *session.Table) { x.Servers[2].Watches = session.Answer{} },
		"did not list its watches: broken": func(x *session.Table) { x.Servers[0].Watches = session.Answer{State: session.Failed, Why: "broken"} },
	} {
		c, _ := three(t, model.Config{}, "n_")
		c.asked(func(x *session.Table) {
			watches(x, "/e", 2)
			change(x)
		})
		e := c.J.State().Edge(1)
		if e.State != doctor.Unverified || !strings.Contains(e.Why, name) {
			t.Errorf("%s: %+v", name, e)
		}
		for _, f := range c.J.State().Findings {
			if f.ID == "missing-watch" {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

func TestEdgeUnknown(t *testing.T) {
	c := newClinic(t, model.Config{})
	c.child("n_", 1)
	c.joins("n_", 2)
	why := func(want string) {
		t.Helper()
		if e := c.J.State().Edge(1); e.State != doctor.Unverified || !strings.Contains(e.Why, want) {
			t.Errorf("%+v, want %q", e, want)
		}
	}
	why("the servers were not asked")
	x := c.healthy()
	for i := range x.Servers {
		x.Servers[i].Watches = session.Answer{}
	}
	c.put(x)
	why("not asked for their watches")
	if e := c.J.State().Edge(7); e.State != doctor.Unverified {
		t.Errorf("nobody's edge: %+v", e)
	}
	c.pass(time.Second)
	c.answer(nil)
	if e := c.J.State().Edge(1); e.State != doctor.Verified || !e.At.Equal(c.Tree.Now.Add(-time.Millisecond)) {
		t.Errorf("%+v", e)
	}
	c.pass(time.Second)
	x = c.healthy()
	watches(x, "/e", 2)
	c.put(x)
	c.joins("n_", 3)
	if e := c.J.State().Edge(2); !strings.Contains(e.Why, "joined after") {
		t.Errorf("%+v", e)
	}
	why("about to be set")
	c.pass(2 * time.Second)
	why("seen before")
	c.leaves("n_0000000001")
	if e := c.J.State().Edge(1); !strings.Contains(e.Why, "joined after") {
		t.Errorf("%+v", e)
	}
	c.put(&model.Connection{At: c.Tree.Now, Link: model.Disconnected})
	c.pass(time.Second)
	why("not connected")
}

func TestClient(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	st := c.J.State()
	x1, listed := st.Client(st.Queue.At(1))
	if x1.Conn == nil || !listed || x1.Conn.Addr != "10.0.0.2:4000" || x1.Server != "zk3:2181" || x1.At.IsZero() {
		t.Errorf("%+v, listed %v", x1, listed)
	}
	// A cheap round does not make them forgotten.
	x := c.healthy()
	for i := range x.Servers {
		x.Servers[i].Connections, x.Servers[i].Clients = session.Answer{}, nil
		x.Servers[i].Sessions, x.Servers[i].Deadlines = session.Answer{}, nil
	}
	c.put(x)
	if again, _ := c.J.State().Client(st.Queue.At(1)); again.Conn != x1.Conn {
		t.Errorf("%+v", again)
	}
	if x, _ := st.Client(nil); x.Conn != nil {
		t.Error("nobody is connected")
	}
}

// BenchmarkDiagnosis is a thousand changes a second in an election whose servers
// report their tables every five seconds.
func BenchmarkDiagnosis(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := modeltest.NewCrowd(n)
			i := 0
			for b.Loop() {
				i++
				c.J.Apply(c.Change(i))
				if i%5000 == 1 {
					c.J.Apply(crowdTable(c))
				}
				if due, ok := c.J.Deadline(); ok && !due.After(c.At) {
					c.J.Apply(&model.Advance{At: c.At})
				}
			}
		})
	}
}

// crowdTable is what three servers report of a healthy crowd.
func crowdTable(c *modeltest.Crowd) *session.Table {
	answered := session.Answer{State: session.Answered, At: c.At}
	t := &session.Table{At: c.At, End: c.At, Whole: true, Servers: make([]session.Server, 3)}
	st := c.J.State()
	for i := range t.Servers {
		t.Servers[i] = session.Server{Addr: fmt.Sprint("zk", i), Basic: answered, Connections: answered, Sessions: answered, Watches: answered}
	}
	for k, x := range st.Queue.All() {
		s := &t.Servers[x.Session%3]
		s.Clients = append(s.Clients, session.Client{Session: x.Session, Timeout: 10 * time.Second, LastResponse: c.At.Sub(modeltest.Start)})
		s.Ephemerals = append(s.Ephemerals, session.Ephemeral{Session: x.Session, Path: "/e/" + x.Name})
		if k > 0 {
			s.Watched = append(s.Watched, session.Watch{Path: "/e/" + st.Queue.At(k-1).Name, Sessions: []uint64{x.Session}})
		}
		t.Servers[0].Deadlines = append(t.Servers[0].Deadlines, session.Deadline{Session: x.Session, At: c.At.Sub(modeltest.Start) + time.Hour})
	}
	return t
}

func TestMain(m *testing.M) { modeltest.Main(m) }
