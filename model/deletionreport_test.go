package model_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
)

type recordedTree struct {
	*modeltest.Tree
	w       *modeltest.Watcher
	deleted map[dialect.ID]int64    // the zxid of the deletion
	reports []*model.DeletionReport // first reports
	ids     []dialect.ID            // of the znodes in reports
	reads   []*model.Read
	upTo    []int64 // the zxid at the end of each read
}

func newRecordedTree(tree *modeltest.Tree, w *modeltest.Watcher) *recordedTree {
	return &recordedTree{Tree: tree, w: w, deleted: map[dialect.ID]int64{}}
}

func (l *recordedTree) create(name string, sequential bool, session uint64) string {
	return l.Tree.Create(name, sequential, session, "")
}

func (l *recordedTree) remove(names ...string) {
	zxid := l.Zxid + 1
	for _, name := range names {
		z, ok := l.Children[name]
		if !ok {
			continue
		}
		l.Tree.Delete(name)
		l.Zxid, l.Pzxid = zxid, zxid
		id := dialect.ID{Name: name, Czxid: z.Czxid}
		l.deleted[id] = zxid
		l.reports = append(l.reports, &model.DeletionReport{At: l.Now, Deleted: l.Now, Znode: name, Zxid: zxid})
		l.ids = append(l.ids, id)
	}
}

func (l *recordedTree) expire(session uint64) {
	var names []string
	for _, name := range l.Names() {
		if l.Children[name].Session == session {
			names = append(names, name)
		}
	}
	l.remove(names...)
}

func (l *recordedTree) read(full bool, between func()) {
	l.reads = append(l.reads, l.w.Read(full, false, between))
	l.upTo = append(l.upTo, l.Zxid)
}

func (l *recordedTree) change(t *rapid.T) {
	session := func() uint64 { return uint64(rapid.IntRange(1, 12).Draw(t, "session")) }
	pick := func() string {
		if names := l.Names(); len(names) > 0 {
			return rapid.SampledFrom(names).Draw(t, "name")
		}
		return ""
	}
	switch rapid.IntRange(0, 11).Draw(t, "change") {
	case 0, 1, 2, 3:
		l.create("n_", true, session())
	case 4:
		l.create("n_", true, 0)
	case 5:
		l.create(fmt.Sprint("log", l.Zxid), false, session())
	case 6, 7, 8:
		l.remove(pick())
	case 9:
		if names := l.Names(); len(names) > 0 {
			l.remove(names[0])
		}
	case 10:
		l.expire(session())
	case 11:
		l.remove(pick(), pick())
	}
}

type deletion struct {
	Znode     string
	Candidate dialect.ID
	Requests  int
}

func (l *recordedTree) want(requests []int) (out []deletion) {
	read := map[dialect.ID]bool{}
	listed := map[string]int64{} // the list's pzxid for each unread child
	for _, r := range l.reads {
		for _, z := range r.New {
			if z.Unread {
				listed[z.Name] = r.Parent.Pzxid
			} else {
				read[dialect.ID{Name: z.Name, Czxid: z.Czxid}] = true
			}
		}
	}
	for i, w := range l.reports {
		id := l.ids[i]
		x := deletion{Znode: w.Znode, Requests: requests[i]}
		if pzxid, unread := listed[id.Name]; read[id] {
			x.Candidate = id
		} else if unread && id.Czxid <= pzxid && w.Zxid > pzxid {
			x.Candidate = dialect.ID{Name: id.Name}
		}
		out = append(out, x)
	}
	return out
}

func deletionsOf(t rapid.TB, s *doctor.State) (out []deletion) {
	for _, w := range s.Deletions {
		led := slices.ContainsFunc(s.Handoffs, func(h *model.Handoff) bool {
			return w.Candidate != nil && h.From != nil && h.From.ID() == w.Candidate.ID()
		})
		if w.Leader != led {
			t.Errorf("the deletion of %s: got Leader %v, want %v", w.Znode, w.Leader, led)
		}
		out = append(out, deletion{w.Znode, modeltest.ID(w.Candidate), w.Requests})
	}
	return out
}

func TestDeletionReportsWithEarlyAndLateReads(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tree := modeltest.NewTree()
		tree.CreateParent(0)
		l := newRecordedTree(tree, &modeltest.Watcher{Tree: tree})
		l.read(false, nil)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			l.Now = l.Now.Add(time.Millisecond)
			if rapid.IntRange(0, 3).Draw(rt, "step") > 0 {
				l.change(rt)
				continue
			}
			l.read(rapid.IntRange(0, 4).Draw(rt, "full") == 0, func() {
				if rapid.IntRange(0, 3).Draw(rt, "race") == 0 {
					l.change(rt)
				}
			})
		}
		l.read(false, nil)
		cfg := model.Config{Path: "/e"}
		if rapid.Bool().Draw(rt, "herd") {
			cfg.Recipe = dialect.Herd()
		}
		for _, when := range []string{"as early as possible", "after all first reports", "mixed"} {
			l.replay(rt, cfg, when)
		}
	})
}

// replay applies each read after the first reports of all deletions before the read's end.
func (l *recordedTree) replay(t *rapid.T, cfg model.Config, when string) {
	j := doctor.NewJournal(cfg)
	reads, upTo := l.reads, l.upTo
	var later []*model.DeletionReport // second reports
	var requests []int
	var kept kept
	for len(reads) > 0 || len(requests) < len(l.reports) || len(later) > 0 {
		allReported := len(requests) == len(l.reports)
		mayRead := len(reads) > 0 && (allReported || l.reports[len(requests)].Zxid > upTo[0])
		switch {
		case len(later) > 0 && (len(reads) == 0 && allReported || rapid.IntRange(0, 3).Draw(t, "report again") == 0):
			k := rapid.IntRange(0, len(later)-1).Draw(t, "which")
			j.Apply(later[k])
			later = slices.Delete(later, k, k+1)
		case mayRead && (when == "as early as possible" || allReported || when == "mixed" && rapid.Bool().Draw(t, "read next")):
			j.Apply(reads[0])
			reads, upTo = reads[1:], upTo[1:]
		default:
			w := *l.reports[len(requests)]
			j.Apply(&w)
			more := w
			more.Requests, more.Settled = len(later)+1, true
			later, requests = append(later, &more), append(requests, more.Requests)
		}
		if len(kept.states) < 8 && rapid.IntRange(0, 9).Draw(t, "keep the state") == 0 {
			kept.add(t, j.State())
		}
	}
	if diff := gocmp.Diff(l.want(requests), deletionsOf(t, j.State())); diff != "" {
		t.Fatalf("reads %s: the tree's deletions (-) and the state's deletions (+):\n%s", when, diff)
	}
	kept.unchanged(t)
}

func TestDeletionReportsOfOneName(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	l := newRecordedTree(s.Tree, s.W)
	s.Join(1)
	l.create("log", false, 2)
	first := l.Children["log"].Czxid
	s.Read()
	l.remove("log")
	l.create("log", false, 3) // never read
	l.remove("log")
	for _, w := range l.reports {
		s.Apply(w)
	}
	want := func(czxids ...int64) {
		t.Helper()
		s.Read()
		got := deletionsOf(t, s.J.State())
		if !slices.EqualFunc(got, czxids, func(x deletion, czxid int64) bool { return x.Candidate.Czxid == czxid }) {
			t.Errorf("deletions %+v, want candidates with the czxids %d", got, czxids)
		}
	}
	want(first, 0)
	l.create("log", false, 4)
	third := l.Children["log"].Czxid
	s.Read()
	s.Apply(l.reports[0])
	l.remove("log")
	s.Apply(l.reports[2])
	s.Read()
	want(first, 0, third)
}

func TestDeletionReportsMax(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	l := newRecordedTree(s.Tree, s.W)
	const n = 2*model.HistoryMax + 77
	for i := range n {
		name := l.create("n_", true, uint64(i+1))
		s.Read()
		l.remove(name)
		s.Apply(l.reports[i])
		s.Read()
	}
	old := *l.reports[3]
	old.Requests = 9
	s.Apply(&old)
	reports := s.J.State().Deletions
	if len(reports) != model.HistoryMax || cap(reports) > 2*model.HistoryMax {
		t.Fatalf("the state has %d reports with capacity %d, want %d and a capacity of at most twice that", len(reports), cap(reports), model.HistoryMax)
	}
	for i, w := range reports {
		if want := l.reports[n-model.HistoryMax+i]; w.Zxid != want.Zxid || !w.Leader {
			t.Fatalf("report %d is %+v, want the deletion of the leader %s", i, w, want.Znode)
		}
	}
}
