package candidates

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/rows"
)

// A list that took over what changed is the one that is made of the state alone: by each
// order, with each filter, few or many changes after the list before.
func TestAListTakesOverWhatChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
		j := doctor.NewJournal(model.Config{Path: "/e"})
		var names []string
		next := 0
		fresh := func() znode.Znode {
			next++
			z := znode.Znode{Name: fmt.Sprintf("guid-n_%010d", next), Czxid: int64(next), Ctime: at, Session: uint64(next*7919%13 + 1)}
			z.Data = znode.NewData([]byte(fmt.Sprint(rapid.SampledFrom([]string{"a", "B", "b", "node"}).Draw(t, "label"), next%5)))
			names = append(names, z.Name)
			return z
		}
		first := make([]znode.Znode, rapid.SampledFrom([]int{0, 3, 300, 700}).Draw(t, "at first"))
		for i := range first {
			first[i] = fresh()
		}
		j.Apply(&model.Connection{At: at, Link: model.Connected, Session: 1, Server: "127.0.0.1:2181"})
		j.Apply(&model.Follow{At: at, By: model.ByWatch})
		j.Apply(&model.Read{At: at, Presence: model.Present, Full: true, New: first, Parent: znode.Parent{Czxid: 1, Ctime: at, Children: int32(next), Cversion: int32(next)}})
		change := func() {
			at = at.Add(time.Millisecond)
			d := &model.Delta{At: at, Notified: at, Heard: at}
			if n := len(names); n == 0 || rapid.Bool().Draw(t, "one joins") {
				z := fresh()
				d.New = &z
			} else {
				i := rapid.IntRange(0, n-1).Draw(t, "which leaves")
				d.Gone, names = names[i], slices.Delete(names, i, i+1)
			}
			j.Apply(d)
		}
		var l list
		l.Reselect(j.State())
		for range rapid.IntRange(1, 8).Draw(t, "states") {
			l.Filter = rapid.SampledFrom([]string{l.Filter, l.Filter, "", "b", "N_", "0x", "9"}).Draw(t, "filter")
			l.Reselect(j.State())
			for range rapid.SampledFrom([]int{0, 1, 2, 300}).Draw(t, "changes") {
				change()
			}
			s := j.State()
			was := l.Row()
			l.Reselect(s)
			whole := rows.New(s, l.Filter)
			if got, want := shown(t, &l.Rows), shown(t, &whole); !slices.Equal(got, want) {
				t.Fatalf("with %q:\n%v\nwant\n%v", l.Filter, got, want)
			}
			if c, _ := s.Candidate(was.Ref().Znode); c != nil && slices.Contains(shown(t, &whole), c.ID()) && l.Row().Candidate != c {
				t.Fatalf("selected is %v, was %v, which is still shown", l.Row().Ref(), was.Ref())
			}
		}
	})
}

// shown are the contenders of the rows. Each is where its row says.
func shown(t *rapid.T, r *rows.List) (all []dialect.ID) {
	for i := range r.Len() {
		row := r.At(i)
		if row.Position < 0 || r.State.Queue.At(row.Position) != row.Candidate {
			t.Fatalf("row %d says that %v is at position %d", i, row.Ref(), row.Position)
		}
		all = append(all, row.Candidate.ID())
	}
	return all
}
