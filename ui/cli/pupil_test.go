package cli_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"electop/model/lesson"
)

// pupil goes by what the screen says.
type pupil struct {
	*terminal
	pause time.Duration // before each key of an act
}

// newPupil starts electop, which keeps the progress in lessons below state.
func newPupil(t *testing.T, state string, rows uint16, args ...string) *pupil {
	t.Helper()
	return &pupil{terminal: openTerminalWith(t, []string{"XDG_STATE_HOME=" + state}, 120, rows, args...)}
}

// waitsForIt is what a lesson says while it does.
const waitsForIt = "Waiting for this to happen"

// goesOn is the key for that in the footer, which is what is drawn last: what
// is above may be older than a footer that has it, and not newer.
const goesOn, readsOn = "space go on", "space read on"

// takes goes through part n of a lesson.
func (p *pupil) takes(n int, l *lesson.Lesson) {
	p.t.Helper()
	part := l.Parts[n]
	p.sees(fmt.Sprintf("part %d of %d", n+1, len(l.Parts)))
	if q := part.Question; q != nil {
		p.waits("the question", func(s string) bool { return !strings.Contains(s, goesOn) && !strings.Contains(s, waitsForIt) })
		p.press(fmt.Sprint(1 + n%len(q.Options)))
	}
	if part.Act != nil {
		p.acts(&part)
	}
	p.goesOn()
	p.press(" ")
}

// goesOn reads until the part can be left.
func (p *pupil) goesOn() {
	p.t.Helper()
	for {
		var was string
		p.waits("that it goes on", func(s string) bool {
			was = s
			return !strings.Contains(s, waitsForIt) && (strings.Contains(s, goesOn) || strings.Contains(s, readsOn))
		})
		if !strings.Contains(was, readsOn) {
			return
		}
		p.press(" ")
		p.waits("the next lines", func(s string) bool { return s != was })
	}
}

var toSelect = regexp.MustCompile(`Select ([a-z]+(?:-[0-9]+)?)`)

// acts does what the part asks for, unless it happens by itself as soon as its question is
// answered: electop asks the servers without [v], too.
func (p *pupil) acts(part *lesson.Part) {
	p.t.Helper()
	a := part.Act
	var who string
	var done bool
	p.waits("what to do", func(s string) bool {
		if m := toSelect.FindStringSubmatch(s[max(0, strings.Index(s, "─ Lesson ")):]); m != nil {
			who = m[1]
		}
		done = part.Question != nil && strings.Contains(s, goesOn)
		return done || strings.Contains(s, waitsForIt) && !strings.Contains(s, goesOn) && (a.Target == "" || who != "")
	})
	if done {
		return
	}
	if a.Target != "" {
		p.selects(who + " ")
	}
	for _, key := range a.Keys {
		if key == "enter" {
			p.sees("Faults of")
			p.selects(entry(a))
			key = "\r"
		}
		time.Sleep(p.pause) // the student takes that time
		p.press(key)
	}
}

// entry is what the act is called in the list of faults.
func entry(a *lesson.Act) string {
	if strings.Contains(a.Do, "choose lead on") {
		return " lead on " // which is how a slow one ends
	}
	return " " + a.Fault + " "
}

// selects moves up or down to the row with that word in it.
func (p *pupil) selects(word string) {
	p.t.Helper()
	for range 50 {
		var l list
		p.waits("a row with "+word, func(s string) bool {
			l = listIn(s, word)
			return l.selected >= 0 && l.with >= 0
		})
		if l.there {
			return
		}
		p.press(map[bool]string{true: "j", false: "k"}[l.with > l.selected])
		// A row's own text changes without a key: its age does, each second.
		p.waits("another row selected than "+l.name, func(s string) bool {
			now := listIn(s, word)
			return now.selected >= 0 && now.name != l.name
		})
	}
	p.t.Fatalf("the row with %q cannot be selected:\n%s", word, p.text())
}

// list is what a screen says of the list in front.
type list struct {
	selected, with int    // lines: of the selected row, and of the first with the word in it; -1 for none
	name           string // of the selected row
	there          bool   // the selected row has the word in it; a row that moves is on two lines for a moment
}

// named is the name in a candidate's row, which is the first word there.
var named = regexp.MustCompile(`[a-z]+(-[0-9]+)?`)

func listIn(screen, word string) list {
	l := list{selected: -1, with: -1}
	menu := strings.Contains(screen, "Faults of")
	n := 0
	for line := range strings.Lines(screen) {
		n++
		if !menu && strings.Contains(line, "─ Lesson ") {
			break
		}
		cells := strings.Split(line, "│")
		i := 1 // after the border of the panel
		if menu && strings.HasPrefix(line, "│") {
			i = 2 // after that of the list in front of it
		}
		if len(cells) <= i+1 {
			continue
		}
		text := cells[i]
		has := strings.Contains(text, word)
		if has && l.with < 0 {
			l.with = n
		}
		if strings.HasPrefix(text, ">") {
			l.selected, l.there, l.name = n, has, text
			if !menu {
				l.name = named.FindString(text)
			}
		}
	}
	return l
}
