package model_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

func TestStaleWrites(t *testing.T) {
	const deleted = 20
	for _, c := range []struct {
		name        string
		write       model.Write
		afterReport bool
		stale       bool
	}{
		{"in time", model.Write{Resource: model.Counter, Zxid: 19}, false, false},
		{"in time, reported late", model.Write{Resource: model.Counter, Zxid: 19}, true, false},
		{"the next transaction", model.Write{Resource: model.Counter, Zxid: 21}, true, true},
		{"fenced and in time, reported late", model.Write{Resource: model.Counter, Zxid: 19, Fenced: true}, true, false},
		{"refused by the fence", model.Write{Resource: model.Counter, Fenced: true, Refused: true}, true, true},
		{"refused for another reason", model.Write{Resource: model.Counter, Refused: true}, false, false},
		{"a token in time", model.Write{Resource: model.Tokens}, false, false},
		{"a token too late", model.Write{Resource: model.Tokens}, true, true},
		{"a token refused", model.Write{Resource: model.Tokens, Refused: true}, true, true},
		{"of another znode", model.Write{Resource: model.Counter, Zxid: 21, Znode: "n_0000000001", Token: 12}, true, false},
		{"of a later znode with the deleted name", model.Write{Resource: model.Counter, Zxid: 23, Token: 22}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := doctor.NewJournal(model.Config{Path: "/e"})
			report := &model.DeletionReport{Znode: "n_0000000000", Zxid: deleted}
			w := c.write
			w.Member, w.Value = "a", 7
			if w.Znode == "" {
				w.Znode = report.Znode
			}
			if w.Token == 0 {
				w.Token = 10
			}
			if c.afterReport {
				j.Apply(report)
			}
			j.Apply(&w)
			if !c.afterReport {
				j.Apply(report)
			}
			got := j.State().Work
			tries, other := got.Counter, got.Tokens
			if w.Resource == model.Tokens {
				tries, other = other, tries
			}
			want := model.Tries{Accepted: 1}
			if w.Refused {
				want = model.Tries{Refused: 1}
			} else if c.stale {
				want.Stale = 1
			}
			if tries != want || other != (model.Tries{}) {
				t.Errorf("got tries %+v, and %+v of the other resource; want %+v and none", tries, other, want)
			}
			if len(got.Last) != 1 || got.Last[0].Stale != c.stale || got.Last[0].Write != &w {
				t.Errorf("last %+v, want stale %v", got.Last, c.stale)
			}
			if counted := !w.Refused && w.Resource == model.Counter; counted != (got.Value == 7) || counted != (got.Writer == "a") {
				t.Errorf("the counter is %d, written by %q; want changed: %v", got.Value, got.Writer, counted)
			}
			if accepted := !w.Refused && w.Resource == model.Tokens; accepted != (got.Highest == w.Token) {
				t.Errorf("the highest token is %d; want %d accepted: %v", got.Highest, w.Token, accepted)
			}
		})
	}
}

func TestWorkOfBothResources(t *testing.T) {
	j := doctor.NewJournal(model.Config{Path: "/e"})
	put := func(o *model.Write) { j.Apply(o) }
	put(&model.Write{Member: "a", Resource: model.Counter, Token: 1, Zxid: 5, Value: 1})
	put(&model.Write{Member: "b", Resource: model.Counter, Token: 3, Zxid: 9, Value: 3})
	put(&model.Write{Member: "a", Resource: model.Counter, Token: 1, Zxid: 8, Value: 2}) // late reply
	put(&model.Write{Member: "c", Resource: model.Counter, Token: 4, Refused: true, Value: 4})
	put(&model.Write{Member: "b", Resource: model.Tokens, Token: 3, Value: 3})
	put(&model.Write{Member: "a", Resource: model.Tokens, Token: 1, Refused: true, Value: 2})
	w := j.State().Work
	if w.Value != 3 || w.Writer != "b" || w.Highest != 3 {
		t.Errorf("the counter is %d by %s, the highest token %d; want 3 by b, 3", w.Value, w.Writer, w.Highest)
	}
	if w.Counter != (model.Tries{Accepted: 3, Refused: 1}) || w.Tokens != (model.Tries{Accepted: 1, Refused: 1}) {
		t.Errorf("tries %+v and %+v, want 3 accepted and 1 refused, 1 and 1", w.Counter, w.Tokens)
	}
	for i := range 3 * model.HistoryMax {
		put(&model.Write{Member: "b", Resource: model.Counter, Token: 3, Zxid: int64(10 + i), Value: int64(i)})
	}
	last := j.State().Work.Last
	const most = model.HistoryMax
	if len(last) != most || cap(last) > 2*most || last[0].Value != 2*most || last[most-1].Value != 3*most-1 {
		t.Errorf("the state has %d writes with capacity %d, want the last %d and a capacity of at most twice that", len(last), cap(last), most)
	}
}

func TestStaleAfterManyDeletions(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	before := s.Join(99)
	lost := s.Tree.Children[before]
	s.Tree.Delete(before)
	s.Read()
	a, b := s.Join(1), s.Join(2)
	frozen, leads := s.Tree.Children[a], s.Tree.Children[b]
	s.Read()
	s.Tree.Delete(a)
	s.Apply(&model.DeletionReport{Znode: a, Zxid: s.Tree.Zxid})
	for range 10000 { // more deletions than the journal keeps
		name := s.Join(3)
		s.Tree.Delete(name)
		s.Apply(&model.DeletionReport{Znode: name, Zxid: s.Tree.Zxid})
	}
	s.Read()
	s.Tree.Zxid++
	for _, c := range []struct {
		what  string
		z     znode.Znode
		zxid  int64
		stale bool
	}{
		{"a leader deleted long ago", frozen, s.Tree.Zxid, true},
		{"a leader deleted before the first read", lost, s.Tree.Zxid, true},
		{"a leader deleted before the first read, in time", lost, lost.Czxid + 1, false},
		{"the oldest znode that exists", leads, s.Tree.Zxid, false},
	} {
		stale := s.J.State().Work.Counter.Stale
		s.Apply(&model.Write{Znode: c.z.Name, Token: c.z.Czxid, Resource: model.Counter, Zxid: c.zxid})
		if got := s.J.State().Work.Counter.Stale > stale; got != c.stale {
			t.Errorf("%s: stale %v, want %v", c.what, got, c.stale)
		}
	}
}

type randomDemo struct {
	*rapid.T
	*recordedTree
	members []*model.Member
	leaders []znode.Znode
	writes  []model.Write // not reported yet
	stale   int
	all     []model.Observation
}

func (s *randomDemo) put(o model.Observation) { s.all = append(s.all, o) }

func (s *randomDemo) cast(m *model.Member, gone bool) {
	s.put(&model.Cast{At: s.Now, Member: *m, Gone: gone})
}

func (s *randomDemo) step() {
	s.Now = s.Now.Add(time.Duration(rapid.IntRange(-20, 400).Draw(s.T, "ms")) * time.Millisecond)
	m := s.members[rapid.IntRange(0, len(s.members)-1).Draw(s.T, "member")]
	reports := len(s.reports)
	switch rapid.IntRange(0, 13).Draw(s.T, "act") {
	case 0, 1:
		if rapid.IntRange(0, 4).Draw(s.T, "third party") == 0 {
			s.create("n_", true, uint64(rapid.IntRange(50, 60).Draw(s.T, "its session")))
			break
		}
		m.Session = uint64(rapid.IntRange(1, 20).Draw(s.T, "session"))
		m.Znode = s.create("n_", true, m.Session)
		m.Belief, m.Fault = model.Waiting, model.NoFault
		s.cast(m, false)
	case 2:
		s.put(s.w.Read(rapid.IntRange(0, 9).Draw(s.T, "full") == 0, false, nil))
	case 3:
		m.Belief = rapid.SampledFrom([]model.Belief{model.Leading, model.Leading, model.Elected, model.Suspended, model.Lost}).Draw(s.T, "belief")
		m.Step, m.StepAt, m.StepOn = model.Step(rapid.IntRange(0, 8).Draw(s.T, "step")), s.Now, model.StepOn{Name: m.Znode}
		s.cast(m, false)
		if z, ok := s.Children[m.Znode]; ok && m.Belief == model.Leading {
			s.leaders = append(s.leaders, z)
		}
	case 4:
		m.Fault, m.FaultAt = rapid.SampledFrom([]model.Fault{model.NoFault, model.Frozen, model.Frozen, model.Killed, model.Partitioned}).Draw(s.T, "fault"), s.Now
		s.cast(m, false)
	case 5:
		s.cast(m, true)
	case 6:
		s.remove(m.Znode)
	case 7:
		if m.Session != 0 {
			s.expire(m.Session)
		}
	case 8, 9:
		if len(s.leaders) == 0 {
			break
		}
		z := rapid.SampledFrom(s.leaders).Draw(s.T, "leader")
		s.Zxid++
		s.writes = append(s.writes, model.Write{At: s.Now, Member: m.ID, Znode: z.Name, Token: z.Czxid, Resource: model.Counter, Zxid: s.Zxid, Value: s.Zxid})
		if rapid.Bool().Draw(s.T, "reported later") {
			break
		}
		fallthrough
	case 10:
		for _, w := range s.writes {
			if deleted := s.deleted[dialect.ID{Name: w.Znode, Czxid: w.Token}]; deleted != 0 && deleted < w.Zxid {
				s.stale++
			}
			s.put(&w)
		}
		s.writes = nil
	case 11:
		s.put(&model.Rules{At: s.Now, Workers: true, Fenced: rapid.Bool().Draw(s.T, "fenced")})
		held := []model.Message{{Session: 3, Since: s.Now, Op: model.Notification, Path: "/e/n", Event: "deleted"}}
		s.put(&model.Pace{At: s.Now, Delay: 100 * time.Millisecond, Held: held, Waiting: 1})
		s.put(&model.Switch{At: s.Now, Recipe: rapid.SampledFrom([]string{"herd", "election"}).Draw(s.T, "recipe")})
	case 12:
		link := rapid.SampledFrom([]model.Link{model.Connected, model.Connected, model.Disconnected}).Draw(s.T, "link")
		s.put(&model.Connection{At: s.Now, Link: link, Session: 7})
	case 13:
		switch rapid.IntRange(0, 2).Draw(s.T, "other") {
		case 0:
			s.put(&model.Advance{At: s.Now})
		case 1:
			s.put(&model.Read{At: s.Now, Presence: model.Denied})
		case 2:
			s.put(s.w.Read(true, true, nil))
		}
	}
	for _, w := range s.reports[reports:] { // a read must not show the deletion before its report
		s.put(w)
		if rapid.Bool().Draw(s.T, "more") {
			more := *w
			more.At, more.Notified, more.Requests, more.BytesIn, more.BytesOut, more.Settled = s.Now, []uint64{1, 2}, 3, 40, 500, true
			s.put(&more)
		}
	}
}

func newRandomDemo(t *rapid.T) *randomDemo {
	tree := modeltest.NewTree()
	tree.CreateParent(0)
	s := &randomDemo{T: t, recordedTree: newRecordedTree(tree, &modeltest.Watcher{Tree: tree})}
	for i := range 5 {
		s.members = append(s.members, &model.Member{ID: fmt.Sprint("m", i), Name: fmt.Sprint("name", i)})
	}
	s.put(&model.Connection{At: s.Now, Link: model.Connected, Session: 7})
	s.put(s.w.Read(false, false, nil))
	return s
}

func TestRandomDemo(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newRandomDemo(rt)
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			s.step()
		}
		j := doctor.NewJournal(model.Config{Path: "/e"})
		naive := &naiveProperties{}
		var kept kept
		for i, o := range s.all {
			j.Apply(o)
			st := j.State()
			naive.apply(o, st)
			if diff := modeltest.Diff(naive.Properties, st.Properties); diff != "" {
				rt.Fatalf("after observation %d, %T %+v: naive properties (-) and the state's properties (+):\n%s", i, o, o, diff)
			}
			if len(kept.states) < 10 && rapid.IntRange(0, 9).Draw(rt, "keep the state") == 0 {
				kept.add(rt, st)
			}
		}
		if got := j.State().Work.Counter.Stale; got != s.stale {
			rt.Fatalf("%d stale writes are counted, want %d", got, s.stale)
		}
		kept.unchanged(rt)
	})
}

func TestHeapIsBounded(t *testing.T) {
	c := modeltest.NewCrowd(200)
	sessions := make([]uint64, 50)
	run := func(from, n int) int64 {
		for i := from; i < from+n; i++ {
			r := c.Change(i)
			name := strings.Clone(r.Gone[0])
			w := &model.DeletionReport{At: c.At, Znode: name, Zxid: int64(c.Next), Notified: slices.Clone(sessions)}
			both := []model.Observation{w, r}
			if i%3 == 0 {
				both = []model.Observation{r, w}
			}
			for _, o := range both {
				c.J.Apply(o)
			}
			m := model.Member{ID: fmt.Sprint(i % 9), Belief: model.Leading, Session: uint64(i)}
			m.Step, m.StepAt, m.StepOn = model.StepList, c.At, model.StepOn{Name: fmt.Sprint(i)}
			c.J.Apply(&model.Cast{At: c.At, Member: m, Gone: i%2 == 0})
			c.J.Apply(&model.Write{At: c.At, Member: "1", Znode: name, Token: int64(i), Resource: model.Counter, Zxid: int64(c.Next)})
			c.J.State()
		}
		return modeltest.Heap()
	}
	before := run(0, 9000) // these fill the bounded logs
	after := run(9000, 10000)
	if after > before+1<<19 {
		t.Errorf("in 10,000 changes the heap grew from %d to %d bytes, want at most %d more", before, after, 1<<19)
	}
	runtime.KeepAlive(c)
}
