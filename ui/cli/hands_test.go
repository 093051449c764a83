package cli_test

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"time"
)

// output is all that the program wrote.
func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// The terminal is asked for its background after the first frame. However late the answer
// comes, and in whatever pieces, the theme follows it, and no part of it is a key: [f], [/]
// and [r] would be some.
func TestLateAnswersAreNoKeys(t *testing.T) {
	t.Parallel()
	const question, answer = "\x1b]11;?", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
	const lightGrey = "38;2;93;102;115" // of the theme for a light background
	for name, c := range map[string]struct {
		pieces []string
		after  time.Duration // each comes so long after what was before it
	}{
		"50 ms":            {[]string{answer}, 50 * time.Millisecond},
		"500 ms":           {[]string{answer}, 500 * time.Millisecond},
		"in pieces":        {strings.SplitAfter(answer, "f/"), 50 * time.Millisecond},
		"the first letter": {[]string{answer[:1], answer[1:]}, 100 * time.Millisecond},
		"two letters":      {[]string{answer[:2], answer[2 : len(answer)-1], answer[len(answer)-1:]}, 500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := openTerminalWith(t, []string{"NO_COLOR=", "COLORFGBG=", "ELECTOP_THEME="}, 80, 24, "demo", "--cast", "2")
			x.sees("1/2", "leads")
			x.waits("the question", func(string) bool { return strings.Contains(x.output(), question) })
			if raw := x.output(); strings.Index(raw, question) < strings.Index(raw, "electop") {
				t.Error("the question comes before the first frame")
			}
			for _, p := range c.pieces {
				time.Sleep(c.after) // the terminal takes its time
				x.press(p)
			}
			x.waits("the light theme", func(string) bool { return strings.Contains(x.output(), lightGrey) })
			if s := x.text(); strings.Contains(s, "frozen") || strings.Contains(s, "contains") || strings.Contains(s, "faster") || strings.Contains(s, "rgb") || !strings.Contains(s, "leads") {
				t.Errorf("the answer was taken for keys:\n%s", s)
			}
			x.press("q") // not into a filter
			x.leaves(0)
			if n := strings.Count(x.output(), question); n != 1 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// A terminal that does not answer keeps nothing waiting: Esc is a key, and the theme is
// the one for a dark background.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	x := openTerminalWith(t, []string{"NO_COLOR=", "COLORFGBG=", "ELECTOP_THEME="}, 80, 24, "demo", "--cast", "2")
	x.sees("1/2", "leads")
	x.press("?")
	x.sees("On the main screen")
	x.press("\x1b")
	x.waits("the main screen", func(s string) bool { return !strings.Contains(s, "On the main screen") })
	x.press("q")
	x.leaves(0)
	if !strings.Contains(x.output(), "38;2;242;193;78") {
		t.Error("no colour of the dark theme was written")
	}
}

// Who has chosen a theme is not asked for one.
func TestNoQuestionWithATheme(t *testing.T) {
	t.Parallel()
	for _, env := range []string{"ELECTOP_THEME=light", "NO_COLOR=1"} {
		x := openTerminalWith(t, []string{"NO_COLOR=", "ELECTOP_THEME=", env}, 80, 24, "demo", "--cast", "2")
		x.sees("1/2", "leads")
		x.press("q")
		x.leaves(0)
		if strings.Contains(x.output(), "\x1b]11;?") {
			t.Errorf("%s: the terminal is asked for its background", env)
		}
	}
}

// y reaches the terminal's clipboard, and says no more than that it was sent.
func TestCopyInATerminal(t *testing.T) {
	t.Parallel()
	x := openTerminalWith(t, []string{"TMUX=", "STY="}, 80, 24, "demo", "--cast", "2")
	x.sees("1/2", "leads")
	x.press("jy")
	x.sees("path sent to the terminal's clipboard")
	sent := regexp.MustCompile("\x1b]52;c;([A-Za-z0-9+/=]*)\a").FindStringSubmatch(x.output())
	if sent == nil {
		t.Fatal("nothing was sent")
	}
	if path, err := base64.StdEncoding.DecodeString(sent[1]); err != nil || !regexp.MustCompile(`^/election/\S+n_0000000001$`).Match(path) {
		t.Errorf("sent is %q, %v", path, err)
	}
	x.press("q")
	x.leaves(0)
}

// The mouse works on a terminal that reports it, unless it is left to the terminal.
func TestMouseInATerminal(t *testing.T) {
	t.Parallel()
	const on = "\x1b[?1002h"
	x := openTerminal(t, 80, 24, "demo", "--cast", "4")
	x.sees("1/4", "leads")
	x.press("\x1b[<0;15;6M\x1b[<0;15;6m") // the third row
	x.sees("3/4")
	x.press("\x1b[<64;15;6M") // the wheel, up
	x.sees("2/4")
	x.press("\x1b[<0;1") // in two pieces
	x.press("5;7M")
	x.sees("4/4")
	x.press("q")
	x.leaves(0)
	if raw := x.output(); !strings.Contains(raw, on) || strings.LastIndex(raw, on) > strings.LastIndex(raw, "\x1b[?1002l") {
		t.Error("the mouse was not on, or is still")
	}

	for _, with := range []struct{ env, flag string }{{"ELECTOP_NO_MOUSE=true", "--cast=4"}, {"ELECTOP_NO_MOUSE=", "--no-mouse"}} {
		x = openTerminalWith(t, []string{with.env}, 80, 24, "demo", with.flag)
		x.sees("leads")
		x.press("q")
		x.leaves(0)
		if strings.Contains(x.output(), on) {
			t.Errorf("%v: the mouse is on", with)
		}
	}
}
