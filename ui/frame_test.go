package ui

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// sent is like Model.Update, but does not call reportListing and does not return the tick.
func sent(m Model, msg tea.Msg) tea.Cmd {
	cmd := m.d.update(msg)
	m.d.redraw()
	return cmd
}

func pressed(m Model, key string) tea.Cmd { return sent(m, press(key)) }

func keys(m Model, ks ...string) {
	for _, k := range ks {
		for cmd := pressed(m, k); cmd != nil; {
			cmd = sent(m, cmd())
		}
	}
}

func drawNow(m Model) { m.Update(tea.ResumeMsg{}) }

func tick(t *testing.T, m Model) (after time.Duration, msg tea.Msg) {
	t.Helper()
	_, cmd := m.Update(tea.ResumeMsg{})
	if cmd == nil {
		return 0, nil
	}
	synctest.Test(t, func(*testing.T) {
		began := time.Now()
		msg = cmd()
		after = time.Since(began)
	})
	return after, msg
}

func screen(m Model) string { return stripped(m.View()) }

func stripped(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	return ansi.Strip(s)
}

func lines(m Model) []string { return strings.Split(screen(m), "\n") }

func shows(t *testing.T, m Model, want ...string) {
	t.Helper()
	text := screen(m)
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("the screen does not show %q:\n%s", w, text)
		}
	}
}

func showsNot(t *testing.T, m Model, never ...string) {
	t.Helper()
	text := screen(m)
	for _, w := range never {
		if strings.Contains(text, w) {
			t.Errorf("the screen shows %q:\n%s", w, text)
		}
	}
}

func headerLine(m Model) string { return lines(m)[0] }

func statusLine(m Model) string { l := lines(m); return l[len(l)-2] }

func statusShows(t *testing.T, m Model, want string) {
	t.Helper()
	if got := statusLine(m); !strings.Contains(got, want) {
		t.Errorf("got status line %q, want %q in it", got, want)
	}
}

func footerLine(m Model) string { l := lines(m); return l[len(l)-1] }

func shownPath(m Model) string { return strings.Fields(headerLine(m))[1] }

// front returns one of these, or a title.
const (
	onMain     = "the main screen"
	inPast     = "the main screen in the past"
	inFilter   = "a filter"
	inQuestion = "a question"
)

var (
	boxTitle    = regexp.MustCompile(`╭─ ([^─]+) ─`)
	mainPanel   = regexp.MustCompile(`^(Candidates|Contenders|Members|Items|Participants|Sites|Sessions|Children|Recipe|Belief|Belief and truth|Handoffs|Came and went|Messages|(?:Candidate|Contender|Member|Item|Participant|Site|Child)(?: .*)?|Doctor.*|Servers|Lesson \d.*)$`)
	zoomedText  = regexp.MustCompile(`^((?:Candidate|Contender|Member|Item|Participant|Site|Child)(?: .*)?|Doctor.*|Servers)$`)
	filterTyped = regexp.MustCompile(`^ /(.*)█(.*)  (?:name, znode|path, system)`)
	queueRow    = regexp.MustCompile(`^[> »](?: {0,2}[^\pL\pN\s]+\s+(\d+)|\s+(-))\s+(?:[RW][╮┤╯]?\s+)?(\S+)`)
)

func front(m Model) string {
	all := lines(m)
	switch status := all[len(all)-2]; {
	case filterTyped.MatchString(status):
		return inFilter
	case strings.HasSuffix(strings.TrimSpace(status), "? y n"):
		return inQuestion
	}
	var titles []string
	for _, line := range all {
		for _, found := range boxTitle.FindAllStringSubmatch(line, -1) {
			if titles = append(titles, found[1]); !mainPanel.MatchString(found[1]) {
				return found[1]
			}
		}
	}
	if len(titles) == 1 && zoomedText.MatchString(titles[0]) {
		return titles[0]
	}
	if strings.Contains(all[len(all)-1], "← → event") {
		return inPast
	}
	return onMain
}

func listed(m Model) []string {
	for _, title := range []string{"Candidates", "Contenders", "Members", "Items", "Participants", "Sites", "Sessions", "Children"} {
		if in := inside(m, title); in != nil {
			return in
		}
	}
	return nil
}

func inside(m Model, title string) (in []string) {
	x := -1
	for _, line := range lines(m) {
		if x < 0 {
			if before, _, found := strings.Cut(line, "╭─ "+title+" ─"); found {
				x = len([]rune(before))
			}
			continue
		}
		cells := []rune(line)
		if len(cells) <= x || cells[x] != '│' {
			break
		}
		rest := cells[x+1:]
		if end := slices.Index(rest[min(5, len(rest)):], '│'); end >= 0 { // the edges of watches are in the first 5 cells
			rest = rest[:5+end]
		}
		in = append(in, string(rest))
	}
	return in
}

// queue returns the listed rows in view, such as "12 amber".
func queue(m Model) (all []string) {
	for _, line := range listed(m) {
		if found := queueRow.FindStringSubmatch(line); found != nil {
			all = append(all, found[1]+found[2]+" "+found[3])
		}
	}
	return all
}

func marked(m Model, title string) string {
	for _, line := range inside(m, title) {
		if rest, ok := strings.CutPrefix(line, ">"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "nothing"
}

func selected(m Model) string {
	for _, line := range listed(m) {
		if found := queueRow.FindStringSubmatch(line); found != nil && line[0] == '>' {
			return found[1] + found[2] + " " + found[3]
		}
	}
	return "nobody"
}

func gridLastLine(m Model) string {
	in := listed(m)
	return in[len(in)-1]
}
