package ui

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/ui/input"
	"electop/ui/mainscreen"
	"electop/ui/plain"
	"electop/ui/term"
)

func TestAnyKeysAnyStates(t *testing.T) {
	all := samples()
	names := slices.Sorted(maps.Keys(all))
	for _, name := range names {
		checkSameLeader(t, all[name]().world)
	}
	var keys []string
	for _, b := range input.Bindings(false) {
		keys = append(keys, b.Keys()...)
	}
	keys = append(keys, "a", "m", "0", " ", "é", "alt+x")
	rapid.Check(t, func(t *rapid.T) {
		w := five(dialect.Election())
		if rapid.Bool().Draw(t, "herd") {
			w = five(dialect.Herd())
		} else if rapid.Bool().Draw(t, "third party") {
			w = newWorld("/election", nil, false).connect().read(nil, nil)
		}
		src := &multiSource{source: source{world: w}}
		if rapid.Bool().Draw(t, "several") {
			src.others, src.search = []*world{all["second-election"]().others[0], all["wrong-watch"]().world}, searched(true)
		}
		mode := rapid.SampledFrom([]string{ModeLive, ModeDemo, ModeReplay}).Draw(t, "mode")
		m := New(Options{Source: src, Actions: &fakeActions{}, Mode: mode, Renderer: plainRenderer(), Now: func() time.Time { return w.now }})
		size := tea.WindowSizeMsg{Width: 100, Height: 30}
		m.Update(size)
		showsSample := false
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			before := ""
			if size.Width >= mainscreen.MinWidth && size.Height >= mainscreen.MinHeight && !showsSample && front(m) == onMain {
				before = selected(m)
			}
			mayMove := false
			showsSample = false
			switch what := rapid.SampledFrom([]string{"key", "key", "key", "join", "leave", "link", "wait", "size", "sample", "deletion", "pace", "rules", "write", "member", "member"}).Draw(t, "step"); what {
			case "key":
				k := rapid.SampledFrom(keys).Draw(t, "key")
				m.Update(press(k))
				mayMove = true
			case "wait":
				w.wait(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "wait")))
				drawNow(m)
			case "size":
				size = tea.WindowSizeMsg{Width: rapid.IntRange(0, 200).Draw(t, "w"), Height: rapid.IntRange(0, 70).Draw(t, "h")}
				m.Update(size)
				mayMove = true
			case "sample":
				other := all[rapid.SampledFrom(names).Draw(t, "sample")]().world
				m.Update(refreshMsg{states: []*doctor.State{other.state()}})
				checkSameLeader(t, other)
				showsSample = true
			default:
				w.changeAtRandom(t, what)
			}
			if !showsSample {
				m.Update(present(src, false))
			}
			checkSize(t, m, size)
			checkSameLeader(t, w)
			number, _, _ := strings.Cut(before, " ")
			still := slices.ContainsFunc(slices.Collect(maps.Keys(w.children)), func(name string) bool { return number != "" && strings.HasSuffix(name, "0"+number) })
			if still && !mayMove && !showsSample && front(m) == onMain && shownPath(m) == "/election" && !strings.HasPrefix(selected(m), number+" ") {
				t.Fatalf("selection moved from %s to %s:\n%s", before, selected(m), screen(m))
			}
		}
	})
}

func (w *world) changeAtRandom(t *rapid.T, what string) {
	text := rapid.SampledFrom([]string{"", "12", "C := {12, 13}", "guid-n_0000000013", "\x1b[2Jn_0000000014", "家族", "deleted", "notification", "getChildren"})
	sessions := rapid.SliceOfN(rapid.Uint64Range(0xa0, 0xa8), 0, 8)
	switch what {
	case "join":
		w.join(rapid.SampledFrom([]string{"n_", "guid-n_", "\x1b[2Jn_", "0123456789abcdef0123456789abcdef-n_"}).Draw(t, "prefix"), rapid.StringN(0, 8, 20).Draw(t, "data"), rapid.Uint64Range(0, 3).Draw(t, "session"))
	case "leave":
		if have := slices.Sorted(maps.Keys(w.children)); len(have) > 0 {
			w.leave(rapid.SampledFrom(have).Draw(t, "who"))
		}
	case "link":
		if rapid.Bool().Draw(t, "up") {
			w.connect()
		} else {
			w.disconnect("gone\x1b")
		}
	case "deletion":
		w.j.Apply(&model.DeletionReport{At: w.now, Deleted: w.now.Add(time.Duration(rapid.IntRange(-2000, 200).Draw(t, "ago")) * time.Millisecond), Znode: rapid.OneOf(text, rapid.Just(amberZ), rapid.Just(emberZ)).Draw(t, "znode"),
			Zxid: rapid.Int64Range(0, 9).Draw(t, "zxid"), Notified: sessions.Draw(t, "notified"), Requests: rapid.Int().Draw(t, "requests"), BytesOut: rapid.Int64().Draw(t, "bytes")})
	case "pace":
		p := &model.Pace{At: w.now, Delay: time.Duration(rapid.Int64Range(0, 2e9).Draw(t, "delay")), Steps: rapid.Bool().Draw(t, "steps"), Waiting: rapid.IntRange(-1, 9).Draw(t, "waiting")}
		for _, s := range sessions.Draw(t, "held") {
			p.Held = append(p.Held, model.Message{Session: s, Since: w.now, Op: text.Draw(t, "op"), Path: text.Draw(t, "path"), Event: text.Draw(t, "event"), Err: text.Draw(t, "err")})
		}
		w.j.Apply(p)
	case "rules":
		w.rule(model.Rules{Workers: rapid.Bool().Draw(t, "workers"), Fenced: rapid.Bool().Draw(t, "fenced"), Chaos: text.Draw(t, "chaos")})
	case "write":
		w.j.Apply(&model.Write{At: w.now, Member: rapid.SampledFrom([]string{"amber", "birch", "nobody"}).Draw(t, "member"), Znode: text.Draw(t, "znode"), Token: rapid.Int64().Draw(t, "token"),
			Resource: rapid.SampledFrom([]model.Resource{model.Counter, model.Tokens, "x"}).Draw(t, "resource"), Refused: rapid.Bool().Draw(t, "refused"), Value: rapid.Int64().Draw(t, "value")})
	case "member":
		w.cast(rapid.SampledFrom([]string{"amber", "birch", "new"}).Draw(t, "id"), "", rapid.SampledFrom([]model.Belief{model.Leading, model.Waiting, model.Lost, model.Suspended, ""}).Draw(t, "belief"), func(m *model.Member) {
			m.Step, m.StepAt, m.StepOn = model.Step(rapid.IntRange(-1, 9).Draw(t, "step")), w.now, model.StepOn{Name: text.Draw(t, "name"), Children: []string{text.Draw(t, "child")}, Found: rapid.Bool().Draw(t, "found")}
			m.Fault, m.FaultAt = rapid.SampledFrom([]model.Fault{model.NoFault, model.Frozen, model.Partitioned, model.Killed}).Draw(t, "fault"), w.now
			m.NoGuid, m.SlowLead, m.LosesReply = rapid.Bool().Draw(t, "no guid"), rapid.Bool().Draw(t, "slow lead"), rapid.Bool().Draw(t, "loses")
		})
	}
}

func checkSameLeader(t interface{ Fatalf(string, ...any) }, w *world) {
	s := w.state()
	why, leader := s.NoLeader(), ""
	if l := s.Leader(); l != nil {
		leader = l.Name
	}
	if words := phrase.NoLeader(s).Sentence; (why == "") != (leader != "") || (words == "") != (why == "") {
		t.Fatalf("leader %q, reason for no leader %q: got header %q", leader, why, words)
	}
	if words := phrase.Standing(s, 0).Row; why == "" && words != "" || (s.LeaderRow().Candidate == nil) != (leader == "") {
		t.Fatalf("leader %q, reason for no leader %q: got row %q", leader, why, words)
	}
	var out struct {
		Leader     *string
		First      *struct{ Why string }
		Candidates []struct{ Role string }
	}
	b, err := json.Marshal(plain.Status(s))
	if err != nil || json.Unmarshal(b, &out) != nil || (out.Leader == nil) != (leader == "") || out.First != nil && out.First.Why != string(why) {
		t.Fatalf("leader %q, reason for no leader %q: got JSON %s, error %v", leader, why, b, err)
	}
	holders := 0
	for _, c := range out.Candidates {
		if c.Role == "leader" {
			holders++
		}
	}
	for _, l := range s.Lanes(s.Queue.Len()).All {
		if l.Last().Place == model.Holds {
			holders--
		}
	}
	if holders != 0 {
		t.Fatalf("leader %q, reason for no leader %q: the JSON has %d more holders than the lanes", leader, why, holders)
	}
	if n := len(s.Reigns); (n > 0 && s.Reigns[n-1].To.IsZero()) != (leader != "") || leader != "" && s.Reigns[n-1].Leader.Name != leader {
		t.Fatalf("leader %q, reason for no leader %q: got reigns %+v", leader, why, s.Reigns)
	}
	later := w.j.Clone()
	later.Apply(&model.Advance{At: s.At.Add(time.Second)})
	led, vacant := later.State().Totals.Led-s.Totals.Led, later.State().Totals.Vacant-s.Totals.Vacant
	if led > 0 && leader == "" || vacant > 0 && (leader != "" || why.Unknown()) {
		t.Fatalf("leader %q, reason for no leader %q: the totals grow by %v with a leader and %v without", leader, why, led, vacant)
	}
}

func checkSize(t interface{ Fatalf(string, ...any) }, m Model, size tea.WindowSizeMsg) {
	all := strings.Split(m.View(), "\n")
	if size.Width > 0 && size.Height > 0 && len(all) != size.Height {
		t.Fatalf("got %d lines, want %d", len(all), size.Height)
	}
	for _, line := range all {
		if line = stripped(line); ansi.StringWidth(line) > size.Width || hasControl(line) {
			t.Fatalf("a line has more than %d cells or a control character: %q", size.Width, line)
		}
	}
}

func TestOnlyRowsInViewAreDrawn(t *testing.T) {
	calls := 0
	w := crowd(2000)
	s := copied(w.state())
	s.Recipe = counting{s.Recipe, &calls}
	m := show(samples()["crowd"](), 120, 36, term.Dark)
	m.Update(refreshMsg{states: []*doctor.State{&s}})
	if !strings.Contains(headerLine(m), " 2000 ") {
		t.Fatalf("the screen does not show the state with 2000 candidates:\n%s", screen(m))
	}
	calls = 0
	drawNow(m)
	if calls > 200 || calls == 0 {
		t.Errorf("one frame calls Watches %d times, want 1 to 200", calls)
	}
}

type counting struct {
	dialect.Recipe
	calls *int
}

func (c counting) Watches(q dialect.Queue, i int) (int, bool) {
	*c.calls++
	return c.Recipe.Watches(q, i)
}

func TestWrongBeliefAndMissingWatchAreShown(t *testing.T) {
	w := five(dialect.Election()).rule(model.Rules{Workers: true}).wait(time.Minute)
	w.cast("birch", birchZ, model.Leading, nil).wait(3 * time.Second)
	m, _, _ := dashboardOn(w, &fakeActions{}, Options{Mode: ModeDemo})
	shows(t, m, "birch believes that it leads, but its")
	keys(m, "j", "enter")
	shows(t, m, "believes     leading, but it is not first in the queue")
	m, _, _ = dashboardOn(wrongWatches(), nil, Options{})
	keys(m, "G", "enter")
	shows(t, m, "missing: no server has this candidate's watch on")
}
