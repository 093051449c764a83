package model_test

import (
	"bytes"
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
	"electop/model/znode"
)

// lives is a tree whose server reports each deletion, with the lifetime of each child.
type lives struct {
	*modeltest.Tree
	w     *modeltest.Watcher
	born  map[dialect.ID]znode.Znode
	died  map[dialect.ID]int64
	wakes []*model.Wake // the first word of each deletion
	of    []dialect.ID
	reads []*model.Read
	upTo  []int64 // the zxid at which each of them was over
}

func newLives() *lives {
	tr := modeltest.NewTree()
	tr.CreateParent(0)
	return &lives{Tree: tr, w: &modeltest.Watcher{Tree: tr}, born: map[dialect.ID]znode.Znode{}, died: map[dialect.ID]int64{}}
}

func (l *lives) create(name string, sequential bool, session uint64) string {
	name = l.Tree.Create(name, sequential, session, "")
	if z, ok := l.Children[name]; ok {
		l.born[dialect.ID{Name: name, Czxid: z.Czxid}] = z
	}
	return name
}

// end deletes children in one transaction.
func (l *lives) end(names ...string) {
	zxid := l.Zxid + 1
	for _, name := range names {
		z, ok := l.Children[name]
		if !ok {
			continue
		}
		l.Tree.Delete(name)
		l.Zxid, l.Pzxid = zxid, zxid
		id := dialect.ID{Name: name, Czxid: z.Czxid}
		l.died[id] = zxid
		l.wakes = append(l.wakes, &model.Wake{At: l.Now, Deleted: l.Now, Znode: name, Zxid: zxid})
		l.of = append(l.of, id)
	}
}

// expire ends a session: all that it owns goes at once.
func (l *lives) expire(session uint64) {
	var names []string
	for _, name := range l.Names() {
		if l.Children[name].Session == session {
			names = append(names, name)
		}
	}
	l.end(names...)
}

func (l *lives) look(full bool, between func()) {
	l.reads = append(l.reads, l.w.Read(full, false, between))
	l.upTo = append(l.upTo, l.Zxid)
}

// told is a Woken as it is compared.
type told struct {
	Znode     string
	Candidate dialect.ID
	Requests  int
}

// truth returns what the journal must know of each deletion after all reads.
func (l *lives) truth() (out []told) {
	read := map[dialect.ID]bool{}
	listed := map[string]int64{} // but gone before they could be read: pzxid of the list
	for _, r := range l.reads {
		for _, z := range r.New {
			if z.Unread {
				listed[z.Name] = r.Parent.Pzxid
			} else {
				read[dialect.ID{Name: z.Name, Czxid: z.Czxid}] = true
			}
		}
	}
	for i, w := range l.wakes {
		id := l.of[i]
		x := told{Znode: w.Znode, Requests: w.Requests}
		if pzxid, unread := listed[id.Name]; read[id] {
			x.Candidate = id
		} else if unread && id.Czxid <= pzxid && w.Zxid > pzxid {
			x.Candidate = dialect.ID{Name: id.Name}
		}
		out = append(out, x)
	}
	return out
}

// wakesOf returns the wakes of a state. A leader's is the one of a handoff.
func wakesOf(t rapid.TB, s *doctor.State) (out []told) {
	for _, w := range s.Wakes {
		led := slices.ContainsFunc(s.Handoffs, func(h *model.Handoff) bool {
			return w.Candidate != nil && h.From != nil && h.From.ID() == w.Candidate.ID()
		})
		if w.Leader != led {
			t.Errorf("the deletion of %s is of a leader: %v, want %v", w.Znode, w.Leader, led)
		}
		out = append(out, told{w.Znode, modeltest.ID(w.Candidate), w.Requests})
	}
	return out
}

// How long after the deletions the reads come makes no difference.
func TestWakesAndReads(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newLives()
		session := func() uint64 { return uint64(rapid.IntRange(1, 12).Draw(rt, "session")) }
		change := func() {
			pick := func() string {
				if names := l.Names(); len(names) > 0 {
					return rapid.SampledFrom(names).Draw(rt, "name")
				}
				return ""
			}
			switch rapid.IntRange(0, 11).Draw(rt, "change") {
			case 0, 1, 2, 3:
				l.create("n_", true, session())
			case 4:
				l.create("n_", true, 0) // persistent
			case 5:
				l.create(fmt.Sprint("log", len(l.born)), false, session())
			case 6, 7, 8:
				l.end(pick())
			case 9:
				if names := l.Names(); len(names) > 0 {
					l.end(names[0])
				}
			case 10:
				l.expire(session())
			case 11:
				l.end(pick(), pick())
			}
		}
		l.look(false, nil)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			l.Now = l.Now.Add(time.Millisecond)
			if rapid.IntRange(0, 3).Draw(rt, "step") > 0 {
				change()
				continue
			}
			l.look(rapid.IntRange(0, 4).Draw(rt, "full") == 0, func() {
				if rapid.IntRange(0, 3).Draw(rt, "race") == 0 {
					change()
				}
			})
		}
		l.look(false, nil)

		cfg := model.Config{Path: "/e"}
		if rapid.Bool().Draw(rt, "herd") {
			cfg.Recipe = dialect.Herd()
		}
		for _, how := range []string{"at once", "late", "mixed"} {
			j := doctor.NewJournal(cfg)
			reads, wakes := slices.Clone(l.reads), slices.Clone(l.wakes)
			upTo := l.upTo
			var later []*model.Wake // further words of those that were told
			var states []*doctor.State
			var texts [][]byte
			for len(reads)+len(wakes)+len(later) > 0 {
				may := len(reads) > 0 && (len(wakes) == 0 || wakes[0].Zxid > upTo[0])
				must := may && (how == "at once" || len(wakes) == 0 || how == "mixed" && rapid.Bool().Draw(rt, "read next"))
				switch {
				case len(later) > 0 && (len(reads)+len(wakes) == 0 || rapid.IntRange(0, 3).Draw(rt, "further") == 0):
					k := rapid.IntRange(0, len(later)-1).Draw(rt, "of which")
					j.Apply(later[k])
					later = slices.Delete(later, k, k+1)
				case must:
					j.Apply(reads[0])
					reads, upTo = reads[1:], upTo[1:]
				default:
					w := *wakes[0]
					j.Apply(&w)
					wakes = wakes[1:]
					more := w
					more.Requests, more.Settled = len(later)+1, true
					later = append(later, &more)
					for i := range l.wakes {
						if l.wakes[i].Zxid == w.Zxid && l.wakes[i].Znode == w.Znode {
							l.wakes[i] = &more // what is told in the end
						}
					}
				}
				if len(states) < 8 && rapid.IntRange(0, 9).Draw(rt, "keep the state") == 0 {
					s := j.State()
					states, texts = append(states, s), append(texts, modeltest.Text(rt, s))
				}
			}
			if diff := gocmp.Diff(l.truth(), wakesOf(rt, j.State())); diff != "" {
				rt.Fatalf("reads %s: wakes as they were (-) and in the state (+):\n%s", how, diff)
			}
			for i, s := range states {
				if !bytes.Equal(modeltest.Text(rt, s), texts[i]) {
					rt.Fatalf("a state changed after it was given out:\n%s\n%s", texts[i], modeltest.Text(rt, s))
				}
			}
			for i := range l.wakes { // as they were told at first
				w := *l.wakes[i]
				w.Requests, w.Settled = 0, false
				l.wakes[i] = &w
			}
		}
	})
}

func TestWakeOfANameAgain(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	l := &lives{Tree: s.Tree, w: s.W, born: map[dialect.ID]znode.Znode{}, died: map[dialect.ID]int64{}}
	s.Join(1)
	l.create("log", false, 2)
	first := l.Children["log"].Czxid
	s.Read()
	l.end("log")
	l.create("log", false, 3) // and nobody reads that one
	l.end("log")
	for _, w := range l.wakes {
		s.Apply(w)
	}
	want := func(czxids ...int64) {
		t.Helper()
		s.Read()
		for i, w := range s.J.State().Wakes {
			if modeltest.ID(w.Candidate).Czxid != czxids[i] || w.Leader {
				t.Errorf("wake %d is of %v, leader %v; want that of %#x", i, modeltest.ID(w.Candidate), w.Leader, czxids[i])
			}
		}
	}
	want(first, 0)
	l.create("log", false, 4)
	third := l.Children["log"].Czxid
	s.Read()
	s.Apply(l.wakes[0]) // told again
	l.end("log")
	s.Apply(l.wakes[2])
	s.Read()
	want(first, 0, third)
}

// What is remembered is bounded, and what was forgotten does not come back.
func TestWakesMax(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	l := &lives{Tree: s.Tree, w: s.W, born: map[dialect.ID]znode.Znode{}, died: map[dialect.ID]int64{}}
	const n = 2*model.HistoryMax + 77
	for i := range n {
		name := l.create("n_", true, uint64(i+1))
		s.Read()
		l.end(name)
		s.Apply(l.wakes[i])
		s.Read()
	}
	old := *l.wakes[3]
	old.Requests = 9
	s.Apply(&old)
	wakes := s.J.State().Wakes
	if len(wakes) != model.HistoryMax || cap(wakes) > 2*model.HistoryMax {
		t.Fatalf("%d wakes are remembered, with room for %d", len(wakes), cap(wakes))
	}
	for i, w := range wakes {
		if want := l.wakes[n-model.HistoryMax+i]; w.Zxid != want.Zxid || !w.Leader {
			t.Fatalf("wake %d is %+v, want that of %s", i, w, want.Znode)
		}
	}
}
