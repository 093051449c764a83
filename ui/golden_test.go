package ui

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"electop/model/dialect"
	"electop/ui/input"
	"electop/ui/mainscreen"
	"electop/ui/term"
)

var allSizes = [][2]int{{60, 20}, {80, 24}, {120, 36}, {200, 60}}

func goldenSizes(sample string) [][2]int {
	sizes := [][2]int{{120, 36}}
	switch sample {
	case "killed", "offline", "past-step", "hostile", "wrong-watch", "elections", "leaderless", "doctor", "history", "faults", "two-leaders", "stepping",
		"lesson-feedback", "join", "palette", "messages", "lanes", "grid":
		sizes = append(sizes, [2]int{60, 20})
	}
	switch sample {
	case "read-only-help", "healthy", "servers-refuse", "silent-servers", "risk-inspected", "join-loopback", "join-nowhere", "palette-typed", "faults-refused", "chaos", "two-leaders-guard",
		"expired", "reconnecting", "ended", "replayed", "verified", "never-searched", "searching", "wrong-watch-inspected", "after-risk", "absent", "denied", "vacant", "never-connected", "no-controller", "group":
		return nil // TestShownAtEverySize or TestShownFrom80x24 checks these samples
	case "main", "killed", "lesson", "lanes-panel", "messages", "chaos-broken":
		sizes = append(sizes, [2]int{200, 60})
	}
	return sizes
}

func frameName(sample string, size [2]int) string {
	return fmt.Sprintf("%s/%dx%d", sample, size[0], size[1])
}

func TestFrames(t *testing.T) {
	all := samples()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, size := range goldenSizes(name) {
			t.Run(frameName(name, size), func(t *testing.T) {
				golden.RequireEqual(t, []byte(screen(show(all[name](), size[0], size[1], term.Dark))+"\n"))
			})
		}
	}
}

type colours struct {
	theme   string
	profile termenv.Profile
	sample  string
}

func (c colours) String() string {
	return fmt.Sprintf("%s/%s/%s", c.theme, c.profile.Name(), c.sample)
}

func coloured() []colours {
	return []colours{
		{term.Dark, termenv.TrueColor, "killed"}, {term.Dark, termenv.TrueColor, "handoff"}, {term.Dark, termenv.TrueColor, "offline"},
		{term.Light, termenv.TrueColor, "killed"}, {term.Mono, termenv.TrueColor, "killed"},
		{term.Dark, termenv.ANSI, "killed"}, {term.Light, termenv.ANSI256, "killed"},
	}
}

func TestColours(t *testing.T) {
	for _, c := range coloured() {
		t.Run(c.String(), func(t *testing.T) {
			sm := samples()[c.sample]()
			sm.o.Renderer = profileRenderer(c.profile)
			golden.RequireEqual(t, []byte(show(sm, 100, 30, c.theme).View()+"\n"))
		})
	}
}

func TestGoldenFilesAreUsed(t *testing.T) {
	used := map[string]bool{}
	for name := range samples() {
		for _, size := range goldenSizes(name) {
			used[filepath.Join("testdata", "TestFrames", frameName(name, size)+".golden")] = true
		}
	}
	for _, c := range coloured() {
		used[filepath.Join("testdata", "TestColours", c.String()+".golden")] = true
	}
	err := filepath.WalkDir("testdata", func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".golden") && !used[path] {
			t.Errorf("no test uses %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestShownAtEverySize(t *testing.T) {
	all := samples()
	for name, want := range map[string][]string{
		"main":            {"★", "leads  ack ✓", "↑ 12 ~", "next", "missed 0"},
		"killed":          {"☆", "✗", "expires", "the leader is dead but its znode exists"},
		"handoff":         {"→ birch", "▸12:02:05", "╳"},
		"herd":            {"◂╮", "─╯"},
		"offline":         {"◌", "reconnecting since 6 s", "as of 12:03:01, 6 s ago"},
		"never-connected": {"Not connected yet", "no route to host"},
		"absent":          {"does not exist", "Waiting for", "What to do"},
		"denied":          {"Not allowed to list", "READ"},
		"vacant":          {"No candidates", "nobody leads"},
		"paused":          {"PAUSED 12:03:01"},
		"filter":          {"/er", "2 of 5"},
		"no-znode":        {"electop's candidates without a znode", "❄"},
		"hostile":         {`\u202e`},
		"crowd":           {"/500", "~1m29s"},
		"ended":           {"◌ ended", "as of 12:03:01, 4 s ago"},
		"replayed":        {"the recording has ended", "REPLAY"},

		"verified":        {"↑ 12 ✓", "↑ 15 ✓"},
		"wrong-watch":     {"▵", "! watches 12, not 13", "! no watch on 15", "2 findings"},
		"risk":            {"☆", "at risk", "≤ 9 s"},
		"risk-inspected":  {"last seen connected at"},
		"after-risk":      {"expired"},
		"doctor":          {"Doctor  2 findings", "◇ warning", "a herd", "found at 12:07:04"},
		"healthy":         {"✓", "Nothing found in what was checked."},
		"servers-refuse":  {"Nothing found in what was checked.", "not checked", "4lw.commands.whitelist=wchp"},
		"servers":         {"ensemble leader", "● zk3:2181", "of this election: billing-1:8080"},
		"silent-servers":  {"zk3:2181", "i/o", "4lw.commands.whitelist=wchp"},
		"elections":       {"> 2", "☆ billing-1", "stale", "1312 znodes read, 4 denied", "stopped early", "◆ 2", "none"},
		"searching":       {"searching below /   1312 znodes read"},
		"never-searched":  {"Can't search for other elections"},
		"second-election": {"(2/2)", "holds  one of 3", "10.0.3.21 and 2 others hold"},
		"leaderless":      {"no leader: 10.0.3.21:8983_solr is first", "1 finding"},
		"mixed":           {"two hold (inferred): payments-go and reports-1", "two hold (inferred)", "believes it holds", "1 finding"},
		"group":           {"Members", "group: 3 members"},
		"no-queue":        {"broker 2", "There is no queue", "Could take over: broker 1,"},
		"no-controller":   {"no leader since", "Could lead: broker 1,", "1 finding"},
		"reconnecting":    {"as of 12:07:07, 6 s ago"},
		"expired":         {"as of 12:07:07, 6 s ago"},

		"notified":           {"✗    12  amber", "deleted", "↑ 12 ◂", "●"},
		"herd-notified":      {"↑ 12 ◂", "┤", "╯", "●"},
		"slow":               {"slow 500 ms, 1 held"},
		"stepping":           {"step by step, 4 held", "↑ 12 ◂"},
		"faults":             {"Faults of birch", "> ", "lose reply", "guid again", "It rejoins"},
		"faults-refused":     {"Not now: birch is frozen", "freeze"},
		"palette":            {"Actions", "> s", "add a candidate"},
		"palette-typed":      {":res", "> d", "Not now: birch is frozen"},
		"faulty":             {"⊘", "birch ø", "↯", "delta ø ⧗", "cut off"},
		"two-leaders":        {"safety ✗", "liveness 96.2 %", "Belief", "guard off", "☆ amber", "n_12 is deleted", "✓ stale"},
		"two-leaders-guard":  {"safety ◇", "liveness 96.2 %", "guard on", "set ✗ refused"},
		"two-leaders-recipe": {"Belief and truth", "guard off", "★ birch", "first: n_13", "☆ amber", "n_12 is deleted", "✓ stale", "✗ refused", "1 stale write accepted", "2 awake: never"},
		"ghost":              {"ghost of cedar"},
		"wave":               {"298 notified", "60 re-reading", "106 done"},
		"chaos":              {"✓"},
		"chaos-broken":       {"✗ two awake leaders"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range allSizes {
				shows(t, show(all[name](), size[0], size[1], term.Mono), want...)
			}
		})
	}
}

func TestShownFrom80x24(t *testing.T) {
	all := samples()
	for name, want := range map[string][]string{
		"handoff":  {"session expired"},
		"herd":     {"predecessor"},
		"paused":   {"+2 events waiting"},
		"no-znode": {"still believes it leads"},
		"faulty":   {"the leader is cut off"},

		"verified":              {"Curator LeaderLatch"},
		"wrong-watch-inspected": {"10.0.3.13:41002   connected to zk3:2181", "wrong: it watches billing-1:8080  n_12", "◇ warning"},
		"risk":                  {"↑ 12 ✓  next", "billing-2:8080 would take"},
		"risk-inspected":        {"last seen connected at", "billing-2:8080 would take over"},
		"doctor":                {"seen", "harm", "do"},
		"healthy":               {"3 of 3 queried servers answered"},
		"servers-refuse":        {"connections on zk1", "may be deleted before"},
		"elections":             {"3 watched, 5 found", "/tasks/nightly"},
		"reconnecting":          {"◌ reconnecting since 6 s, trying zk1:2181"},
		"expired":               {"◌ session expired since 6 s, trying zk1:2181"},
		"read-only-help":        {"lessons, step by step", "verified: ZooKeeper reports that watch"},

		"join":          {"electop campaign /election -s 192.168.7.20:2181 --name YOU", "kazoo (Python)", "open to the network", "kill them"},
		"join-loopback": {"Only programs on this machine"},
		"join-nowhere":  {"this demo is not an election"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
				shows(t, show(all[name](), size[0], size[1], term.Mono), want...)
			}
		})
	}
}

func TestFramesFitEverySize(t *testing.T) {
	all := samples()
	widths := map[string]int{} // a cache, because most lines are in many frames
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m := show(all[name](), 120, 36, term.Dark)
		check := func(w, h int) {
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			lines := strings.Split(m.View(), "\n")
			if len(lines) != h {
				t.Fatalf("%s at %dx%d: got %d lines, want %d", name, w, h, len(lines), h)
			}
			for i, line := range lines {
				got, ok := widths[line]
				if !ok {
					got = ansi.StringWidth(line)
					widths[line] = got
					if hasControl(ansi.Strip(line)) {
						t.Fatalf("%s at %dx%d: line %d has a control character: %q", name, w, h, i, line)
					}
				}
				if got > w {
					t.Fatalf("%s at %dx%d: line %d has %d cells: %q", name, w, h, i, got, line)
				}
			}
		}
		for range mainscreen.Panels {
			if name == "main" {
				for h := 1; h <= 100; h += 1 + h/5 {
					for w := 1; w <= 300; w += 1 + w/5 {
						check(w, h)
					}
				}
			}
			for _, w := range []int{1, mainscreen.MinWidth - 1, mainscreen.MinWidth, 67, 80, mainscreen.WideFrom - 1, mainscreen.WideFrom, 121, 300} {
				check(w, 24)
			}
			for _, h := range []int{1, mainscreen.MinHeight - 1, mainscreen.MinHeight, 29, 36, 100} {
				check(mainscreen.MinWidth, h)
				check(121, h)
			}
			if check(120, 36); front(m) != onMain {
				break
			}
			m.Update(press("tab"))
		}
	}
}

func TestTooSmall(t *testing.T) {
	m := show(samples()["main"](), 50, 15, term.Dark)
	shows(t, m, "electop needs 60x20, this terminal is 50x15")
	if after, msg := tick(t, m); msg != nil {
		t.Errorf("got a tick in %v, want none", after)
	}
}

// TestFewLinesChange checks that most lines stay the same: Bubbletea does not write lines whose bytes are the same.
func TestFewLinesChange(t *testing.T) {
	sm := samples()["killed"]()
	sm.o.Renderer = profileRenderer(termenv.TrueColor)
	m, now := showWithClock(sm, 120, 36, term.Dark)
	before := strings.Split(m.View(), "\n")
	*now = now.Add(term.TickBusy)
	drawNow(m)
	changed := 0
	for i, line := range strings.Split(m.View(), "\n") {
		if line != before[i] {
			changed++
		}
	}
	if changed == 0 || changed > 3 {
		t.Errorf("got %d changed lines in the next frame, want 1 to 3", changed)
	}
}

func TestDrawingChangesNothing(t *testing.T) {
	var all []string
	for _, b := range input.Bindings(false) {
		if b.Do != input.CmdQuit && b.Do != input.CmdSuspend {
			all = append(all, b.Keys()...)
		}
	}
	slices.Sort(all)
	rapid.Check(t, func(t *rapid.T) {
		var drawn, settled Model
		n := rapid.SampledFrom([]int{0, 4, 40, 300}).Draw(t, "candidates")
		for _, m := range []*Model{&drawn, &settled} {
			w := five(dialect.Election())
			if n > 4 {
				w = mixedCrowd(n)
			}
			w.wait(time.Minute)
			*m = New(Options{
				Source: &multiSource{source{world: w}, []*world{verifiedAt("/other")}, searched(false)}, Mode: ModeDemo,
				Lessons: thirdLesson(questioning), Renderer: plainRenderer(), Now: func() time.Time { return w.now },
			})
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			var msg tea.Msg = tea.WindowSizeMsg{Width: rapid.IntRange(0, 200).Draw(t, "w"), Height: rapid.IntRange(0, 70).Draw(t, "h")}
			if rapid.IntRange(0, 9).Draw(t, "resize") > 0 {
				msg = press(rapid.SampledFrom(all).Draw(t, "key"))
			}
			drawn.Update(msg)
			// Model.Update would draw a frame.
			settled.d.update(msg)
			settled.d.settle(settled.d.frame())
		}
		msg := tea.WindowSizeMsg{Width: 120, Height: 36}
		drawn.Update(msg)
		settled.Update(msg)
		if drawn.View() != settled.View() {
			t.Fatalf("drawn each time:\n%s\ndrawn at the end:\n%s", ansi.Strip(drawn.View()), ansi.Strip(settled.View()))
		}
	})
}

func TestKeysTogetherActLikeKeysOneByOne(t *testing.T) {
	var views []string
	for _, msgs := range [][]string{{"zjjj"}, {"z", "j", "j", "j"}} {
		m, _, _ := dashboardOn(mixedCrowd(300), nil, Options{})
		for _, k := range append(msgs, "right", "pgdown") {
			m.Update(press(k))
		}
		views = append(views, m.View())
	}
	if views[0] != views[1] {
		t.Errorf("together:\n%s\none by one:\n%s", views[0], views[1])
	}
}

func TestKeysBeforeASizeDoNotPanic(t *testing.T) {
	w := five(dialect.Election())
	for _, b := range input.Bindings(false) {
		for _, first := range []string{"", "tab", "e", "L", "?", "X", "enter"} {
			m := New(Options{Source: &source{world: w}, Mode: ModeDemo, Renderer: plainRenderer(), Now: func() time.Time { return w.now }})
			for _, k := range append(strings.Fields(first), b.Keys()...) {
				m.Update(press(k))
			}
		}
	}
}

func TestFrameIsBounded(t *testing.T) {
	m := New(Options{Source: &source{world: five(dialect.Election())}, Renderer: plainRenderer(), Width: 2000, Height: 1000})
	for _, msg := range []tea.Msg{nil, tea.WindowSizeMsg{Width: 2000, Height: 1000}} {
		m.Update(msg)
		if w, h := lipgloss.Size(m.View()); w != 1000 || h > 500 {
			t.Errorf("after message %T: got a frame of %d x %d, want 1000 x at most 500", msg, w, h)
		}
	}
}

func TestEscReturnsToThePanelBefore(t *testing.T) {
	m, _, _ := dashboardOn(five(dialect.Election()), nil, Options{})
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	keys(m, "enter", "esc")
	focus, before := &m.d.screen.Focus, m.d.screen.Focus
	for i := 0; i < int(mainscreen.Panels) && *focus < mainscreen.Selected; i++ {
		before = *focus
		keys(m, "tab")
	}
	last := *focus
	if keys(m, "esc"); last < mainscreen.Selected || *focus != before {
		t.Errorf("after tab to panel %d: esc gives panel %d the focus, want %d", last, *focus, before)
	}
}

// TestColoursAndImports allows imports of all electop packages. model.TestImports restricts them.
func TestColoursAndImports(t *testing.T) {
	made := regexp.MustCompile(`lipgloss\.(Color|NewStyle|Style|AdaptiveColor|CompleteColor)|"#[0-9a-fA-F]{3,6}"|\\x1b|\\033|\\u001b|termenv\.`)
	allowed := regexp.MustCompile(`^([a-z0-9]+(/[a-z0-9]+)*|github\.com/charmbracelet/(bubbletea|lipgloss|bubbles/(key|textinput)|x/ansi))$`)
	files := 0
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (path == "cli" || path == "plain" || path == "testdata"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if found := made.Find(src); (found != nil) != (path == filepath.Join("term", "theme.go")) {
			t.Errorf("%s: got colour definition %q; want one in term/theme.go only", path, found)
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if to, _ := strconv.Unquote(i.Path.Value); !allowed.MatchString(to) || strings.HasPrefix(to+"/", "net/") {
				t.Errorf("%s imports %s, which is not allowed", path, to)
			}
		}
		return nil
	})
	if err != nil || files < 30 {
		t.Fatalf("got %d files, error %v; want at least 30 files", files, err)
	}
}

func TestTimeLeftIsShownOnce(t *testing.T) {
	for _, name := range []string{"killed", "risk"} {
		for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 36}, {200, 60}} {
			for _, key := range []string{"", "tab", "z"} {
				m := show(samples()[name](), size[0], size[1], term.Mono)
				if key != "" {
					keys(m, key)
				}
				if n := strings.Count(screen(m), "≤"); n != 1 {
					t.Errorf("%s at %v after %q: got %d times the time left, want 1:\n%s", name, size, key, n, screen(m))
				}
				if _, labels, _ := strings.Cut(times(m), "┴"); strings.ContainsAny(labels, "abcdefghijklmnopqrstuvwxyz") {
					t.Errorf("%s at %v: got axis %q, want no letters after ┴", name, size, times(m))
				}
			}
		}
	}
}
