package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/demo/lessons"
	"electop/demo/zktest"
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
	p.press("q")
	p.leaves(0)
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
	p.press("q")
	p.leaves(0)
}

// Who answers wrongly, wants hints, does something else, skips and goes back is
// told what of it, and gets on. What was skipped is not done, and where nothing
// can be kept that is said and no hindrance.
func TestALessonGoneThroughBadly(t *testing.T) {
	t.Parallel()
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPupil(t, state, 40, "lesson", "volunteer")
	p.sees("progress in lessons: open " + state)
	p.sees("part 1 of 4", "small files")
	p.press("<")
	p.sees("this is the first part")
	p.press(" ")
	p.sees("part 2 of 4", "Who leads then?")
	p.press(" ")
	p.sees("answer first, with 1 to 3")
	p.press("H")
	p.sees("hint Numbers only go up. Where")
	p.press("H")
	p.sees("there are no more hints")
	p.press("1")
	p.sees("> 1 the newcomer", "Press s: a candidate joins")
	p.press("H")
	p.sees("hint Press s.")
	p.press("2")
	p.sees("already answered")
	p.press("d") // the leader, which the question is about
	p.sees("This part cannot go on: < restarts it.")
	p.press("<")
	p.sees("2 amber, as before", "1-3 answer")
	p.press("1")
	p.sees(waitsForIt)
	p.press("s")
	p.sees("✗ 1 the newcomer", "✓ 2 amber, as before", "✗ No. Numbers only go up", goesOn)
	p.press(" ")
	p.sees("part 3 of 4", "1-2 answer")
	p.press(">")
	p.sees(waitsForIt)
	p.press(">")
	p.sees("part 4 of 4")
	p.press("<")
	p.sees("part 3 of 4", "1-2 answer")
	p.press(">>")
	p.sees("part 4 of 4")
	p.press(">")
	p.sees("Lesson complete, except what was skipped", "Skipped: part 3, part 4. < goes back.")
	p.press("L")
	p.sees(fmt.Sprintf("0 of %d done", len(all)), "1    Volunteer", "on now")
	p.press("\r")
	p.sees("part 1 of 4", "  amber") // in a new election
}

var embeddedAt = regexp.MustCompile(`embedded (127\.0\.0\.1:[0-9]+)`)

// No lesson begins beside candidates from elsewhere, and then nobody of ours is
// sent away for it. One that is on can be left for another, and for none.
func TestALessonNeedsTheElectionForItself(t *testing.T) {
	t.Parallel()
	x := newPupil(t, t.TempDir(), 36, "demo", "--cast", "2")
	x.sees("2 candidates", "leads", "ack")
	m := embeddedAt.FindStringSubmatch(x.text())
	if m == nil {
		t.Fatalf("no address:\n%s", x.text())
	}
	c := zktest.Client(t, m[1])
	name, err := c.Create("/election/n_", []byte("stranger"), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		t.Fatal(err)
	}
	x.sees("3 candidates", "stranger")
	x.press("L")
	x.sees("Lessons", "of 8 done")
	x.press("\r")
	x.sees("without third-party candidates: 1 candidate must leave first", "3 candidates", "amber", "birch")
	if err := c.Delete(name, -1); err != nil {
		t.Fatal(err)
	}
	x.sees("2 candidates")
	x.press("L")
	x.sees("Lessons", "of 8 done")
	x.press("\r")
	x.sees("Lesson 1 of 8", "part 1", "3 candidates")
	x.press("L")
	x.sees("on now")
	x.press("j\r")
	x.sees("Lesson 2 of 8", "part 1", "5 candidates")
	x.press("L")
	x.sees("on now")
	x.press("G\r")
	x.sees("the lesson was left", "5 candidates", "Handoffs")
	x.press("q")
	x.leaves(0)
}
