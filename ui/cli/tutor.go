package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"electop/demo"
	"electop/demo/lessons"
	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/lesson"
	"electop/model/units"
	"electop/model/znode"
	"electop/zkwatch/feed"
)

// tutor gives the lessons of the course in a demo. It builds the scene of each
// on the demo's stage and hands on what happens to the lesson that is on. It
// implements [ui.Tutor].
type tutor struct {
	course   []*lesson.Lesson
	progress *progress
	tasks    *tasks
	stage    *demo.Stage // set before the first lesson begins
	feed     *feed.Feed  // likewise
	mark     func()      // that View has something else to say
	notice   func(string)

	starting sync.Mutex // held while a scene is built

	mu   sync.Mutex
	run  *lesson.Run
	at   int                     // in the course, of the lesson that is on or begins
	stop context.CancelCauseFunc // of the building of its scene; nil: none is built
}

// sceneMax bounds the building of the scene of the lesson that a demo begins
// with; who asks for others says how long it waits.
const sceneMax = 30 * time.Second

var (
	errStarting = errors.New("the scene of a lesson is being set: a moment, please")
	errLeft     = errors.New("it was left before its scene was set")
)

// newTutor returns the tutor of a demo, nil where there is no stage to give
// lessons on, and what the feed of its election has to do besides.
func newTutor(sc screen, tasks *tasks, notice func(string)) (*tutor, feed.Config, error) {
	first := feed.Config{Keep: &history.TapeConfig{}} // see sharePast
	if sc.host == nil {
		return nil, first, nil
	}
	course, err := lessons.All()
	if err != nil {
		return nil, first, err
	}
	done, err := openProgress(os.Getenv)
	if err != nil {
		notice(err.Error())
	}
	t := &tutor{course: course, progress: done, tasks: tasks, notice: notice}
	first.Applied = t.observe
	return t, first, nil
}

// Lessons implements [ui.Tutor].
func (t *tutor) Lessons() []lesson.Entry {
	out := make([]lesson.Entry, len(t.course))
	for i, l := range t.course {
		out[i] = lesson.Entry{ID: l.ID, Title: l.Title, About: l.About, Done: t.progress.has(l.ID)}
	}
	return out
}

// View implements [ui.Tutor].
func (t *tutor) View() (lesson.View, bool) {
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

// Start implements [ui.Tutor]. The lesson that is on goes on if another cannot
// begin.
func (t *tutor) Start(ctx context.Context, id string) error {
	at := t.next()
	if id != "" {
		if at = t.find(id); at < 0 {
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
	s, err := t.build(ctx, l.Scene)
	t.mu.Lock()
	t.stop = nil
	if context.Cause(ctx) == errLeft {
		err = errLeft
	}
	if err == nil {
		t.run = lesson.Begin(l, at+1, len(t.course), s)
	}
	t.mu.Unlock()
	t.mark()
	if err != nil {
		return fmt.Errorf("%s: %w", l.Title, err)
	}
	return nil
}

// build brings the stage into a scene and waits until the journal shows it.
func (t *tutor) build(ctx context.Context, sc lesson.Scene) (*doctor.State, error) {
	if err := t.stage.Set(ctx, demo.Scene{Cast: sc.Cast, Rules: model.Rules{Workers: sc.Workers}}); err != nil {
		return nil, err
	}
	s, err := t.feed.Await(ctx, func(s *doctor.State) bool { return inPlace(s, sc.Cast) || alone(s) != nil })
	if err != nil {
		return nil, fmt.Errorf("wait for its candidates: %w", err)
	}
	return s, alone(s)
}

// inPlace reports whether n candidates of ours and nobody else stand, each of
// them in its place.
func inPlace(s *doctor.State, n int) bool {
	if s.Phase != model.Live || len(s.Queue) != n || len(s.Members) != n {
		return false
	}
	for i, c := range s.Queue {
		m := s.Member(c)
		switch {
		case m == nil || m.Fault != model.NoFault || m.Znode != c.Name:
			return false
		case i == 0 && m.Belief != model.Leading, i > 0 && m.Belief != model.Waiting:
			return false
		}
	}
	return s.Ack.Path == "" || s.Acknowledged()
}

// alone says why no lesson can be given beside those who stand, nil if it can:
// none of them is from elsewhere.
func alone(s *doctor.State) error {
	n := 0
	for _, c := range s.Queue {
		if s.Member(c) == nil {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("it needs the election for itself, and %s from elsewhere: begin it when none is left", units.Count(n, "candidate is", "candidates are"))
}

// observe is told of all that happens in the election.
func (t *tutor) observe(s *doctor.State, events []model.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run == nil {
		return
	}
	t.run.Observe(s, events)
}

// Input implements [ui.Tutor].
func (t *tutor) Input(in lesson.Input, choice int) (why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.stop != nil:
		return "the scene is being set"
	case t.run == nil:
		return "no lesson is on: L has them"
	}
	why = t.run.Input(in, choice)
	if v := t.run.View(); v.Done && !v.Skipped && t.progress.add(v.ID) {
		t.tasks.start("progress", func(context.Context) error {
			if err := t.progress.save(); err != nil {
				t.notice(err.Error())
			}
			return nil
		})
	}
	t.mark()
	return why
}

// begin starts a lesson and does not wait.
func (t *tutor) begin(id string) {
	t.tasks.start("lesson", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, sceneMax)
		defer cancel()
		if err := t.Start(ctx, id); err != nil && !errors.Is(err, errLeft) && !errors.Is(err, context.Canceled) {
			t.notice("lesson: " + err.Error())
		}
		return nil
	})
}

// Leave implements [ui.Tutor].
func (t *tutor) Leave() {
	t.mu.Lock()
	t.run = nil
	if t.stop != nil {
		t.stop(errLeft)
	}
	t.mu.Unlock()
	t.mark()
}

// next is the first lesson that was not done yet, the first of all if there is
// none.
func (t *tutor) next() int {
	for i, l := range t.course {
		if !t.progress.has(l.ID) {
			return i
		}
	}
	return 0
}

func (t *tutor) find(id string) int {
	return slices.IndexFunc(t.course, func(l *lesson.Lesson) bool { return l.ID == id })
}

func noSuchLesson(id string, course []*lesson.Lesson) error {
	ids := make([]string, len(course))
	for i, l := range course {
		ids[i] = l.ID
	}
	return usagef("no lesson is called %q: there are %s", znode.Safe(id, 40), strings.Join(ids, ", "))
}
