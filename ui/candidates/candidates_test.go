package candidates_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/candidates"
	"electop/ui/input"
	"electop/ui/term"
)

var noon = time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC)

type election struct {
	j        *doctor.Journal
	children map[string]znode.Znode
	owned    map[string]string
	created  int
}

func newElection() *election {
	e := &election{j: doctor.NewJournal(model.Config{Path: "/e"}), children: map[string]znode.Znode{}, owned: map[string]string{}}
	e.j.Apply(&model.Connection{At: noon, Link: model.Connected, Session: 0xa0})
	e.read(nil, nil)
	return e
}

func (e *election) read(created []znode.Znode, gone []string) {
	n := int32(len(e.children))
	e.j.Apply(&model.Read{At: noon, Presence: model.Present, New: created, Gone: gone, Parent: znode.Parent{Czxid: 7, Children: n, Cversion: int32(2*e.created) - n}})
}

func (e *election) join(n int) {
	var all []znode.Znode
	for range n {
		e.created++
		z := znode.Znode{Name: fmt.Sprintf("n_%010d", e.created), Session: uint64(e.created), Czxid: int64(100 + e.created), Ctime: noon, Data: znode.NewData(fmt.Appendf(nil, "name-%d", e.created))}
		e.children[z.Name] = z
		all = append(all, z)
	}
	e.read(all, nil)
}

func (e *election) leave(name string) {
	delete(e.children, name)
	e.read(nil, []string{name})
}

func (e *election) names() []string { return slices.Sorted(maps.Keys(e.children)) }

func (e *election) cast(id, name string) {
	if had := e.owned[id]; had != name && e.children[had].Name != "" {
		e.leave(had)
	}
	e.owned[id] = name
	e.j.Apply(&model.Cast{At: noon, Member: model.Member{ID: id, Name: id, Belief: model.Waiting, Znode: name, Session: e.children[name].Session}})
}

func TestSelectionFollowsTheCandidate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := newElection()
		e.join(rapid.IntRange(0, 30).Draw(t, "candidates"))
		var p candidates.Panel
		p.Reselect(e.j.State())
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			before := p.Selected
			switch rapid.SampledFrom([]string{"move", "column", "filter", "size", "join", "leave", "leave", "cast"}).Draw(t, "step") {
			case "move":
				b := rapid.SampledFrom(input.Bindings(true)).Draw(t, "key")
				p.Move(b.Do)
				before = p.Selected
			case "column":
				p.Column(rapid.SampledFrom([]input.Command{input.CmdLeft, input.CmdRight}).Draw(t, "to"))
				before = p.Selected
			case "filter":
				p.Filter = rapid.SampledFrom([]string{"", "1", "name-2", "nobody", "m"}).Draw(t, "filter")
			case "size":
				r := term.Rect{W: rapid.IntRange(1, 150).Draw(t, "w"), H: rapid.IntRange(3, 40).Draw(t, "h")}
				p.Settle(candidates.Shown{State: e.j.State(), Focused: true, Zoomed: rapid.Bool().Draw(t, "zoomed")}, r)
			case "join":
				e.join(rapid.IntRange(1, 3).Draw(t, "n"))
			case "leave":
				if have := e.names(); len(have) > 0 {
					e.leave(rapid.SampledFrom(have).Draw(t, "name"))
				}
			case "cast":
				id, other := "m1", "m2"
				if rapid.Bool().Draw(t, "second") {
					id, other = other, id
				}
				free := slices.DeleteFunc(e.names(), func(name string) bool { return name == e.owned[other] })
				e.cast(id, rapid.SampledFrom(append(free, "")).Draw(t, "znode"))
			}
			p.Reselect(e.j.State())
			for i := range p.Rows.Len() {
				if r := p.Rows.At(i); r.Position >= 0 && (p.Rows.State.Queue.At(r.Position) != r.Candidate || p.Rows.State.Member(r.Candidate) != r.Member) {
					t.Fatalf("row %d has %v at position %d, want this position's candidate and its member", i, r.Ref(), r.Position)
				}
			}
			if i := p.Rows.Find(before, 0); i >= 0 && before != (model.Ref{}) && !before.Same(p.Selected) && p.Rows.At(i).Ref() != p.Selected {
				t.Fatalf("the selection moved from %+v, still in row %d, to %+v", before, i, p.Selected)
			}
			if n := p.Rows.Len(); n > 0 && p.Row().Ref() != p.Selected {
				t.Fatalf("got %+v in row %d of %d, want the selected %+v", p.Row().Ref(), p.Index, n, p.Selected)
			}
			if n := p.Rows.Len(); p.Index < 0 || p.Index >= max(1, n) {
				t.Fatalf("got row %d selected, want one of %d rows", p.Index, n)
			}
		}
	})
}

func TestSelectionOfAMemberWithTwoZnodes(t *testing.T) {
	e := newElection()
	e.join(2)
	e.cast("m1", "n_0000000002")
	e.created++
	ghost := znode.Znode{Name: fmt.Sprintf("n_%010d", e.created), Session: 2, Czxid: 200, Ctime: noon}
	e.children[ghost.Name] = ghost
	e.read([]znode.Znode{ghost}, nil)
	var p candidates.Panel
	p.Reselect(e.j.State())
	p.SelectRow(2)
	for i, x := range []struct{ leaves, selected string }{{"n_0000000001", ghost.Name}, {ghost.Name, "n_0000000002"}} {
		e.leave(x.leaves)
		p.Reselect(e.j.State())
		if got := p.Selected.Znode.Name; got != x.selected || p.Index != 1-i || p.Row().Member == nil {
			t.Errorf("%s was deleted: got %s in row %d selected, want %s in row %d", x.leaves, got, p.Index, x.selected, 1-i)
		}
	}
}

func TestSelectionWithoutItsRow(t *testing.T) {
	e := newElection()
	e.join(5)
	var p candidates.Panel
	p.Reselect(e.j.State())
	p.SelectRow(2)
	want := p.Selected
	p.Filter = "nobody"
	p.Reselect(e.j.State())
	if p.Rows.Len() != 0 || p.Row().Ref() != (model.Ref{}) {
		t.Errorf("a filter without a match: got %d rows and %+v selected, want none", p.Rows.Len(), p.Row())
	}
	p.Filter = ""
	p.Reselect(e.j.State())
	if p.Selected != want || p.Index != 2 {
		t.Errorf("got %+v in row %d selected, want %+v in row 2", p.Selected, p.Index, want)
	}
	e.leave(want.Znode.Name)
	p.Reselect(e.j.State())
	if p.Index != 2 || p.Row().Name() != "name-4" {
		t.Errorf("got %s in row %d selected, want name-4 in row 2", p.Row().Name(), p.Index)
	}
	e.cast("m1", p.Row().Candidate.Name)
	p.Reselect(e.j.State())
	e.cast("m1", "")
	p.Reselect(e.j.State())
	if got := p.Row(); got.Candidate != nil || got.Member == nil || got.Member.ID != "m1" {
		t.Fatalf("got %+v selected, want the member m1 without a znode", got)
	}
	e.j.Apply(&model.Cast{At: noon, Member: model.Member{ID: "m1"}, Gone: true})
	p.Reselect(e.j.State())
	if p.Index != 2 || p.Row().Name() != "name-5" {
		t.Errorf("got %s in row %d selected, want name-5 in row 2", p.Row().Name(), p.Index)
	}
}

func TestLeftAndRightMoveByAGridColumn(t *testing.T) {
	for _, c := range []struct {
		zoomed     bool
		candidates int
		h, column  int // heights of the panel and of a grid column; 0: no grid
	}{{true, 100, 20, 17}, {true, 100, 34, 31}, {false, 100, 20, 0}, {true, 5, 20, 0}} {
		e := newElection()
		e.join(c.candidates)
		var p candidates.Panel
		p.Reselect(e.j.State())
		p.Settle(candidates.Shown{State: e.j.State(), Focused: true, Zoomed: c.zoomed}, term.Rect{W: 118, H: c.h})
		p.SelectRow(3)
		if p.Column(input.CmdLeft) || p.Index != 3 {
			t.Errorf("%+v: left from the first column goes to row %d, want no move from row 3", c, p.Index)
		}
		for want := 3 + c.column; c.column > 0 && want < c.candidates; want += c.column {
			if !p.Column(input.CmdRight) || p.Index != want || p.Row().Ref() != p.Selected {
				t.Fatalf("%+v: right goes to row %d, want %d", c, p.Index, want)
			}
		}
		at := p.Index
		if p.Column(input.CmdRight) || p.Index != at {
			t.Errorf("%+v: right from the last column goes to row %d, want no move from row %d", c, p.Index, at)
		}
		if back := p.Column(input.CmdLeft); back != (c.column > 0) || back && p.Index != at-c.column {
			t.Errorf("%+v: left from row %d goes to row %d, want %d", c, at, p.Index, at-c.column)
		}
	}
}

// TestPages checks that a page key moves by the number of rows in view, less one.
func TestPages(t *testing.T) {
	e := newElection()
	e.join(100)
	var p candidates.Panel
	p.Reselect(e.j.State())
	for _, h := range []int{10, 20} {
		p.SelectRow(0)
		p.Settle(candidates.Shown{State: e.j.State()}, term.Rect{W: 80, H: h})
		p.Move(input.CmdPageDown)
		if want := h - 4; p.Index != want { // the border and the column heads are not rows
			t.Errorf("panel of %d lines: page down goes to row %d, want %d", h, p.Index, want)
		}
		p.Move(input.CmdPageUp)
		if p.Index != 0 {
			t.Errorf("panel of %d lines: page up goes to row %d, want 0", h, p.Index)
		}
	}
}
