package model_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

func eventText(e model.Event) string {
	name := func(c *dialect.Candidate) string {
		if c == nil {
			return "nobody"
		}
		return c.Name
	}
	switch b := e.Body.(type) {
	case model.Joined:
		return "joined " + b.Candidate.Name
	case model.Left:
		return "left " + b.Candidate.Name
	case model.Handoff:
		return "handoff " + name(b.From) + " " + name(b.To) + " " + string(b.Cause)
	case model.Missed:
		return "missed"
	}
	return ""
}

func queued(s *model.State) (names []string) {
	for _, c := range s.Queue.All() {
		names = append(names, c.Name)
	}
	return names
}

func TestDeltasAndReadsGiveTheSameEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := modeltest.NewTree()
		tree.CreateParent(0)
		reading, following := model.NewJournal(model.Config{Path: "/e"}), model.NewJournal(model.Config{Path: "/e"})
		w := &modeltest.Watcher{Tree: tree}
		var byReads, byDeltas []string
		// Deltas and reads order the Left events of one change differently.
		note := func(to *[]string, events []model.Event) {
			var left, other []string
			for _, e := range events {
				switch s := eventText(e); {
				case strings.HasPrefix(s, "left"):
					left = append(left, s)
				case s != "":
					other = append(other, s)
				}
			}
			slices.Sort(left)
			*to = append(*to, append(left, other...)...)
		}
		first := w.Read(true, false, nil)
		note(&byReads, reading.Apply(first))
		note(&byDeltas, following.Apply(first))
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			tree.Now = tree.Now.Add(time.Duration(rapid.IntRange(0, 1000).Draw(t, "ms")) * time.Millisecond)
			var deltas []*model.Delta
			remove := func(name string) {
				tree.Delete(name)
				deltas = append(deltas, &model.Delta{At: tree.Now, Notified: tree.Now, Gone: name})
			}
			switch names := tree.Names(); rapid.IntRange(0, 4).Draw(t, "change") {
			case 0, 1:
				if len(names) > 0 {
					remove(rapid.SampledFrom(names).Draw(t, "name"))
				}
			case 2:
				session := uint64(rapid.IntRange(1, 3).Draw(t, "ends"))
				for _, name := range rapid.Permutation(names).Draw(t, "order") {
					if tree.Children[name].Session == session {
						remove(name)
					}
				}
			default:
				name := rapid.SampledFrom([]string{"n_", "guid-n_", "config", "other"}).Draw(t, "prefix")
				made := tree.Create(name, name != "config" && name != "other", uint64(rapid.IntRange(0, 3).Draw(t, "session")), "d")
				if made != "" {
					z := tree.Children[made]
					deltas = append(deltas, &model.Delta{At: tree.Now, Notified: tree.Now, New: &z})
				}
			}
			note(&byReads, reading.Apply(w.Read(false, false, nil)))
			var events []model.Event
			for _, d := range deltas {
				events = append(events, following.Apply(d)...)
			}
			if following.State().Unsettled || rapid.Bool().Draw(t, "compare") {
				stat := tree.Stat()
				events = append(events, following.Apply(&model.Delta{At: tree.Now, Parent: &stat})...)
			}
			note(&byDeltas, events)
		}
		if diff := cmp.Diff(byReads, byDeltas); diff != "" {
			t.Fatalf("events by reads (-) and by deltas (+):\n%s", diff)
		}
		if diff := cmp.Diff(queued(reading.State()), queued(following.State())); diff != "" {
			t.Fatalf("queue by reads (-) and by deltas (+):\n%s", diff)
		}
		r := w.Read(false, false, nil)
		r.New, r.Gone = nil, nil
		for _, e := range following.Apply(r) {
			t.Fatalf("a later read shows %T %+v, want no event", e.Body, e.Body)
		}
	})
}

func TestDeltaOfAnUnreadChild(t *testing.T) {
	tree := modeltest.NewTree()
	tree.CreateParent(0)
	j := model.NewJournal(model.Config{Path: "/e"})
	w := &modeltest.Watcher{Tree: tree}
	j.Apply(w.Read(true, false, nil))
	name := tree.Create("n_", true, 1, "")
	tree.Delete(name)
	events := j.Apply(&model.Delta{At: tree.Now, Notified: tree.Now, New: &znode.Znode{Name: name, Unread: true}})
	events = append(events, j.Apply(w.Read(false, false, nil))...)
	joined, left := 0, 0
	for _, e := range events {
		switch b := e.Body.(type) {
		case model.Joined:
			joined++
		case model.Left:
			left++
		case model.Missed:
			t.Errorf("event Missed %+v, want none", b)
		}
	}
	if joined != 1 || left != 1 {
		t.Errorf("%d Joined and %d Left events, want 1 of each", joined, left)
	}
}

func TestDeletionsAreSeparateChangesWhileTheSessionOwnsAChild(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{})
	leader, next, other := s.Join(1), s.Join(1), s.Add("configuration", 1, "")
	s.Read()
	for _, name := range []string{leader, other} {
		s.Tree.Delete(name)
		s.Want(s.Apply(&model.Delta{At: s.Tree.Now, Notified: s.Tree.Now, Gone: name}))
	}
	joined := s.Tree.Children[s.Join(2)]
	var got []string
	for _, e := range s.J.Apply(&model.Delta{At: s.Tree.Now, Notified: s.Tree.Now, New: &joined}) {
		got = append(got, eventText(e))
	}
	want := []string{"left " + leader, "handoff " + leader + " " + next + " deleted", "left " + other, "joined " + joined.Name}
	if !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}
