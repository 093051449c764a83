package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/lessons"
)

// Each lesson is gone through in the real program, in a terminal, by the keys
// that it asks for; what it waits for really happens. Then it counts as done.
func TestLessonsInATerminal(t *testing.T) {
	t.Parallel()
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Errorf("only %d lessons", len(all))
	}
	state := t.TempDir()
	t.Run("each", func(t *testing.T) {
		for i, l := range all {
			t.Run(l.ID, func(t *testing.T) {
				t.Parallel()
				p := newPupil(t, state, 40, "lesson", l.ID)
				p.sees(fmt.Sprintf("Lesson %d of %d: %s", i+1, len(all), l.Title))
				for n := range l.Parts {
					p.takes(n, l)
				}
				p.sees("Lesson complete")
				p.press("q")
				p.leaves(0)
			})
		}
	})
	b, err := os.ReadFile(filepath.Join(state, "electop", "lessons.json"))
	if err != nil {
		t.Fatal(err)
	}
	var kept struct{ Done []string }
	if err := json.Unmarshal(b, &kept); err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if !slices.Contains(kept.Done, l.ID) {
			t.Errorf("%s does not count as done: %s", l.ID, b)
		}
	}

	// The menu has it too, and one that is done can be begun again.
	p := newPupil(t, state, 36, "lesson")
	p.sees(fmt.Sprintf("Lesson 1 of %d", len(all)), "part 1")
	p.press("L")
	p.sees(fmt.Sprintf("%d of %d done", len(all), len(all)), "1  ✓ "+all[0].Title, "on now")
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
	p.sees("part 1 of 4")
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
	p.sees("amber resigned, so the question no longer fits. Press <")
	p.press("<")
	p.sees("2 birch, as before", "1-3 answer")
	p.press("1")
	p.sees(waitsForIt)
	p.press("s")
	p.sees("✗ 1 the newcomer", "✓ 2 birch, as before", "✗ No. Numbers only go up", goesOn)
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
	p.sees("Lesson complete, except what was skipped", "This lesson is not complete: parts 3 and 4 were skipped. < goes back.")
	p.press("L")
	p.sees(fmt.Sprintf("0 of %d done", len(all)), "1    Volunteer", "on now")
	p.press("\r")
	p.sees("part 1 of 4", " 4  amber") // afresh: 0 to 3 were there before
}

// rightAnswers are those of lessons, by question, from 1.
var rightAnswers = map[string][]int{
	"volunteer": {2, 2}, "chain": {2, 1}, "handoff": {2, 1}, "middle": {3, 2}, "crash": {1, 2}, "herd": {3, 1}, "fence": {1, 1, 2, 3, 2},
	"guid": {2, 3, 2}, "acknowledgement": {2}, "observers": {2, 1}, "truth": {2, 2, 1},
}

// The answer that is right is right, and the others are not, however long a student waits
// before the act. With ELECTOP_TEST_LONG that is every lesson with every answer.
func TestVerdictsInATerminal(t *testing.T) {
	t.Parallel()
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	delays, played := []time.Duration{100 * time.Millisecond, 1500 * time.Millisecond, 6 * time.Second}, []string{"crash", "truth"}
	long := os.Getenv("ELECTOP_TEST_LONG") != ""
	for _, l := range all {
		if !long && !slices.Contains(played, l.ID) {
			continue
		}
		for i, pause := range delays {
			for _, other := range []int{i % 2, 1 - i%2, 2} { // how far the answer is from the right one
				if !long && other != i%2 {
					continue
				}
				t.Run(fmt.Sprintf("%s after %v, %d beside", l.ID, pause, other), func(t *testing.T) {
					t.Parallel()
					p := newPupil(t, t.TempDir(), 50, "lesson", l.ID)
					p.pause = pause
					right := rightAnswers[l.ID]
					for n, part := range l.Parts {
						p.sees(fmt.Sprintf("part %d of %d", n+1, len(l.Parts)))
						want, answer := 0, 0
						if q := part.Question; q != nil {
							want, right = right[0], right[1:]
							answer = 1 + (want-1+other)%len(q.Options)
							p.waits("the question", func(s string) bool { return !strings.Contains(s, goesOn) && !strings.Contains(s, waitsForIt) })
							p.press(fmt.Sprint(answer))
						}
						if part.Act != nil {
							p.acts(&part)
						}
						p.goesOn()
						if want != 0 {
							verdict := map[bool]string{true: "✓ Right", false: "✗ No"}[answer == want]
							p.sees(fmt.Sprintf("✓ %d ", want), verdict)
						}
						p.press(" ")
					}
					p.sees("Lesson complete")
					p.press("q")
					p.leaves(0)
				})
			}
		}
	}
}

// Another act than the one that a question is about is no answer to it.
func TestAnotherActInATerminal(t *testing.T) {
	t.Parallel()
	p := newPupil(t, t.TempDir(), 40, "lesson", "crash")
	p.sees("part 1 of 4")
	p.press(" ")
	p.sees("part 2 of 4", "1-3 answer")
	p.press("1")
	p.sees(waitsForIt)
	p.press("x")
	p.sees("amber was killed. This step needs something else. Press <")
	p.press("<")
	p.sees("1-3 answer", "birch resigns. For how long")
	p.press("1")
	p.sees(waitsForIt, "Select birch")
	p.selects("birch ")
	p.press("d")
	p.sees("✓ 1 only some milliseconds", "✓ Right", goesOn)
	p.press("q")
	p.leaves(0)
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
	c := rawClient(t, m[1])
	name, err := c.Create("/election/n_", []byte("stranger"), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		t.Fatal(err)
	}
	x.sees("3 candidates", "stranger")
	x.press("L")
	x.sees("Lessons", "of 11 done")
	x.press("\r")
	x.sees("without third-party candidates: 1 candidate must leave first", "3 candidates", "amber", "birch")
	if err := c.Delete(name, -1); err != nil {
		t.Fatal(err)
	}
	x.sees("2 candidates")
	x.press("L")
	x.sees("Lessons", "of 11 done")
	x.press("\r")
	x.sees("Lesson 1 of 11", "part 1", "3 candidates")
	x.press("L")
	x.sees("on now")
	x.press("j\r")
	x.sees("Lesson 2 of 11", "part 1", "5 candidates")
	x.press("L")
	x.sees("on now")
	x.press("G\r")
	x.sees("the lesson was left", "5 candidates", "Handoffs")
	x.press("q")
	x.leaves(0)
}
