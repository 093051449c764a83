package zktest_test

import (
	"testing"

	"electop/demo/zktest"
)

func TestProgramTalks(t *testing.T) {
	p := zktest.Run(t, "cat")
	for _, line := range []string{"one", "two apples", "three"} {
		p.Say(t, line)
	}
	if rest := p.Line(t, "two "); rest != "apples" {
		t.Errorf("after %q came %q", "two ", rest)
	}
	p.Line(t, "three") // or fails: "one" has been passed over
	p.Finish(t)
	if out := p.Output(); out != "one\ntwo apples\nthree" {
		t.Errorf("all it wrote: %q", out)
	}
	p.Kill() // when it has ended already
}

// TestProgramEndsWithItsTest leaves a program behind; TestMain's leak check
// sees whether it was waited for.
func TestProgramEndsWithItsTest(t *testing.T) {
	t.Run("inner", func(t *testing.T) { zktest.Run(t, "cat") })
}
