package ui

import (
	"regexp"
	"testing"

	"electop/model/dialect"
	"electop/ui/term"
)

// However often a class of 300 changes the rule, which deletes a znode of each, the
// numbers of both rules stay on the screen.
func TestBothRulesStay(t *testing.T) {
	w := classroom(300).handed(2, 318)
	w.reseat(dialect.Herd()).handed(598, 110_000)
	w.reseat(dialect.Election())
	w.reseat(dialect.Herd())
	m := stage(scene{world: w, o: Options{Mode: ModeDemo}}, 120, 36, term.Mono)
	for _, want := range []string{`chain .* 1 +2 +318 B`, `herd .* 298 +598 +110.0 kB`} {
		if !regexp.MustCompile(want).MatchString(screen(m)) {
			t.Errorf("the screen does not match %q:\n%s", want, screen(m))
		}
	}
}
