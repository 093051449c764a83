package candidates_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"electop/model"
	"electop/ui/candidates"
	"electop/ui/term"
)

// drawnAt is the panel as text, some time after noon, and after how long it is to be
// drawn again.
func drawnAt(e *election, after time.Duration, held bool) (text string, again time.Duration) {
	theme := term.NewTheme(term.Mono, lipgloss.NewRenderer(nil))
	now := noon.Add(after)
	f := &term.Frame{Canvas: new(term.Canvas), Theme: theme, Now: now, Picture: now, Held: held}
	f.Resize(80, 12)
	var p candidates.Panel
	p.Reselect(e.j.State())
	r := term.Rect{W: 80, H: 12}
	p.Settle(candidates.Shown{State: e.j.State()}, r)
	p.Draw(f)
	if !f.Wake.IsZero() {
		again = f.Wake.Sub(now)
	}
	return ansi.Strip(f.Render(theme)), again
}

// A fuse has eight cells of its session timeout, and none goes out before its time: the
// frame is drawn again when the next one does.
func TestFuse(t *testing.T) {
	e := newElection()
	e.join(3)
	for i, id := range []string{"m1", "m2", "m3"} {
		name := e.names()[i]
		e.j.Apply(&model.Cast{At: noon, Member: model.Member{ID: id, Name: id, Belief: model.Waiting, Znode: name, Session: e.children[name].Session, Timeout: 4 * time.Second}})
	}
	if text, _ := drawnAt(e, 0, false); strings.Contains(text, "timeout") {
		t.Errorf("nothing is known of any session, and there is a column:\n%s", text)
	}
	e.j.Apply(&model.Deadlines{At: noon, Sessions: []model.Deadline{{Session: 1, Expires: noon.Add(4 * time.Second)}, {Session: 2, Expires: noon.Add(2500 * time.Millisecond), Held: true}}})
	for _, c := range []struct {
		after time.Duration
		fuse  string
	}{
		{0, "████████"}, {time.Millisecond, "████████"}, {500 * time.Millisecond, "███████·"}, {1250 * time.Millisecond, "██████··"},
		{2 * time.Second, "████····"}, {3900 * time.Millisecond, "█·······"}, {4 * time.Second, "········"}, {time.Hour, "········"},
	} {
		text, again := drawnAt(e, c.after, false)
		lines := strings.Split(text, "\n")
		if !strings.Contains(lines[2], c.fuse) || !strings.Contains(lines[3], "█████···") || !strings.Contains(lines[4], "?       ") {
			t.Errorf("after %v, want %q, five cells and unknown:\n%s", c.after, c.fuse, text)
		}
		// Ages change each second.
		if again > time.Second || again <= 0 {
			t.Errorf("after %v the next frame is in %v", c.after, again)
		}
		if later, _ := drawnAt(e, c.after+again-2*time.Millisecond, false); again > 2*time.Millisecond && fuseOf(later) != fuseOf(text) {
			t.Errorf("after %v the next frame is in %v, and the fuse burns before that", c.after, again)
		}
	}
	if _, again := drawnAt(e, 1250*time.Millisecond, false); again != 251*time.Millisecond {
		t.Errorf("six cells are left for %v, want 251 ms", again)
	}
	if _, again := drawnAt(e, 1250*time.Millisecond, true); again != 0 {
		t.Errorf("the picture is held, and changes in %v", again)
	}
}

// fuseOf is the fuse of the first row.
func fuseOf(text string) string { return strings.Trim(strings.Split(text, "\n")[2], "│ ") }
