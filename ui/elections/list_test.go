package elections_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/lipgloss"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/elections"
	"electop/ui/input"
	"electop/ui/plain"
	"electop/ui/term"
)

func watched(paths ...string) (all []elections.Watched) {
	for _, p := range paths {
		all = append(all, elections.Watched{Path: p, State: doctor.NewJournal(model.Config{Path: p}).State()})
	}
	return all
}

func found(paths ...string) *elections.Search {
	s := &elections.Search{Discovery: plain.Discovery{Root: "/"}}
	for _, p := range paths {
		s.Elections = append(s.Elections, plain.Found{State: doctor.NewJournal(model.Config{Path: p}).State()})
	}
	return s
}

func paths(p *elections.Panel) (all []string) {
	for _, r := range p.Rows {
		all = append(all, r.Path)
	}
	return all
}

func TestRowsAndSelection(t *testing.T) {
	var p elections.Panel
	place := term.Rect{W: 100, H: 20}
	p.Settle(elections.Shown{Watched: watched("/z", "/b"), Search: found("/y", "/b", "/a")}, place)
	if want := []string{"/z", "/b", "/a", "/y"}; !slices.Equal(paths(&p), want) {
		t.Fatalf("the rows are %q, want %q", paths(&p), want)
	}
	p.Move(input.CmdPageDown)
	if p.Selected != "/y" {
		t.Fatalf("got %s selected, want /y", p.Selected)
	}
	p.Settle(elections.Shown{Watched: watched("/z", "/b", "/c"), Search: found("/y", "/b", "/a", "/d", "/e")}, place)
	if p.Row().Path != "/y" || p.Index != 6 {
		t.Errorf("got row %d, %s, selected, want row 6, /y", p.Index, p.Row().Path)
	}
	p.Settle(elections.Shown{Watched: watched("/y", "/z")}, place)
	if p.Row().Path != "/y" || p.Row().Watched == nil || p.Index != 0 {
		t.Errorf("got row %d, %+v, selected, want row 0, the watched /y", p.Index, p.Row())
	}
	p.Filter = "/A"
	p.Settle(elections.Shown{Watched: watched("/z"), Search: found("/y", "/a")}, place)
	if want := []string{"/a"}; !slices.Equal(paths(&p), want) || p.Row().Path != "/a" {
		t.Errorf("with the filter: got rows %q with %s selected, want %q with /a", paths(&p), p.Selected, want)
	}
	p.Filter = "nothing like this"
	p.Settle(elections.Shown{Watched: watched("/z")}, place)
	if p.Row() != nil {
		t.Errorf("got row %+v selected, want none", p.Row())
	}
}

func withFinding(path, leader string, severity doctor.Severity) *doctor.State {
	j := doctor.NewJournal(model.Config{Path: path})
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	j.Apply(&model.Read{At: at, Presence: model.Present, Full: true, Parent: znode.Parent{Czxid: 1, Children: 1, Cversion: 1}, New: []znode.Znode{
		{Name: "n_0000000000", Session: 7, Czxid: 2, Ctime: at, Data: znode.NewData([]byte(leader))},
	}})
	s := *j.State()
	s.Findings = []*doctor.Finding{{Severity: severity}}
	return &s
}

func TestSort(t *testing.T) {
	var p elections.Panel
	search := found("/y", "/x", "/v")
	search.Elections[0].State, search.Elections[1].Waiting = withFinding("/y", "yew", doctor.Critical), 9
	search.Elections[1].State, search.Elections[2].State = withFinding("/x", "xylo", doctor.Info), withFinding("/v", "vine", doctor.Warning)
	all := watched("/z", "/b")
	for i := range all {
		all[i].State = withFinding(all[i].Path, "", "")
	}
	for _, want := range [][]string{
		{"", "/z", "/b", "/y", "/v", "/x"}, {"number", "/z", "/b", "/v", "/x", "/y"}, {"path", "/b", "/z", "/v", "/x", "/y"},
		{"waiting", "/z", "/b", "/x", "/v", "/y"}, {"", "/z", "/b", "/y", "/v", "/x"},
	} {
		p.Settle(elections.Shown{Watched: all, Search: search}, term.Rect{W: 100, H: 20})
		if got := paths(&p); !slices.Equal(got, want[1:]) || p.Row().Path != "/z" {
			t.Errorf("sorted by %q: got rows %q with %s selected, want %q with /z", want[0], got, p.Row().Path, want[1:])
		}
		p.Sort()
	}
}

func TestFilterFindsLeaderAndState(t *testing.T) {
	search := found("/info", "/led")
	search.Elections[1].State = withFinding("/led", "Amber", doctor.Warning)
	search.Elections[0].State = withFinding("/info", "", doctor.Info)
	j, all := doctor.NewJournal(model.Config{Path: "/z"}), watched("/z")
	j.Apply(&model.Read{At: time.Unix(1, 0), Presence: model.Present, Full: true, Parent: znode.Parent{Czxid: 1}})
	all[0].State = j.State()
	for filter, want := range map[string][]string{
		"amber": {"/led"}, "WARNING": {"/z", "/led"}, "1 finding": {"/led", "/info"}, "no leader": {"/z"}, "none": {"/z"},
	} {
		var p elections.Panel
		p.Filter = filter
		p.Settle(elections.Shown{Watched: all, Search: search}, term.Rect{W: 100, H: 20})
		if got := paths(&p); !slices.Equal(got, want) {
			t.Errorf("filter %q: got rows %q, want %q", filter, got, want)
		}
	}
}

func TestWaitingIsUnknownIfStandbysAreNotListed(t *testing.T) {
	j := doctor.NewJournal(model.Config{Path: "/controller"})
	j.Apply(&model.Read{At: time.Unix(1, 0), Presence: model.Present, Single: true, New: []znode.Znode{
		{Name: "controller", Session: 5, Czxid: 5, Ctime: time.Unix(1, 0), Data: znode.NewData([]byte(`{"version":1,"brokerid":1}`))},
	}})
	theme, place := term.NewTheme(term.Mono, lipgloss.DefaultRenderer()), term.Rect{W: 100, H: 10}
	var rows [2]string
	for i, x := range []elections.Shown{
		{Watched: []elections.Watched{{Path: "/controller", State: j.State()}}},
		{Search: &elections.Search{Discovery: plain.Discovery{Root: "/", Elections: []plain.Found{{State: j.State()}}}}},
	} {
		f := &term.Frame{Canvas: &term.Canvas{}, Theme: theme, Now: time.Unix(2, 0), Picture: time.Unix(2, 0)}
		f.Resize(place.W, place.H)
		var p elections.Panel
		p.Settle(x, place)
		p.Draw(f)
		for line := range strings.Lines(f.Render(theme)) {
			if _, row, ok := strings.Cut(line, "/controller"); ok {
				rows[i] = row
			}
		}
	}
	if rows[0] != rows[1] || !strings.Contains(rows[0], " ? ") {
		t.Errorf("got row %q if watched and %q if found, want the same row with ?", rows[0], rows[1])
	}
}
