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

// fixture is an election on an ensemble that reports healthy values, unless the test changes them.
type fixture struct {
	*modeltest.Script
	found map[string]doctor.Severity // raised and not cleared, by key
	log   []string
	risks []doctor.RiskChanged
}

func newFixture(t *testing.T, cfg model.Config) *fixture {
	return &fixture{Script: modeltest.NewScript(t, cfg), found: map[string]doctor.Severity{}}
}

func (c *fixture) apply(o model.Observation) {
	c.Helper()
	for _, e := range c.J.Apply(o) {
		switch b := e.Body.(type) {
		case doctor.FindingChanged:
			if was := c.found[b.Finding.Key]; b.Was != was && b.Raised || b.Raised && was == b.Finding.Severity || !b.Raised && was == "" {
				c.Errorf("raised %v; severity before: %q, according to the event %q: %+v", b.Raised, was, b.Was, b.Finding)
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
	c.checkState()
}

func (c *fixture) checkState() {
	c.Helper()
	st := c.J.State()
	if !slices.IsSortedFunc(st.Findings, func(a, b *doctor.Finding) int {
		return cmp.Or(-cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(a.ID, b.ID))
	}) {
		c.Errorf("findings not in order: %+v", st.Findings)
	}
	if len(st.Findings) != len(c.found) {
		c.Errorf("the state has %d findings, want the findings of the events: %v", len(st.Findings), c.found)
	}
	worst := doctor.Severity("")
	for _, f := range st.Findings {
		if c.found[f.Key] != f.Severity {
			c.Errorf("%s is %s in the state, want the severity in the events: %v", f.Key, f.Severity, c.found)
		}
		if f.Title == "" || f.Harm == "" || f.Advice == "" || len(f.References) == 0 || len(f.Evidence) == 0 || f.Since.IsZero() ||
			strings.ContainsAny(f.Title+f.Harm+f.Advice, "{}") {
			c.Errorf("incomplete finding: %+v", f)
		}
		for _, text := range append(slices.Clone(f.Evidence), f.Title, f.Harm, f.Advice) {
			if znode.Safe(text, 10000) != text {
				c.Errorf("unsafe text: %q", text)
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

func (c *fixture) read() { c.Helper(); c.apply(c.W.Read(false, false, nil)) }

func (c *fixture) pass(d time.Duration) {
	c.Helper()
	end := c.Tree.Now.Add(d)
	for {
		due, ok := c.J.Deadline()
		if !ok || due.After(end) {
			break
		}
		c.Tree.Now = session.Later(c.Tree.Now, due)
		c.apply(&model.Advance{At: c.Tree.Now})
		if again, ok := c.J.Deadline(); ok && !again.After(c.Tree.Now) {
			c.Fatalf("at %v the next deadline is %v, want it later", c.Tree.Now, again)
		}
	}
	c.Tree.Now = end
	c.apply(&model.Advance{At: end})
}

func (c *fixture) healthyTable() *session.Table {
	answered := session.Answer{State: session.Answered, Via: "http", At: c.Tree.Now}
	t := &session.Table{At: c.Tree.Now.Add(-time.Millisecond), End: c.Tree.Now, Whole: true, Every: time.Second}
	st := c.J.State()
	for i := range 3 {
		mode := session.ModeFollower
		if i == 0 {
			mode = session.ModeLeader
		}
		s := session.Server{
			Addr: fmt.Sprintf("zk%d:2181", i+1), Mode: mode, Zxid: 0x100000100, Tick: 2 * time.Second,
			Basic: answered, Connections: answered, Sessions: answered, Watches: answered,
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

func disconnect(t *session.Table, sessionID uint64) {
	for i := range t.Servers {
		t.Servers[i].Clients = slices.DeleteFunc(t.Servers[i].Clients, func(x session.Client) bool { return x.Session == sessionID })
	}
}

func (c *fixture) answer(change func(*session.Table)) {
	c.Helper()
	t := c.healthyTable()
	if change != nil {
		change(t)
	}
	c.apply(t)
}

func (c *fixture) answerTwice(change func(*session.Table)) {
	c.Helper()
	for range 2 {
		c.pass(3 * time.Second)
		c.answer(change)
	}
	c.pass(2 * time.Second)
}

func (c *fixture) wantFindings(want ...string) {
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

func (c *fixture) after(d time.Duration, want ...string) {
	c.Helper()
	c.pass(d)
	c.wantFindings(want...)
}

func (c *fixture) afterAnswers(change func(*session.Table), want ...string) {
	c.Helper()
	c.answerTwice(change)
	c.wantFindings(want...)
}

func (c *fixture) leave(name string) {
	c.Helper()
	c.Tree.Delete(name)
	c.read()
}

func (c *fixture) join(prefix string, session uint64) string {
	c.Helper()
	name := c.create(prefix, session)
	c.read()
	return name
}

// frozen returns a change to tables: the client of session 1 stays connected but sends nothing.
func (c *fixture) frozen() func(*session.Table) {
	x := c.healthyTable()
	client, due := x.Servers[1].Clients[0], x.Servers[0].Deadlines[0]
	return func(x *session.Table) { x.Servers[1].Clients[0], x.Servers[0].Deadlines[0] = client, due }
}

func (c *fixture) create(prefix string, session uint64) string {
	return c.Tree.Create(prefix, true, session, fmt.Sprint("host", session))
}

func (c *fixture) joinMany(n int, prefix string, first uint64) (names []string) {
	c.Helper()
	for i := range n {
		names = append(names, c.create(prefix, first+uint64(i)))
	}
	c.read()
	return names
}

func three(t *testing.T, cfg model.Config, prefix string) (*fixture, []string) {
	c := newFixture(t, cfg)
	names := c.joinMany(3, prefix, 1)
	c.afterAnswers(nil)
	if due, ok := c.J.Deadline(); ok {
		t.Errorf("got deadline %v of a healthy election, want none", due)
	}
	return c, names
}

const (
	uuidA = "_c_01234567-89ab-cdef-0123-456789abcdef-"
	uuidB = "_c_11234567-89ab-cdef-0123-456789abcdef-"
	uuidC = "_c_21234567-89ab-cdef-0123-456789abcdef-"
)

func TestMain(m *testing.M) { modeltest.Main(m) }
