package dashboard

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo"
	"electop/demo/lessons"
	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model/doctor"
	"electop/model/lesson"
	"electop/zkwatch/client"
)

// rightAnswers has the number of each part's right answer, from 1; 0 means a part without a question.
var rightAnswers = map[string][]int{
	"volunteer":       {0, 2, 2, 0},
	"chain":           {0, 2, 1, 3, 0},
	"handoff":         {0, 0, 2, 0, 1},
	"crash":           {0, 1, 2, 0},
	"herd":            {0, 0, 3, 0, 1, 0},
	"fence":           {0, 1, 1, 2, 3, 2},
	"guid":            {0, 2, 0, 3, 2, 0},
	"acknowledgement": {0, 0, 2, 0, 0},
	"recipes":         {1, 1, 2, 1, 2, 1},
}

func eachLesson(t *testing.T, f func(h *world, l *lesson.Lesson)) {
	t.Helper()
	all, err := lessons.All()
	must(t, err)
	for _, l := range all {
		t.Run(l.ID, func(t *testing.T) {
			t.Parallel()
			inDemo(t, 0, func(h *world) { f(h, l) })
		})
	}
}

func (h *world) begin(l *lesson.Lesson, part int) {
	h.t.Helper()
	must(h.t, h.lessons.Start(h.t.Context(), l.ID))
	for v := h.ready(); v.Part != part; v = h.ready() {
		if why := h.input(lesson.Skip, 0); why != "" {
			h.t.Fatalf("%s, part %d: skip: %s", l.ID, v.Part, why)
		}
	}
}

func (h *world) ready() lesson.View {
	h.t.Helper()
	v := h.await("prepared", func(v lesson.View) bool { return !v.Preparing && v.Stuck == "" })
	checkTexts(h.t, v)
	return v
}

// follow presses the keys that the part names. The dashboard may refuse a key.
func (h *world) follow(pause time.Duration) {
	h.t.Helper()
	v := h.view()
	checkTexts(h.t, v)
	for _, key := range v.Keys {
		time.Sleep(pause)
		if v.Target != "" || !strings.Contains("xfdX", key) && key != "enter" {
			_ = h.act(key, v.Target, v.Fault)
		}
	}
}

func (h *world) answer(choice int) {
	if v := h.view(); v.Question != "" && v.Chosen < 0 && !v.Waiting && !v.CanNext {
		h.input(lesson.Answer, choice%len(v.Options))
	}
}

func (h *world) finish() {
	h.t.Helper()
	v := h.await("ended", func(v lesson.View) bool { return v.CanNext || v.Stuck != "" })
	checkTexts(h.t, v)
	if err := checkFeedback(v); err != nil {
		h.t.Errorf("%s, part %d, answer %d: %v", v.ID, v.Part, v.Chosen+1, err)
	}
}

func checkFeedback(v lesson.View) error {
	switch want := rightAnswers[v.ID][v.Part-1] - 1; {
	case !v.CanNext || v.Happened == "" || v.Stuck != "":
		return fmt.Errorf("not ended: %+v", v)
	case v.Right != want:
		return fmt.Errorf("right answer %d, want %d", v.Right+1, want+1)
	case v.Chosen >= 0 && strings.HasPrefix(v.Feedback, "Right") != (v.Chosen == want):
		return fmt.Errorf("feedback %q", v.Feedback)
	}
	return nil
}

var unfilled = regexp.MustCompile(`[{}]|\bunknown\b|%!|\bnobody (is|was|and|thaws)|(of|Select|for) nobody`)

func checkTexts(t *testing.T, v lesson.View) {
	t.Helper()
	for _, text := range slices.Concat(v.Text, v.Options, []string{v.Question, v.Do, v.Happened, v.Feedback, v.Hint, v.Stuck}) {
		if unfilled.MatchString(text) {
			t.Errorf("%s, part %d: the text %q has a gap or an unknown name", v.ID, v.Part, text)
		}
	}
	for _, k := range v.Keys {
		if !strings.Contains(v.Do, k) || v.Target != string(demo.You) && !strings.Contains(v.Do, v.Target) {
			t.Errorf("%s, part %d: %q does not name %s and %s", v.ID, v.Part, v.Do, k, v.Target)
		}
	}
}

func TestLessons(t *testing.T) {
	t.Parallel()
	eachLesson(t, func(h *world, l *lesson.Lesson) {
		for wrong := range 2 {
			must(h.t, h.lessons.Start(h.t.Context(), l.ID))
			for part := range l.Parts {
				v := h.ready()
				if v.Part != part+1 || v.Question != "" && (v.Do != "" || v.Waiting || v.CanNext) {
					h.t.Errorf("got %+v, want part %d, and no task before an answer", v, part+1)
				}
				h.answer(rightAnswers[l.ID][part] - 1 + wrong)
				for v = h.view(); wrong > 0 && v.Hints > 0; v = h.view() {
					h.input(lesson.Hint, 0)
					checkTexts(h.t, h.view())
				}
				h.follow(time.Duration(1+10*wrong) * 200 * time.Millisecond)
				if l.Parts[part].Act != nil {
					h.finish()
					h.t.Logf("%s %d: %s", l.ID, part+1, h.view().Happened)
				}
				if why := h.input(lesson.Next, 0); why != "" {
					h.t.Fatalf("part %d: %s", part+1, why)
				}
			}
			if v := h.view(); !v.Done || v.Skipped || !h.lessons.progress.has(l.ID) {
				h.t.Errorf("got %+v, want the lesson done, not skipped, and in the progress", v)
			}
		}
	})
}

func TestLessonsAtSeveralPaces(t *testing.T) {
	t.Parallel()
	eachLesson(t, func(h *world, l *lesson.Lesson) {
		done := make(chan struct{})
		defer close(done)
		go h.step(done)
		for i, p := range l.Parts {
			if p.Act == nil {
				continue
			}
			for n, pause := range []time.Duration{50 * time.Millisecond, 100 * time.Millisecond, 1500 * time.Millisecond, 6 * time.Second, time.Second} {
				h.begin(l, i+1)
				for again := range 2 {
					if !slices.Contains(p.Act.Keys, "[") && !slices.Contains(p.Act.Keys, "]") {
						h.actions.sandbox.SetPace([]zkserver.Pace{{}, {Delay: 100 * time.Millisecond}, {Delay: time.Second}, {Delay: zkserver.PaceMax}, {Steps: true}}[n])
					}
					h.answer(2*n + again)
					h.follow(pause)
					h.finish()
					if why := h.input(lesson.Back, 0); why != "" {
						h.t.Fatalf("part %d: not restarted: %s", i+1, why)
					}
					if v := h.ready(); v.Part != i+1 || v.Chosen >= 0 || v.Happened != "" {
						h.t.Fatalf("got %+v after the key <, want part %d from its beginning", v, i+1)
					}
				}
			}
		}
	})
}

func (h *world) step(done chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(50 * time.Millisecond):
			if h.actions.sandbox.Pace().Steps {
				_, _ = h.actions.sandbox.Step()
			}
		}
	}
}

type otherAct struct {
	on         int // position in the queue, from 1; 0: none
	key, fault string
}

func (o otherAct) String() string {
	return strings.TrimSpace(fmt.Sprint(o.key, " ", o.fault, " on ", o.on))
}

func otherActs(cast int) (all []otherAct) {
	for _, key := range []string{"s", "c", "h", "w", "[", "]"} {
		all = append(all, otherAct{key: key})
	}
	for _, on := range slices.Compact([]int{1, 2, cast/2 + 1, cast}) {
		for _, key := range []string{"d", "x", "f"} {
			all = append(all, otherAct{on: on, key: key})
		}
		for _, fault := range []string{"partition", "expire", "lose reply", "no guid", "slow lead"} {
			all = append(all, otherAct{on: on, key: "enter", fault: fault})
		}
	}
	return all
}

func TestLessonAfterWrongAct(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		lesson string
		part   int
		early  bool // the act comes before the answer
		do     otherAct
		want   string
	}{
		{"crash", 3, false, otherAct{1, "enter", "expire"}, "The session of amber expired before this step was done. This part cannot go on: < restarts it."},
		{"fence", 6, true, otherAct{1, "enter", "partition"}, "The election has changed. This part cannot go on: < restarts it."},
		{"guid", 5, false, otherAct{1, "x", ""}, "Not part of this step: kill. This part cannot go on: < restarts it."},
		{"acknowledgement", 2, false, otherAct{3, "enter", "slow lead"}, "You chose cedar; this step needs birch."},
		{"acknowledgement", 3, false, otherAct{1, "x", ""}, "Not part of this step: kill. This part cannot go on: < restarts it."},
	} {
		inDemo(t, 0, func(h *world) {
			i, err := find(h.lessons.all, x.lesson)
			must(t, err)
			h.begin(h.lessons.all[i], x.part)
			if !x.early {
				h.answer(0)
			}
			s := h.elections.State()
			must(t, h.act(x.do.key, s.Member(s.Queue.At(x.do.on-1)).ID, x.do.fault))
			time.Sleep(time.Second)
			if v := h.view(); !strings.HasPrefix(v.Stuck, x.want) {
				t.Errorf("%s %d, %v: got %+v, want stuck: %s", x.lesson, x.part, x.do, v, x.want)
			}
			if strings.Contains(h.view().Stuck, "<") {
				h.input(lesson.Back, 0)
				h.ready()
			}
			h.answer(0)
			h.follow(200 * time.Millisecond)
			time.Sleep(time.Second)
			h.finish()
		})
	}
}

func TestLessonAfterHerdOnAndOff(t *testing.T) {
	t.Parallel()
	inDemo(t, 0, func(h *world) {
		i, err := find(h.lessons.all, "herd")
		must(t, err)
		h.begin(h.lessons.all[i], 2)
		h.actions.sandbox.SetPace(zkserver.Pace{Delay: 100 * time.Millisecond})
		must(t, h.act("h", "", ""))
		time.Sleep(50 * time.Millisecond)
		must(t, h.act("h", "", ""))
		time.Sleep(quiet)
		if v := h.view(); !v.Waiting || v.Acted {
			t.Errorf("herd on and off: got %+v, want the part to wait for h", v)
		}
		must(t, h.act("h", "", ""))
		h.finish()
	})
}

func TestLessonInSlowMotion(t *testing.T) {
	t.Parallel()
	inDemo(t, 0, func(h *world) {
		i, err := find(h.lessons.all, "crash")
		must(t, err)
		for _, p := range []zkserver.Pace{{Delay: time.Second}, {Steps: true}} {
			h.begin(h.lessons.all[i], 2)
			h.actions.sandbox.SetPace(p)
			h.answer(0)
			h.follow(200 * time.Millisecond)
			time.Sleep(time.Minute)
			if v := h.view(); v.Held != p.Steps {
				t.Errorf("pace %+v: got %+v, want Held %v", p, v, p.Steps)
			}
			if fs := h.elections.State().Findings; len(fs) > 0 {
				t.Errorf("pace %+v: got finding %+v, want none", p, fs[0])
			}
			if h.actions.sandbox.SetPace(zkserver.Pace{Delay: time.Second}); p.Steps {
				h.await("released", func(v lesson.View) bool { return v.CanNext })
			}
			if v := h.view(); !strings.Contains(v.Happened, ", in slow motion.") {
				t.Errorf("pace %+v: got explanation %q, want the slow motion named", p, v.Happened)
			}
		}
	})
}

// quiet is longer than two session timeouts.
const quiet = 9 * time.Second

// TestLessonsAfterOtherActs checks that no act makes the feedback wrong. ELECTOP_TEST_LONG=1m or more tests every act.
func TestLessonsAfterOtherActs(t *testing.T) {
	t.Parallel()
	every, first := 31, 0
	if long, ok := zktest.Long(t); long >= time.Minute {
		every = 1
	} else if ok {
		every = 5
		first = int(zktest.Seed(t) % 5)
	}
	eachLesson(t, func(h *world, l *lesson.Lesson) {
		n := 0
		for i, p := range l.Parts {
			for _, o := range otherActs(l.Setup.Cast) {
				for _, early := range []bool{false, true} {
					for _, pause := range []time.Duration{100 * time.Millisecond, 1500 * time.Millisecond, 6 * time.Second} {
						if n++; p.Act != nil && n%every == first {
							h.checkAfter(l, i+1, o, early, pause, n)
						}
					}
				}
			}
		}
	})
}

func (h *world) checkAfter(l *lesson.Lesson, part int, o otherAct, early bool, pause time.Duration, n int) {
	h.t.Helper()
	h.begin(l, part)
	if !early {
		h.answer(n)
	}
	v, target := h.view(), ""
	if s := h.elections.State(); o.on > 0 && o.on <= s.Queue.Len() {
		if m := s.Member(s.Queue.At(o.on - 1)); m != nil {
			target = m.ID
		}
	}
	time.Sleep(pause)
	if o.on > 0 && target == "" || h.act(o.key, target, o.fault) != nil {
		return
	}
	if time.Sleep(pause); early {
		h.answer(n)
	}
	time.Sleep(quiet)
	what := fmt.Sprintf("%s %d: %s (%s), early %v, after %v", l.ID, part, o, target, early, pause)
	v0, v := v, h.view()
	checkTexts(h.t, v)
	if named := fmt.Sprintf("You chose %s; this step needs %s.", target, v0.Target); v0.Target != "" && target != "" && target != v0.Target &&
		o.fault != "expire" && !strings.HasPrefix(v.Stuck, named) {
		h.t.Errorf("%s: the lesson shows %[3]q, want %[2]q", what, named, v.Stuck)
	}
	h.t.Logf("%s: %q %q", what, v.Stuck, v.Happened)
	for range 6 {
		switch v := h.view(); {
		case v.CanNext:
			if err := checkFeedback(v); err != nil {
				h.t.Errorf("%s: %v", what, err)
			}
			return
		case v.Preparing:
			h.ready()
			continue
		case strings.Contains(v.Stuck, "<"):
			h.input(lesson.Back, 0)
			h.ready()
			continue
		}
		h.answer(n)
		h.follow(200 * time.Millisecond)
		time.Sleep(quiet)
	}
	h.t.Errorf("%s: the part does not end: %+v\n%s\nnotices %q", what, h.view(), h.queue(), h.notices)
}

func TestSkippedLessonAddsNoProgress(t *testing.T) {
	t.Parallel()
	eachLesson(t, func(h *world, l *lesson.Lesson) {
		must(h.t, h.lessons.Start(h.t.Context(), l.ID))
		for furthest := 0; ; {
			v := h.ready()
			if v.Part > furthest {
				furthest = v.Part
				to := max(1, v.Part-1)
				if v.Happened != "" { // the part is finished
					to = v.Part
				}
				if h.input(lesson.Back, 0); h.ready().Part != to {
					h.t.Errorf("back from part %d: got %+v, want part %d", v.Part, h.view(), to)
				}
				continue
			}
			if h.input(lesson.Skip, 0); h.view().Done {
				break
			}
		}
		if v := h.view(); !v.Skipped || v.Part != len(l.Parts) || h.lessons.progress.has(l.ID) {
			h.t.Errorf("got %+v, want the last part, skipped, and no progress", v)
		}
	})
}

func TestNoLessonBesideThirdPartyCandidates(t *testing.T) {
	t.Parallel()
	inDemo(t, 2, func(h *world) {
		ctx := h.t.Context()
		other, err := client.Connect(h.conn)
		must(h.t, err)
		defer other.Close()
		other.AwaitConnected(ctx)
		name, err := other.Create(ctx, "/election/n_", nil, zk.FlagEphemeralSequential, zk.WorldACL(zk.PermAll))
		must(h.t, err)
		s := h.awaitState(func(s *doctor.State) bool { return s.Queue.Len() == 3 })
		err = h.lessons.Start(ctx, "")
		if _, on := h.lessons.View(); err == nil || !strings.Contains(err.Error(), "1 candidate must leave first") || on || len(s.Members) != 2 {
			h.t.Errorf("error %v, lesson running %v, %d members; want a refusal, false, 2", err, on, len(s.Members))
		}
		must(h.t, other.Delete(ctx, name, -1))
		h.awaitState(func(s *doctor.State) bool { return s.Queue.Len() == 2 })
		for _, id := range []string{"volunteer", "chain"} {
			must(h.t, h.lessons.Start(ctx, id))
			if v := h.ready(); v.ID != id || v.Part != 1 {
				h.t.Errorf("got %+v, want part 1 of the lesson %s", v, id)
			}
		}
		h.lessons.Leave()
		if _, on := h.lessons.View(); on {
			h.t.Error("the lesson is still running")
		}
	})
}

func openIn(t *testing.T, env map[string]string) *progress {
	t.Helper()
	p, err := openProgress(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func keep(t *testing.T, p *progress, id string) {
	t.Helper()
	if !p.add(id) || p.add(id) || !p.has(id) {
		t.Errorf("add %s: want true, then false, and the lesson done", id)
	}
	if err := p.save(); err != nil {
		t.Error(err)
	}
}

func TestProgressOfTwoPrograms(t *testing.T) {
	env := map[string]string{"XDG_STATE_HOME": filepath.Join(t.TempDir(), "not", "there", "yet")}
	a, b := openIn(t, env), openIn(t, env)
	keep(t, a, "chain")
	keep(t, b, "herd")
	if !b.has("chain") {
		t.Error("save did not read the progress of the other program")
	}
	var wg sync.WaitGroup
	for _, id := range []string{"guid", "fence", "truth"} {
		wg.Go(func() { keep(t, a, id) })
	}
	wg.Wait()
	c := openIn(t, env)
	for _, id := range []string{"chain", "herd", "guid", "fence", "truth"} {
		if !c.has(id) {
			t.Errorf("%s is lost: %q", id, c.done)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(c.file)); err != nil || len(left) != 1 {
		t.Errorf("files in the directory: %v, error %v; want only the progress", left, err)
	}
}

func TestProgressFollowsTheDirectorySpecification(t *testing.T) {
	home := t.TempDir()
	want := filepath.Join(home, ".local", "state", "electop", "lessons.json")
	for _, relative := range []string{"", "state", "../state"} {
		if p := openIn(t, map[string]string{"XDG_STATE_HOME": relative, "HOME": home}); p.file != want {
			t.Errorf("XDG_STATE_HOME=%q: file %s, want %s", relative, p.file, want)
		}
	}
	if p := openIn(t, map[string]string{"XDG_STATE_HOME": "/x", "HOME": home}); p.file != "/x/electop/lessons.json" {
		t.Errorf("an absolute XDG_STATE_HOME: file %s, want it below /x", p.file)
	}
	p, err := openProgress(func(string) string { return "" })
	if err == nil || !strings.Contains(err.Error(), "is not kept") {
		t.Errorf("without any directory: error %v, want that the progress is not kept", err)
	}
	keep(t, p, "chain")
}

func TestProgressCannotBeKept(t *testing.T) {
	dir := t.TempDir()
	p := openIn(t, map[string]string{"XDG_STATE_HOME": dir})
	if err := os.WriteFile(filepath.Join(dir, "electop"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var reported []string
	for _, id := range []string{"chain", "herd"} {
		p.add(id)
		if err := p.save(); err != nil {
			reported = append(reported, err.Error())
		}
	}
	if len(reported) != 1 || !strings.HasPrefix(reported[0], "progress in lessons is not kept: ") || !slices.Equal(p.done, []string{"chain", "herd"}) {
		t.Errorf("reported %q, done %q; want one report, and both lessons done", reported, p.done)
	}
}

func TestProgressReplacesDamagedFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "electop", "lessons.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"done":["ha`), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"XDG_STATE_HOME": dir}
	p, err := openProgress(func(name string) string { return env[name] })
	if err == nil {
		t.Error("a damaged file is not reported")
	}
	keep(t, p, "chain")
	if p = openIn(t, env); !slices.Equal(p.done, []string{"chain"}) {
		t.Errorf("progress %q after a damaged file, want chain", p.done)
	}
}
