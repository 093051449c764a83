package elections_test

import (
	"slices"
	"testing"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/elections"
	"electop/ui/input"
	"electop/ui/term"
)

func watched(paths ...string) (all []elections.Watched) {
	for _, p := range paths {
		all = append(all, elections.Watched{Path: p, State: doctor.NewJournal(model.Config{Path: p}).State()})
	}
	return all
}

func found(paths ...string) *elections.Walk {
	k := &elections.Walk{Root: "/"}
	for _, p := range paths {
		k.Found = append(k.Found, elections.Found{Path: p, System: "system of " + p})
	}
	return k
}

func paths(p *elections.Panel) (all []string) {
	for _, r := range p.Rows {
		all = append(all, r.Path)
	}
	return all
}

// The elections watched come in their order, then those found by path, and none
// twice. The selection is a path: rows that come before it do not move it.
func TestRows(t *testing.T) {
	var p elections.Panel
	place := term.Rect{W: 100, H: 20}
	p.Settle(elections.Shown{Watched: watched("/z", "/b"), Walk: found("/y", "/b", "/a")}, place)
	if want := []string{"/z", "/b", "/a", "/y"}; !slices.Equal(paths(&p), want) {
		t.Fatalf("the rows are %q, want %q", paths(&p), want)
	}
	p.Move(input.CmdPageDown)
	if p.Selected != "/y" {
		t.Fatalf("selected is %s", p.Selected)
	}
	p.Settle(elections.Shown{Watched: watched("/z", "/b", "/c"), Walk: found("/y", "/b", "/a", "/d", "/e")}, place)
	if p.Row().Path != "/y" || p.Index != 6 {
		t.Errorf("selected is row %d, %s", p.Index, p.Row().Path)
	}
	p.Settle(elections.Shown{Watched: watched("/y", "/z")}, place) // it is watched now
	if p.Row().Path != "/y" || p.Row().Watched == nil || p.Index != 0 {
		t.Errorf("selected is row %d, %+v", p.Index, p.Row())
	}
	p.Filter = "of /A"
	p.Settle(elections.Shown{Watched: watched("/z"), Walk: found("/y", "/a")}, place)
	if want := []string{"/a"}; !slices.Equal(paths(&p), want) || p.Row().Path != "/a" {
		t.Errorf("the filter leaves %q", paths(&p))
	}
	p.Filter = "none"
	p.Settle(elections.Shown{Watched: watched("/z")}, place)
	if p.Row() != nil {
		t.Errorf("selected is %+v", p.Row())
	}
}

// Each order is of the elections watched and of those found; the last one is the first again.
func TestSort(t *testing.T) {
	var p elections.Panel
	walk := found("/y", "/x")
	walk.Found[0].Worst, walk.Found[1].Waiting = doctor.Critical, 9
	for _, want := range [][]string{
		{"", "/z", "/b", "/x", "/y"}, {"path", "/b", "/z", "/x", "/y"}, {"trouble", "/z", "/b", "/y", "/x"},
		{"waiting", "/z", "/b", "/x", "/y"}, {"", "/z", "/b", "/x", "/y"},
	} {
		p.Settle(elections.Shown{Watched: watched("/z", "/b"), Walk: walk}, term.Rect{W: 100, H: 20})
		if got := paths(&p); !slices.Equal(got, want[1:]) || p.Row().Path != "/z" {
			t.Errorf("by %q: %q, selected is %s", want[0], got, p.Row().Path)
		}
		p.Sort()
	}
}
