package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"electop/demo/lessons"
	"electop/model/lesson"
)

// The first lesson in the real program, in a terminal, by the keys that it asks for. Then
// it counts as done. The others are played on real elections in demo/lessons.
func TestLessonInATerminal(t *testing.T) {
	t.Parallel()
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	state, first := t.TempDir(), all[0]
	p := newPupil(t, state, 40, "lesson", first.ID)
	p.sees(fmt.Sprintf("Lesson 1 of %d: %s", len(all), first.Title))
	for n := range first.Parts {
		p.takes(n, first)
	}
	p.sees("Lesson complete")
	p.quits("q")
	b, err := os.ReadFile(filepath.Join(state, "electop", "lessons.json"))
	if err != nil || !strings.Contains(string(b), `"`+first.ID+`"`) {
		t.Errorf("%s does not count as done: %s, %v", first.ID, b, err)
	}

	// The menu has it too, and one that is done can be begun again.
	p = newPupil(t, state, 36, "lesson")
	p.sees(fmt.Sprintf("Lesson 2 of %d", len(all)), "part 1")
	p.press("L")
	p.sees(fmt.Sprintf("1 of %d done", len(all)), "1  ✓ "+first.Title, "on now")
	p.press("G")
	p.press("k\r")
	p.sees(fmt.Sprintf("Lesson %d of %d: ", len(all), len(all)), "part 1")
	p.quits("q")
}

// pupil goes by what the screen says.
type pupil struct{ *terminal }

// newPupil starts electop, which keeps the progress in lessons below state.
func newPupil(t *testing.T, state string, rows uint16, args ...string) *pupil {
	t.Helper()
	return &pupil{openTerminalWith(t, []string{"XDG_STATE_HOME=" + state}, 120, rows, args...)}
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

// acts presses the keys that the part asks for.
func (p *pupil) acts(part *lesson.Part) {
	p.t.Helper()
	p.waits("what to do", func(s string) bool { return strings.Contains(s, waitsForIt) && !strings.Contains(s, goesOn) })
	if part.Act.Target == "last" {
		p.press("G")
	}
	for _, key := range part.Act.Keys {
		p.press(key)
	}
}
