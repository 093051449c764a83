package lessons_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/demo/lessons"
	"electop/model/lesson"
)

// A deed is something that a student can do at the dashboard.
type deed struct {
	on         lesson.Role // a place in the queue, "" for none
	key, fault string
}

func (d deed) what() string {
	if d.fault != "" {
		return "X " + d.fault
	}
	return d.key
}

func (d deed) String() string {
	if d.on != "" {
		return d.what() + " on " + string(d.on)
	}
	return d.what()
}

// deeds are all that a student could do instead of what a part asks for, in an election of
// so many candidates.
func deeds(cast int) (all []deed) {
	for _, key := range []string{"s", "c", "h", "w", "[", "]", "v"} {
		all = append(all, deed{key: key})
	}
	places := []lesson.Role{lesson.Leader, lesson.Last, lesson.Second, lesson.Middle}
	for _, on := range places[:min(cast, len(places))] {
		for _, key := range []string{"d", "x", "f"} {
			all = append(all, deed{on: on, key: key})
		}
		for _, fault := range []string{"partition", "expire", "lose reply", "no guid", "slow lead"} {
			all = append(all, deed{on: on, key: "enter", fault: fault})
		}
	}
	return all
}

// at is the member in a place of the queue, "" for none.
func (h *theatre) at(role lesson.Role) string {
	s := h.feed.State()
	n := s.Queue.Len()
	if role == "" {
		return ""
	}
	i := map[lesson.Role]int{lesson.Leader: 0, lesson.Second: 1, lesson.Middle: n / 2, lesson.Last: n - 1}[role]
	if i >= n {
		return ""
	}
	if m := s.Member(s.Queue.At(i)); m != nil {
		return m.ID
	}
	return ""
}

// delays are how long a student waits between an answer and each key.
var delays = []time.Duration{100 * time.Millisecond, 1500 * time.Millisecond, 6 * time.Second}

// passesFor are the deeds that end a part as well as the one that it asks for:
// what the part teaches is then true, too.
var passesFor = map[string][]string{
	"volunteer 2": {"c"},
	"volunteer 3": {"x", "f", "X partition", "X expire", "X lose reply"},
	"chain 2":     {"c"},
	"truth 2":     {any}, // the servers are asked anyway
	"truth 3":     {"c"},
	// It resigns, and rejoins.
	"chain 3": {"X lose reply"}, "handoff 3": {"X lose reply"}, "handoff 5": {"X lose reply"}, "middle 2": {"X lose reply"}, "crash 2": {"X lose reply"},
	"herd 3": {"X lose reply"}, "herd 5": {"X lose reply"}, "guid 5": {"X lose reply"}, "acknowledgement 3": {"X lose reply"}, "observers 3": {"X lose reply"},
	// The session expires all the same.
	"middle 3": {"f", "X partition", "X expire"},
	"crash 3":  {"f", "X partition", "X expire"},
	"guid 6":   {"d", "f", "X partition", "X expire", "X lose reply"},
}

const any = "whatever"

// scored is a lesson whose right answers are known.
type scored struct {
	*lesson.Lesson
	right []int // by part, -1 where nothing is asked
}

// score plays a lesson to find its right answers, which must be the predictions.
func (h *theatre) score(t *testing.T, l *lesson.Lesson) scored {
	t.Helper()
	out := h.play(t, l, student{})
	if !slices.Equal(out.texts, predictions[l.ID]) {
		t.Fatalf("right are %q, want %q", out.texts, predictions[l.ID])
	}
	x := scored{Lesson: l}
	for i := range l.Parts {
		right := -1
		if l.Parts[i].Question != nil {
			right, out.options = out.options[0], out.options[1:]
		}
		x.right = append(x.right, right)
	}
	return x
}

// judged checks the verdict of a part that has ended.
func (x scored) judged(v lesson.View) error {
	switch want := x.right[v.Part-1]; {
	case v.Stuck != "":
		return fmt.Errorf("it has ended, and says %q", v.Stuck)
	case v.Question == "" || v.Right == want && v.Chosen < 0:
		return nil
	case v.Right != want:
		return fmt.Errorf("right is %d, want %q", v.Right+1, v.Options[want])
	case strings.HasPrefix(v.Verdict, "Right") != (v.Chosen == want):
		return fmt.Errorf("answer %d has the verdict %q", v.Chosen+1, v.Verdict)
	}
	return nil
}

// until goes through the parts before one, as asked for.
func (h *theatre) until(t *testing.T, x scored, part int) {
	t.Helper()
	h.begin(t, x.Lesson)
	for h.view().Part < part {
		h.await(t, "it is clear who is meant", func(v lesson.View) bool { return v.Stuck == "" })
		h.step(t, x, 200*time.Millisecond)
		if v := h.await(t, "it happens", func(v lesson.View) bool { return !v.Waiting }); !v.CanNext {
			t.Fatalf("%s, part %d: no way on: %+v", x.ID, v.Part, v)
		}
		h.input(lesson.Next, 0)
	}
	h.await(t, "it is clear who is meant", func(v lesson.View) bool { return v.Stuck == "" })
}

// step answers rightly where something is asked, and does what is asked for,
// with a pause before each key.
func (h *theatre) step(t *testing.T, x scored, pause time.Duration) {
	t.Helper()
	if v := h.view(); v.Question != "" && v.Chosen < 0 && !v.Waiting && !v.CanNext {
		h.input(lesson.Answer, x.right[v.Part-1])
	}
	h.follow(h.view(), pause)
}

// follow presses the keys that a view names, which may be refused by now.
func (h *theatre) follow(v lesson.View, pause time.Duration) {
	if !v.Waiting {
		return
	}
	for _, key := range v.Keys {
		time.Sleep(pause)
		if v.Target != "" || !strings.Contains("xfdX", key) && key != "enter" {
			_ = h.act(key, v.Target, v.Fault)
		}
	}
}

// quiet is how long it takes until all has happened that a deed can bring about.
const quiet = 9 * time.Second

// undo chooses what the lesson says in the list of faults.
func (h *theatre) undo(v lesson.View, to []string) {
	id := v.Target
	if to != nil {
		id = to[1]
	}
	for words, fault := range map[string]string{"choose heal": "partition", "choose lead on": "slow lead", "choose guid again": "no guid"} {
		if strings.Contains(v.Stuck, words) {
			_ = h.act("enter", id, fault)
		}
	}
}

var selected = regexp.MustCompile(`select (\S+?),? `)

var advised = regexp.MustCompile(`[Pp]ress ([a-zA-Z<])\b|(<)`)

// recover goes on from wherever the lesson is, as its texts say, until the part is
// done. It returns what the student read on the way.
func (h *theatre) recover(t *testing.T, x scored, part int) (read []string, err error) {
	for range 30 {
		v := h.view()
		if v.CanNext {
			if err := x.judged(v); err != nil {
				return read, fmt.Errorf("part %d: %w", v.Part, err)
			}
			if v.Part >= part {
				return read, nil
			}
			h.input(lesson.Next, 0)
			continue
		}
		if v.Stuck == "" {
			h.step(t, x, 200*time.Millisecond)
			time.Sleep(quiet)
			continue
		}
		read = append(read, v.Stuck)
		m, to := advised.FindStringSubmatch(v.Stuck), selected.FindStringSubmatch(v.Stuck)
		switch {
		case to != nil && strings.Contains(v.Stuck, "press f"):
			_ = h.act("f", to[1], "")
		case to != nil || strings.Contains(v.Stuck, "choose heal"):
			h.undo(v, to)
		case m != nil && m[1]+m[2] == "<":
			h.input(lesson.Back, 0)
		case m != nil && strings.Contains("shwF", m[1]):
			_ = h.act(m[1], "", "")
		case m != nil && v.Target != "" && strings.Contains("xdf", m[1]):
			_ = h.act(m[1], v.Target, "")
		default:
			h.step(t, x, 200*time.Millisecond)
		}
		time.Sleep(quiet)
	}
	return read, fmt.Errorf("it sticks: %+v\n%s\n%q", h.view(), h.queue(), h.notices)
}

// Every part is played with each answer, at each delay, with what it asks for:
// the right answer is right, and all others are not.
func TestRightDeeds(t *testing.T) {
	eachLesson(t, func(t *testing.T, h *theatre, x scored) {
		for part := 1; part <= len(x.Parts); part++ {
			if x.Parts[part-1].Act == nil {
				continue
			}
			for _, pause := range delays {
				for choice := range max(1, len(options(x, part))) {
					h.until(t, x, part)
					if x.right[part-1] >= 0 {
						h.input(lesson.Answer, choice)
					}
					h.follow(h.view(), pause)
					v := h.await(t, fmt.Sprintf("answer %d after %v", choice+1, pause), func(v lesson.View) bool { return !v.Waiting })
					if err := x.judged(v); err != nil {
						t.Errorf("part %d, answer %d, after %v: %v", part, choice+1, pause, err)
					}
				}
			}
		}
	})
}

func options(x scored, part int) []lesson.Option {
	if q := x.Parts[part-1].Question; q != nil {
		return q.Options
	}
	return nil
}

// Whatever a student does instead, before or after the answer: either it is as good as
// what was asked for, see passesFor, or the lesson goes on waiting, or says what is
// different and how to go on. No answer is judged by it otherwise, and the part can
// be completed. -v says what passed for what; ELECTOP_TEST_LONG has each deed also before
// the answer, at each delay. With the race detector only one deed of share is done.
func TestOtherDeeds(t *testing.T) {
	long := os.Getenv("ELECTOP_TEST_LONG") != ""
	eachLesson(t, func(t *testing.T, h *theatre, x scored) {
		n := 0
		for part := 1; part <= len(x.Parts); part++ {
			if x.Parts[part-1].Act == nil {
				continue
			}
			for _, d := range deeds(x.Scene.Cast) {
				for _, early := range []bool{false, true} {
					if early && (x.right[part-1] < 0 || !long && (d.on != lesson.Leader || d.fault != "")) {
						continue
					}
					if n++; n%share != 0 {
						continue
					}
					times := delays[n%len(delays):][:1]
					if long {
						times = delays
					}
					for _, pause := range times {
						h.other(t, x, part, d, early, pause, n)
					}
				}
			}
		}
	})
}

// other plays a part with another deed than the one that it asks for.
func (h *theatre) other(t *testing.T, x scored, part int, d deed, early bool, pause time.Duration, n int) {
	t.Helper()
	h.until(t, x, part)
	answer := func() {
		if x.right[part-1] >= 0 {
			h.input(lesson.Answer, n%len(options(x, part)))
		}
	}
	if !early {
		answer()
	}
	v := h.view()
	target := h.at(d.on)
	if d.on != "" && target == "" || slices.Contains(v.Keys, d.key) && v.Target == target && v.Fault == d.fault {
		return // nobody is there, or it is what is asked for
	}
	time.Sleep(pause)
	if h.act(d.key, target, d.fault) != nil {
		return // the dashboard refuses it
	}
	if early {
		time.Sleep(pause)
		answer()
	}
	time.Sleep(quiet)
	v = h.view()
	name := fmt.Sprintf("%s %d", x.ID, part)
	what := d.String()
	if early {
		what += " before the answer"
	}
	outcome := "waits"
	if v.CanNext {
		outcome = "passes"
		if err := x.judged(v); err != nil {
			t.Errorf("wrong: %s: %s: %v", name, what, err)
			return
		}
		if !early && !slices.Contains(passesFor[name], d.what()) && !slices.Contains(passesFor[name], any) {
			t.Errorf("wrong: %s: %s passes for %q", name, what, x.Parts[part-1].Act.Do)
		}
	} else if v.Stuck != "" {
		outcome = v.Stuck
	}
	read, err := h.recover(t, x, part)
	if err != nil {
		t.Errorf("wrong: %s: %s after %v: %s, then %q: %v", name, what, pause, outcome, read, err)
	}
	t.Logf("%s: %s: %s %q", name, what, outcome, read)
}

// eachLesson runs f for each lesson in virtual time.
func eachLesson(t *testing.T, f func(t *testing.T, h *theatre, x scored)) {
	t.Helper()
	all, err := lessons.All()
	must(t, err)
	for _, l := range all {
		t.Run(l.ID, func(t *testing.T) {
			t.Parallel()
			enter(t, func(t *testing.T, h *theatre) { f(t, h, h.score(t, l)) })
		})
	}
}
