package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"electop/ui/term"
)

// Each scene as text, at the sizes that people have.
func TestFrames(t *testing.T) {
	all := scenes()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 36}, {200, 60}} {
			t.Run(fmt.Sprintf("%s/%dx%d", name, size[0], size[1]), func(t *testing.T) {
				golden.RequireEqual(t, []byte(screen(stage(all[name](), size[0], size[1], term.Dark))+"\n"))
			})
		}
	}
}

// The colours, in each theme and on terminals with few.
func TestColours(t *testing.T) {
	for _, c := range []struct {
		theme   string
		profile termenv.Profile
	}{{term.Dark, termenv.TrueColor}, {term.Light, termenv.TrueColor}, {term.Mono, termenv.TrueColor}, {term.Dark, termenv.ANSI}, {term.Light, termenv.ANSI256}} {
		for _, name := range []string{"killed", "handoff", "offline"} {
			t.Run(fmt.Sprintf("%s/%s/%s", c.theme, c.profile.Name(), name), func(t *testing.T) {
				sc := scenes()[name]()
				sc.o.Renderer = profileRenderer(c.profile)
				golden.RequireEqual(t, []byte(stage(sc, 100, 30, c.theme).View()+"\n"))
			})
		}
	}
}

// What a screen has to say in words, whatever its size and colours.
func TestWords(t *testing.T) {
	all := scenes()
	for name, want := range map[string][]string{
		"main":     {"★", "leads  ack ✓", "↑ 12 ~", "next", "missed 0"},
		"killed":   {"☆", "✗", "amber was killed 2.0 s ago", "expires", "next", "nobody is leading, and nobody knows yet"},
		"handoff":  {"session expired", "amber  → birch", "▸12:02:05", "╳"},
		"herd":     {"◂╮", "─╯", "predecessor"},
		"offline":  {"◌", "reconnecting since 6 s", "as of 12:03:01, 6 s ago"},
		"unseen":   {"Not connected yet", "no route to host"},
		"absent":   {"does not exist", "Waiting for", "What to do"},
		"denied":   {"Not allowed to list", "READ"},
		"vacant":   {"No candidates", "17", "nobody leads"},
		"paused":   {"PAUSED 12:03:01", "+2 events waiting"},
		"filter":   {"/er", "2 of 5", "amber", "ember"},
		"homeless": {"electop's candidates without a znode", "❄", "still believes it leads"},
		"hostile":  {`\u202e`, "elected"},
		"crowd":    {"/500", "~1m29s"},
		"ended":    {"◌ ended", "as of 12:03:01, 4 s ago"},
		"replayed": {"the recording has ended", "REPLAY", "fjord"},

		"verified":     {"Curator LeaderLatch", "↑ 12 ✓", "↑ 15 ✓"},
		"astray":       {"▵", "! watches 12, not 13", "! no watch on 15", "2 findings"},
		"astray-one":   {"10.0.3.13:41002   connected to zk3:2181", "6 s   negotiated", "wrong: it watches billing-1:8080  n_12", "◇ warning"},
		"risk":         {"☆", "at risk, expires", "9 s", "next: takes over", "billing-2:8080 would take", "no connection to any of 3 members"},
		"risk-one":     {"at risk, expires in at most 9 s", "no connection to any of 3", "billing-2:8080 would take over"},
		"aftermath":    {"session expired", "no connection to any of 3 members since"},
		"doctor":       {"Doctor  2 findings", "◇ warning", "a herd", "since 12:07:04", "seen", "harm", "do"},
		"healthy":      {"✓", "Nothing found.", "watches on 3 of 3 servers"},
		"unasked":      {"Nothing found.", "not checked", "zk1:2181, zk2:2181  connections: cons is not in the", "4lw.commands.whitelist=wchp", "may not be seen before its znode"},
		"servers":      {"ensemble leader", "follower", "● zk3:2181", "of this election: billing-1:8080", "every 1 s"},
		"silent":       {"zk3:2181", "i/o", "ensemble leader", "4lw.commands.whitelist=wchp"},
		"wall":         {"3 watched, 5 found", "> 2", "☆ billing-1", "stale", "1312 znodes read, 4 denied", "stopped early", "◆ 2", "nobody", "/tasks/nightly"},
		"walking":      {"searching below /   1312 znodes read"},
		"unsought":     {"Can't search for other elections"},
		"second":       {"(2/2)", "/locks/inventory", "holds  one of 3", "10.0.3.21 and 2 more hold", "( ) election"},
		"single":       {"/controller", "broker 2", "There is no queue here", "There is no queue"},
		"retrying":     {"◌ reconnecting since 6 s, trying zk1:2181", "as of 12:07:07, 6 s ago"},
		"expired":      {"◌ session expired since 6 s, trying zk1:2181", "as of 12:07:07, 6 s ago"},
		"looking-help": {"ask the servers now"},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
			says(t, stage(all[name](), size[0], size[1], term.Mono), want...)
		}
	}
}

// No view is larger than the terminal, at any size; none has a control
// character in it but the theme's escapes.
func TestSizes(t *testing.T) {
	all := scenes()
	measured := map[string]int{} // most lines are in many frames
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m := stage(all[name](), 120, 36, term.Dark)
		check := func(w, h int) {
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			lines := strings.Split(m.View(), "\n")
			if len(lines) != h {
				t.Fatalf("%s at %dx%d: %d lines", name, w, h, len(lines))
			}
			for i, line := range lines {
				got, ok := measured[line]
				if !ok {
					got = ansi.StringWidth(line)
					measured[line] = got
					if controls(ansi.Strip(line)) {
						t.Fatalf("%s at %dx%d: line %d has a control character: %q", name, w, h, i, line)
					}
				}
				if got > w {
					t.Fatalf("%s at %dx%d: line %d has %d cells: %q", name, w, h, i, got, line)
				}
			}
		}
		for range panels { // each has the focus
			if name == "main" { // all over
				for h := 1; h <= 100; h += 1 + h/5 {
					for w := 1; w <= 300; w += 1 + w/5 {
						check(w, h)
					}
				}
			}
			// Around the sizes at which the layout changes.
			for _, w := range []int{1, minWidth - 1, minWidth, 67, 80, wideFrom - 1, wideFrom, 121, 300} {
				check(w, 24)
			}
			for _, h := range []int{1, minHeight - 1, minHeight, 29, 36, 100} {
				check(minWidth, h)
				check(121, h)
			}
			if check(120, 36); front(m) != onMain {
				break // the panels are behind what is in front
			}
			m.Update(press("tab"))
		}
	}
}

func TestTooSmall(t *testing.T) {
	m := stage(scenes()["main"](), 50, 15, term.Dark)
	says(t, m, "electop needs 60x20, this terminal is 50x15")
	if after, msg := tick(t, m); msg != nil {
		t.Errorf("a screen with no digits wants a tick in %v", after)
	}
}

// An unchanged line is the same bytes in the next frame, or it would be sent
// again.
func TestUnchangedLines(t *testing.T) {
	sc := scenes()["killed"]()
	sc.o.Renderer = profileRenderer(termenv.TrueColor)
	m, now := stageAt(sc, 120, 36, term.Dark)
	before := strings.Split(m.View(), "\n")
	*now = now.Add(term.TickBusy)
	look(m)
	changed := 0
	for i, line := range strings.Split(m.View(), "\n") {
		if line != before[i] {
			changed++
		}
	}
	if changed == 0 || changed > 3 {
		t.Errorf("%d lines changed in a quarter of a second of a countdown, want its sentence and bar", changed)
	}
}
