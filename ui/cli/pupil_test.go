package cli_test

import (
	"fmt"
	"strings"
	"testing"

	"electop/model/lesson"
)

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
