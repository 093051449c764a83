package cli_test

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
)

// output is all that the program wrote.
func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// Esc is a key without an answer of the terminal, which is not asked for its
// background.
func TestKeysInATerminal(t *testing.T) {
	t.Parallel()
	x := openTerminalWith(t, []string{"NO_COLOR=", "COLORFGBG=", "ELECTOP_THEME="}, 80, 24, "demo", "--cast", "2")
	x.sees("1/2", "leads")
	x.press("?")
	x.sees("On the main screen")
	x.press("\x1b")
	x.waits("the main screen", func(s string) bool { return !strings.Contains(s, "On the main screen") })
	x.quits("q")
	if strings.Contains(x.output(), "\x1b]11;?") {
		t.Error("the terminal is asked for its background")
	}
	if !strings.Contains(x.output(), "38;2;242;193;78") {
		t.Error("no colour of the dark theme was written")
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
	x.quits("q")
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
	x.quits("q")
	if raw := x.output(); !strings.Contains(raw, on) || strings.LastIndex(raw, on) > strings.LastIndex(raw, "\x1b[?1002l") {
		t.Error("the mouse was not on, or is still")
	}

	for _, with := range []struct{ env, flag string }{{"ELECTOP_NO_MOUSE=true", "--cast=4"}, {"ELECTOP_NO_MOUSE=", "--no-mouse"}} {
		x = openTerminalWith(t, []string{with.env}, 80, 24, "demo", with.flag)
		x.sees("leads")
		x.quits("q")
		if strings.Contains(x.output(), on) {
			t.Errorf("%v: the mouse is on", with)
		}
	}
}
