package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	"electop/model/znode"
	"electop/ui/cli/process"
	"electop/zkwatch/feed"
)

// tutor gives the lessons of the course in a demo. It builds the setup of each
// in the demo's sandbox and passes what happens to the running lesson. It implements
// [lessons.Tutor].
type tutor struct {
	course   []*lesson.Lesson
	progress *progress
	tasks    *process.Tasks
	sandbox  *demo.Sandbox // this and the next two are set before the first lesson begins
	cast     *demo.Cast
	feed     *feed.Feed
	mark     func() // called when View has changed
	notice   func(string)

	starting sync.Mutex // held while a setup is built

	mu  sync.Mutex
	run *lesson.Run
}

// setupMax bounds how long a setup takes, but for the callers of Start, which have their
// own bound.
const setupMax = 30 * time.Second

// newTutor returns a tutor that keeps its progress where the environment says.
func newTutor(tasks *process.Tasks, notice func(string)) (*tutor, error) {
	course, err := lessons.All()
	if err != nil {
		return nil, err
	}
	done, err := openProgress(os.Getenv)
	if err != nil {
		notice(err.Error())
	}
	return &tutor{course: course, progress: done, tasks: tasks, notice: notice}, nil
}

// open gives the tutor its sandbox with the cast, and the feed of its election, before the
// first lesson. mark is called when View has changed.
func (t *tutor) open(s *demo.Sandbox, c *demo.Cast, f *feed.Feed, mark func()) {
	t.sandbox, t.cast, t.feed, t.mark = s, c, f, mark
}

// Lessons implements [lessons.Tutor].
func (t *tutor) Lessons() []lesson.Entry {
	out := make([]lesson.Entry, len(t.course))
	for i, l := range t.course {
		out[i] = lesson.Entry{ID: l.ID, Title: l.Title, About: l.About, Done: t.progress.has(l.ID)}
	}
	return out
}

// View implements [lessons.Tutor].
func (t *tutor) View() (lesson.View, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run == nil {
		return lesson.View{}, false
	}
	return t.run.View(), true
}

// Start implements [lessons.Tutor]. A running lesson continues if other candidates prevent
// the new one.
func (t *tutor) Start(ctx context.Context, id string) error {
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

// build builds the setup that a run waits for, and begins the part in it. If that fails the
// lesson ends. The caller holds t.starting.
func (t *tutor) build(ctx context.Context, run *lesson.Run) error {
	t.mu.Lock()
	sc, ok := run.Setup()
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

// set brings the sandbox into a setup and waits until the journal shows it, and it fits.
func (t *tutor) set(ctx context.Context, sc lesson.Setup, fits func(*doctor.State) bool) error {
	recipe, _ := dialect.RecipeNamed(sc.Recipe)
	rules := model.Rules{Workers: sc.Workers, Fenced: sc.Guarded}
	if err := t.sandbox.Prepare(ctx, demo.Setup{Cast: sc.Cast, Recipe: recipe, Rules: rules}); err != nil {
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
		t.sandbox.SetPace(zkserver.Pace{Delay: time.Second})
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

// observe receives everything that happens in the election.
func (t *tutor) observe(s *doctor.State, events []model.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run != nil {
		t.run.Observe(s, events)
	}
}

// Input implements [lessons.Tutor].
func (t *tutor) Input(in lesson.Input, choice int) (why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	run := t.run
	if run == nil {
		return "no lesson is running: L lists them"
	}
	why = run.Input(in, choice)
	if _, ok := run.Setup(); ok && why == "" {
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

// startLater starts a lesson and does not wait.
func (t *tutor) startLater(id string) {
	t.begin(func(ctx context.Context) error { return t.Start(ctx, id) })
}

// begin runs f and does not wait.
func (t *tutor) begin(f func(context.Context) error) {
	t.tasks.Start("lesson", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, setupMax)
		defer cancel()
		if err := f(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.notice("lesson: " + err.Error())
		}
		return nil
	})
}

// Leave implements [lessons.Tutor].
func (t *tutor) Leave() {
	t.mu.Lock()
	t.run = nil
	t.mu.Unlock()
	t.mark()
}

// CheckLesson refuses a name that no lesson has.
func CheckLesson(name string) error {
	course, err := lessons.All()
	if err != nil {
		return err
	}
	if find(course, name) < 0 {
		return noSuchLesson(name, course)
	}
	return nil
}

// ListLessons prints the course, and which of its lessons were done.
func ListLessons(stdout, stderr io.Writer) error {
	course, err := lessons.All()
	if err != nil {
		return err
	}
	done, err := openProgress(os.Getenv)
	if err != nil {
		fmt.Fprintf(stderr, "electop: %v\n", err)
	}
	for i, l := range course {
		mark := "    "
		if done.has(l.ID) {
			mark = "done"
		}
		if _, err := fmt.Fprintf(stdout, "%2d  %s  %-15s  %s\n", i+1, mark, l.ID, l.About); err != nil {
			return err
		}
	}
	return nil
}

func find(course []*lesson.Lesson, id string) int {
	return slices.IndexFunc(course, func(l *lesson.Lesson) bool { return l.ID == id })
}

func noSuchLesson(id string, course []*lesson.Lesson) error {
	ids := make([]string, len(course))
	for i, l := range course {
		ids[i] = l.ID
	}
	return process.Usagef("no lesson is called %q: there are %s", znode.Safe(id, 40), strings.Join(ids, ", "))
}

// progress is which lessons were done, in a file of the user's state directory
// (XDG Base Directory Specification: XDG_STATE_HOME, or ~/.local/state).
type progress struct {
	file string // "": nowhere

	mu   sync.Mutex
	done []string

	saving sync.Mutex // held while it is written
	failed bool       // and it was reported
}

// progressText is the file's content.
type progressText struct {
	Done []string `json:"done"` // IDs of lessons; an older version may have had others
}

// openProgress reads the progress. If it cannot be read it is empty, and the error
// says why; lessons go on without it.
func openProgress(getenv func(string) string) (*progress, error) {
	dir := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // the specification says to ignore relative ones
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return &progress{}, errors.New("progress in lessons is not kept: neither XDG_STATE_HOME nor HOME is an absolute path")
		}
		dir = filepath.Join(home, ".local", "state")
	}
	p := &progress{file: filepath.Join(dir, "electop", "lessons.json")}
	b, err := os.ReadFile(p.file)
	var text progressText
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case err != nil:
		p.failed = true
	default:
		if err = json.Unmarshal(b, &text); err != nil {
			err = fmt.Errorf("%s: %w", p.file, err)
		}
	}
	if err != nil {
		return p, fmt.Errorf("progress in lessons: %w", err)
	}
	p.done = text.Done
	return p, nil
}

func (p *progress) has(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.done, id)
}

// add marks a lesson as done, and reports whether it was not before.
func (p *progress) add(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.done, id) {
		return false
	}
	p.done = append(p.done, id)
	return true
}

// save writes the progress, together with what another program has written meanwhile.
// It reports only the first failure.
func (p *progress) save() error {
	if p.file == "" {
		return nil
	}
	p.saving.Lock()
	defer p.saving.Unlock()
	var text progressText
	if b, err := os.ReadFile(p.file); err == nil {
		_ = json.Unmarshal(b, &text) // a damaged file is replaced
	}
	for _, id := range text.Done {
		p.add(id)
	}
	p.mu.Lock()
	text.Done = slices.Clone(p.done)
	p.mu.Unlock()
	err := replaceFile(p.file, text)
	if err == nil || p.failed {
		return nil
	}
	p.failed = true
	return fmt.Errorf("progress in lessons is not kept: %w", err)
}

// replaceFile writes v as JSON such that a crash leaves the old file or the new.
func replaceFile(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	next := fmt.Sprint(name, ".", os.Getpid())
	if err = os.WriteFile(next, append(b, '\n'), 0o600); err == nil {
		err = os.Rename(next, name)
	}
	if err != nil {
		os.Remove(next)
	}
	return err
}
