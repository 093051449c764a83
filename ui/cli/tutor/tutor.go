// Package tutor gives the lessons in a demo and remembers which were done.
package tutor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"electop/demo"
	"electop/demo/lessons"
	"electop/demo/zkserver"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/lesson"
	"electop/model/units"
	"electop/ui/cli/task"
	"electop/zkwatch/feed"
)

// Tutor gives the lessons of the course in a demo. It builds the scene of each
// on the demo's stage and passes what happens to the running lesson. It implements
// [lessons.Tutor].
type Tutor struct {
	course   []*lesson.Lesson
	progress *progress
	tasks    *task.Group
	stage    *demo.Stage // this and the next two are set before the first lesson begins
	cast     *demo.Cast
	feed     *feed.Feed
	mark     func() // called when View has changed
	notice   func(string)

	starting sync.Mutex // held while a scene is built

	mu  sync.Mutex
	run *lesson.Run
}

// sceneMax bounds how long a scene takes, but for the callers of Start, which have their
// own bound.
const sceneMax = 30 * time.Second

// New returns a tutor that keeps its progress where the environment says.
func New(tasks *task.Group, notice func(string)) (*Tutor, error) {
	course, err := lessons.All()
	if err != nil {
		return nil, err
	}
	done, err := openProgress(os.Getenv)
	if err != nil {
		notice(err.Error())
	}
	return &Tutor{course: course, progress: done, tasks: tasks, notice: notice}, nil
}

// Open gives the tutor its stage with the cast, and the feed of its election, before the
// first lesson. mark is called when View has changed.
func (t *Tutor) Open(st *demo.Stage, c *demo.Cast, f *feed.Feed, mark func()) {
	t.stage, t.cast, t.feed, t.mark = st, c, f, mark
}

// Lessons implements [lessons.Tutor].
func (t *Tutor) Lessons() []lesson.Entry {
	out := make([]lesson.Entry, len(t.course))
	for i, l := range t.course {
		out[i] = lesson.Entry{ID: l.ID, Title: l.Title, About: l.About, Done: t.progress.has(l.ID)}
	}
	return out
}

// View implements [lessons.Tutor].
func (t *Tutor) View() (lesson.View, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run == nil {
		return lesson.View{}, false
	}
	return t.run.View(), true
}

// Start implements [lessons.Tutor]. A running lesson continues if other candidates prevent
// the new one.
func (t *Tutor) Start(ctx context.Context, id string) error {
	at := max(0, slices.IndexFunc(t.course, func(l *lesson.Lesson) bool { return !t.progress.has(l.ID) }))
	if id != "" {
		if at = find(t.course, id); at < 0 {
			return noSuchLesson(id, t.course)
		}
	}
	t.starting.Lock()
	defer t.starting.Unlock()
	if err := alone(t.feed.State()); err != nil {
		return err
	}
	run := lesson.Begin(t.course[at], at+1, len(t.course))
	t.mu.Lock()
	t.run = run
	t.mu.Unlock()
	t.mark()
	return t.build(ctx, run)
}

// build builds the scene that a run waits for, and begins the part in it. If that fails the
// lesson ends. The caller holds t.starting.
func (t *Tutor) build(ctx context.Context, run *lesson.Run) error {
	t.mu.Lock()
	sc, ok := run.Scene()
	ok = ok && t.run == run // else another lesson began
	t.mu.Unlock()
	if !ok {
		return nil
	}
	err := alone(t.feed.State())
	if err == nil {
		err = t.set(ctx, sc, run.Fits)
	}
	t.mu.Lock()
	switch {
	case t.run != run: // it was left
	case err != nil:
		t.run = nil
	default: // it gets only what follows
		run.Start(t.feed.State())
	}
	t.mu.Unlock()
	t.mark()
	return err
}

// set brings the stage into a scene and waits until the journal shows it, and it fits.
func (t *Tutor) set(ctx context.Context, sc lesson.Scene, fits func(*doctor.State) bool) error {
	recipe, _ := dialect.RecipeNamed(sc.Recipe)
	rules := model.Rules{Workers: sc.Workers, Fenced: sc.Guarded}
	if err := t.stage.Set(ctx, demo.Scene{Cast: sc.Cast, Recipe: recipe, Rules: rules}); err != nil {
		return err
	}
	queue := sc.Cast // so many are in it
	await := func(fits func(*doctor.State) bool) (*doctor.State, error) {
		s, err := t.feed.Await(ctx, func(s *doctor.State) bool { return s.Queue.Len() == queue && lesson.Settled(s) && fits(s) })
		if err != nil {
			err = fmt.Errorf("wait for its candidates: %w", err)
		}
		return s, err
	}
	s, err := await(func(s *doctor.State) bool { return len(s.Members) == queue })
	if err != nil {
		return err
	}
	for _, d := range sc.Deeds {
		if err := t.cast.Fault(s.Member(s.Queue.At(d.On-1)).ID, demo.Fault(d.Fault), true); err != nil {
			return err
		}
		switch demo.Fault(d.Fault) {
		case demo.Resign, demo.Expire:
			queue--
		case demo.LoseReply: // without a guid: a ghost
			queue++
		}
		if _, err := await(func(*doctor.State) bool { return true }); err != nil {
			return err
		}
	}
	if sc.Slow {
		t.stage.SetPace(zkserver.Pace{Delay: time.Second})
	}
	_, err = await(func(s *doctor.State) bool { return fits(s) && lesson.Slow(s) == sc.Slow })
	return err
}

// alone returns nil if all candidates are ours. Else the error says why no lesson
// can begin.
func alone(s *doctor.State) error {
	n := 0
	for _, c := range s.Queue.All() {
		if s.Member(c) == nil {
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("it needs an election without third-party candidates: %s leave first", units.Count(n, "candidate must", "candidates must"))
	}
	return nil
}

// Observe receives everything that happens in the election.
func (t *Tutor) Observe(s *doctor.State, events []model.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run != nil {
		t.run.Observe(s, events)
	}
}

// Input implements [lessons.Tutor].
func (t *Tutor) Input(in lesson.Input, choice int) (why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	run := t.run
	if run == nil {
		return "no lesson is running: L lists them"
	}
	why = run.Input(in, choice)
	if _, ok := run.Scene(); ok && why == "" {
		t.begin(func(ctx context.Context) error {
			t.starting.Lock()
			defer t.starting.Unlock()
			return t.build(ctx, run)
		})
	}
	if v := run.View(); v.Done && !v.Skipped && t.progress.add(v.ID) {
		t.tasks.Start("progress", func(context.Context) error {
			if err := t.progress.save(); err != nil {
				t.notice(err.Error())
			}
			return nil
		})
	}
	t.mark()
	return why
}

// Begin starts a lesson and does not wait.
func (t *Tutor) Begin(id string) {
	t.begin(func(ctx context.Context) error { return t.Start(ctx, id) })
}

// begin runs f and does not wait.
func (t *Tutor) begin(f func(context.Context) error) {
	t.tasks.Start("lesson", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, sceneMax)
		defer cancel()
		if err := f(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.notice("lesson: " + err.Error())
		}
		return nil
	})
}

// Leave implements [lessons.Tutor].
func (t *Tutor) Leave() {
	t.mu.Lock()
	t.run = nil
	t.mu.Unlock()
	t.mark()
}
