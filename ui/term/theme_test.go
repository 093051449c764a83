package term

import (
	"regexp"
	"testing"

	"github.com/muesli/termenv"
)

func TestResolveTheme(t *testing.T) {
	for _, c := range []struct{ name, noColor, fgbg, want string }{
		{"", "", "", Dark},
		{Auto, "1", "0;15", Mono},
		{Auto, "", "0;15", Light},
		{Auto, "", "0;default;7", Light},
		{Auto, "", "15;0", Dark},
		{Auto, "", "15;8", Dark},
		{Auto, "", "nonsense", Dark},
		{Light, "1", "15;0", Light},
		{"typo", "", "", Dark},
	} {
		env := func(k string) string { return map[string]string{"NO_COLOR": c.noColor, "COLORFGBG": c.fgbg}[k] }
		if got := ResolveTheme(c.name, env); got != c.want {
			t.Errorf("%q with NO_COLOR=%q COLORFGBG=%q: %s, want %s", c.name, c.noColor, c.fgbg, got, c.want)
		}
	}
}

// In each theme, on each terminal: the selected row and the badge show, and
// trouble does not look like text.
func TestThemesShow(t *testing.T) {
	for _, name := range []string{Dark, Light, Mono} {
		for _, p := range []termenv.Profile{termenv.TrueColor, termenv.ANSI256, termenv.ANSI, termenv.Ascii} {
			th := NewTheme(name, rendererWith(p))
			for _, pair := range [][2]Style{{Text, Text | Selected}, {Text, Badge}, {Text, Alarm}, {Text, Lead}, {Muted, Key}, {Text, OnPast}} {
				if th.codes[pair[0]] == th.codes[pair[1]] {
					t.Errorf("%s on %s: styles %d and %d are both %q", name, p.Name(), pair[0], pair[1], th.codes[pair[0]])
				}
			}
			if name == Mono {
				for st, seq := range th.codes {
					if regexp.MustCompile(`[34][0-9]`).MatchString(seq) {
						t.Errorf("mono has a colour: style %d is %q", st, seq)
					}
				}
			}
		}
	}
}
