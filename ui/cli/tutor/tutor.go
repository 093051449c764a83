// Package tutor gives the lessons in a demo and remembers which were done.
package tutor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"electop/demo"
	"electop/demo/lessons"
	"electop/model"
	"electop/model/doctor"
	"electop/model/lesson"
	"electop/model/units"
	"electop/ui/cli/stage"
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
	stage    *demo.Stage // set before the first lesson begins
	feed     *feed.Feed  // likewise
	mark     func()      // called when View has changed
	notice   func(string)

	starting sync.Mutex // held while a scene is built

	mu   sync.Mutex
	run  *lesson.Run
	at   int                     // in the course, of the lesson that runs or begins
	stop context.CancelCauseFunc // ends the building of its scene; nil: none is built
}

// sceneMax bounds how long the scene of the first lesson takes. The callers of
// Start have their own bound.
const sceneMax = 30 * time.Second

var (
	errStarting = errors.New("a lesson is being prepared: please wait")
	errLeft     = errors.New("the lesson was left before it began")
)

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

// Open gives the tutor its stage and the feed of its election, before the first
// lesson. mark is called when View has changed.
func (t *Tutor) Open(st *demo.Stage, f *feed.Feed, mark func()) {
	t.stage, t.feed, t.mark = st, f, mark
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
	switch l := t.course[t.at]; {
	case t.stop != nil:
		return lesson.View{ID: l.ID, Title: l.Title, Number: t.at + 1, Of: len(t.course), Setting: true, Chosen: -1, Right: -1}, true
	case t.run == nil:
		return lesson.View{}, false
	}
	return t.run.View(), true
}

// Start implements [lessons.Tutor]. A running lesson continues if other candidates prevent
// the new one.
func (t *Tutor) Start(ctx context.Context, id string) error {
	at := t.next()
	if id != "" {
		if at = find(t.course, id); at < 0 {
			return noSuchLesson(id, t.course)
		}
	}
	if !t.starting.TryLock() {
		return errStarting
	}
	defer t.starting.Unlock()
	if err := alone(t.feed.State()); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	t.mu.Lock()
	t.run, t.at, t.stop = nil, at, stop
	t.mu.Unlock()
	t.mark()

	l := t.course[at]
	err := t.build(ctx, l.Scene)
	t.mu.Lock()
	t.stop = nil
	if context.Cause(ctx) == errLeft {
		err = errLeft
	}
	if err == nil { // the lesson begins with the present state: it gets only what follows
		t.run = lesson.Begin(l, at+1, len(t.course), t.feed.State())
	}
	t.mu.Unlock()
	t.mark()
	if err != nil {
		return fmt.Errorf("%s: %w", l.Title, err)
	}
	return nil
}

// build brings the stage into a scene and waits until the journal shows it.
func (t *Tutor) build(ctx context.Context, sc lesson.Scene) error {
	if err := t.stage.Set(ctx, demo.Scene{Cast: sc.Cast, Rules: model.Rules{Workers: sc.Workers}}); err != nil {
		return err
	}
	s, err := t.feed.Await(ctx, func(s *doctor.State) bool { return stage.InPlace(s, sc.Cast) || alone(s) != nil })
	if err != nil {
		return fmt.Errorf("wait for its candidates: %w", err)
	}
	return alone(s)
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
	if n == 0 {
		return nil
	}
	return fmt.Errorf("it needs an election without third-party candidates: %s leave first", units.Count(n, "candidate must", "candidates must"))
}

// Observe receives everything that happens in the election.
func (t *Tutor) Observe(s *doctor.State, events []model.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run == nil {
		return
	}
	t.run.Observe(s, events)
}

// Input implements [lessons.Tutor].
func (t *Tutor) Input(in lesson.Input, choice int) (why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.stop != nil:
		return "the lesson is being prepared"
	case t.run == nil:
		return "no lesson is running: L lists them"
	}
	why = t.run.Input(in, choice)
	if v := t.run.View(); v.Done && !v.Skipped && t.progress.add(v.ID) {
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
	t.tasks.Start("lesson", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, sceneMax)
		defer cancel()
		if err := t.Start(ctx, id); err != nil && !errors.Is(err, errLeft) && !errors.Is(err, context.Canceled) {
			t.notice("lesson: " + err.Error())
		}
		return nil
	})
}

// Leave implements [lessons.Tutor].
func (t *Tutor) Leave() {
	t.mu.Lock()
	t.run = nil
	if t.stop != nil {
		t.stop(errLeft)
	}
	t.mu.Unlock()
	t.mark()
}

// next is the first lesson that was not done yet, or the first of all.
func (t *Tutor) next() int {
	for i, l := range t.course {
		if !t.progress.has(l.ID) {
			return i
		}
	}
	return 0
}
