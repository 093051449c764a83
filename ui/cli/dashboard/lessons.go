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

// lessonRunner implements the interface Runner of package ui/lessons.
type lessonRunner struct {
	all      []*lesson.Lesson
	progress *progress
	tasks    *process.Tasks
	notice   func(string)

	// These fields are set before the first lesson begins.
	sandbox *demo.Sandbox
	cast    *demo.Cast
	feed    *feed.Feed
	mark    func() // makes the screen read View again

	preparing sync.Mutex

	mu  sync.Mutex
	run *lesson.Run
}

const setupMax = 30 * time.Second

func newLessonRunner(tasks *process.Tasks, notice func(string)) (*lessonRunner, error) {
	all, err := lessons.All()
	if err != nil {
		return nil, err
	}
	done, err := openProgress(os.Getenv)
	if err != nil {
		notice(err.Error())
	}
	return &lessonRunner{all: all, progress: done, tasks: tasks, notice: notice}, nil
}

func (r *lessonRunner) Lessons() []lesson.Entry {
	out := make([]lesson.Entry, len(r.all))
	for i, l := range r.all {
		out[i] = lesson.Entry{ID: l.ID, Title: l.Title, About: l.About, Done: r.progress.has(l.ID)}
	}
	return out
}

func (r *lessonRunner) View() (v lesson.View, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil {
		return lesson.View{}, false
	}
	return r.run.View(), true
}

// Start begins a lesson; if id is "", the first one that is not done, or the first if all are done.
func (r *lessonRunner) Start(ctx context.Context, id string) error {
	at := max(0, slices.IndexFunc(r.all, func(l *lesson.Lesson) bool { return !r.progress.has(l.ID) }))
	if id != "" {
		var err error
		if at, err = find(r.all, id); err != nil {
			return err
		}
	}
	r.preparing.Lock()
	defer r.preparing.Unlock()
	if err := checkNoThirdParties(r.feed.State()); err != nil {
		return err
	}
	run := lesson.Begin(r.all[at], at+1, len(r.all))
	r.mu.Lock()
	r.run = run
	r.mu.Unlock()
	r.mark()
	return r.prepare(ctx, run)
}

// prepare requires that the caller holds r.preparing.
func (r *lessonRunner) prepare(ctx context.Context, run *lesson.Run) error {
	r.mu.Lock()
	u, ok := run.Setup()
	ok = ok && r.run == run // false if run was left or replaced
	r.mu.Unlock()
	if !ok {
		return nil
	}
	err := checkNoThirdParties(r.feed.State())
	if err == nil {
		err = r.setUp(ctx, u, run.Fits)
	}
	r.mu.Lock()
	switch {
	case r.run != run:
	case err != nil:
		r.run = nil
	default:
		run.Start(r.feed.State())
	}
	r.mu.Unlock()
	r.mark()
	return err
}

// setUp prepares u, and waits until the state shows u and fits(state) is true.
func (r *lessonRunner) setUp(ctx context.Context, u lesson.Setup, fits func(*doctor.State) bool) error {
	recipe, _ := dialect.RecipeNamed(u.Recipe)
	rules := model.Rules{Workers: u.Workers, Fenced: u.Guarded}
	if err := r.sandbox.Prepare(ctx, demo.Setup{Cast: u.Cast, Kind: u.Kind, Recipe: recipe, Rules: rules}); err != nil {
		return err
	}
	contenders := u.Cast
	await := func(fits func(*doctor.State) bool) (*doctor.State, error) {
		s, err := r.feed.Await(ctx, func(s *doctor.State) bool { return u.Settled(s, contenders) && fits(s) })
		if err != nil {
			err = fmt.Errorf("wait for its candidates: %w", err)
		}
		return s, err
	}
	s, err := await(func(s *doctor.State) bool { return len(s.Members) == contenders })
	if err != nil {
		return err
	}
	for _, x := range u.Faults {
		if err := r.cast.Fault(s.Member(s.Queue.At(x.On-1)).ID, demo.Fault(x.Fault), true); err != nil {
			return err
		}
		switch demo.Fault(x.Fault) {
		case demo.Resign, demo.Expire:
			contenders--
		case demo.LoseReply: // all setups put NoGuid first, so the candidate creates a second znode
			contenders++
		}
		if _, err := await(func(*doctor.State) bool { return true }); err != nil {
			return err
		}
	}
	if u.Slow {
		r.sandbox.SetPace(zkserver.Pace{Delay: time.Second})
	}
	_, err = await(func(s *doctor.State) bool { return fits(s) && s.Pace.Slowed() == u.Slow })
	return err
}

func checkNoThirdParties(s *doctor.State) error {
	n := 0
	for _, c := range s.Queue.All() {
		if s.Member(c) == nil && c.Session != 0 { // a persistent znode has no session
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("it needs an election without third-party candidates: %s leave first", units.Count(n, "candidate must", "candidates must"))
	}
	return nil
}

func (r *lessonRunner) observe(s *doctor.State, events []model.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run != nil {
		r.run.Observe(s, events)
	}
}

func (r *lessonRunner) Input(in lesson.Input, choice int) (why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.run
	if run == nil {
		return "no lesson is running: L lists the lessons"
	}
	why = run.Input(in, choice)
	if _, ok := run.Setup(); ok && why == "" {
		r.inBackground(func(ctx context.Context) error {
			r.preparing.Lock()
			defer r.preparing.Unlock()
			return r.prepare(ctx, run)
		})
	}
	if v := run.View(); v.Done && !v.Skipped && r.progress.add(v.ID) {
		r.tasks.Start("progress", func(context.Context) error {
			if err := r.progress.save(); err != nil {
				r.notice(err.Error())
			}
			return nil
		})
	}
	r.mark()
	return why
}

func (r *lessonRunner) startLater(id string) {
	r.inBackground(func(ctx context.Context) error { return r.Start(ctx, id) })
}

func (r *lessonRunner) inBackground(f func(context.Context) error) {
	r.tasks.Start("lesson", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, setupMax)
		defer cancel()
		if err := f(ctx); err != nil && !errors.Is(err, context.Canceled) {
			r.notice("lesson: " + err.Error())
		}
		return nil
	})
}

func (r *lessonRunner) Leave() {
	r.mu.Lock()
	r.run = nil
	r.mu.Unlock()
	r.mark()
}

// CheckLesson returns an error for an unknown lesson.
func CheckLesson(name string) error {
	all, err := lessons.All()
	if err == nil {
		_, err = find(all, name)
	}
	return err
}

// ListLessons prints the lessons, and whether each was done.
func ListLessons(stdout, stderr io.Writer) error {
	all, err := lessons.All()
	if err != nil {
		return err
	}
	done, err := openProgress(os.Getenv)
	if err != nil {
		fmt.Fprintf(stderr, "electop: %v\n", err)
	}
	for i, l := range all {
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

func find(all []*lesson.Lesson, id string) (int, error) {
	ids := make([]string, len(all))
	for i, l := range all {
		if l.ID == id {
			return i, nil
		}
		ids[i] = l.ID
	}
	return 0, process.Usagef("no lesson is called %q: there are %s", znode.Safe(id, 40), strings.Join(ids, ", "))
}

type progress struct {
	file string // "": the progress is not kept

	mu   sync.Mutex
	done []string

	saving   sync.Mutex
	reported bool // save returns no more errors
}

type progressText struct {
	Done []string `json:"done"` // IDs of lessons; this version may not have all of them
}

func openProgress(getenv func(string) string) (*progress, error) {
	dir := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // the XDG Base Directory Specification ignores relative paths
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return &progress{}, errors.New("progress in lessons is not kept: neither XDG_STATE_HOME nor HOME is an absolute path")
		}
		dir = filepath.Join(home, ".local", "state")
	}
	p := &progress{file: filepath.Join(dir, "electop", "lessons.json")}
	b, err := os.ReadFile(p.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case err != nil:
		p.reported = true
		return p, fmt.Errorf("progress in lessons: %w", err)
	}
	var text progressText
	if err := json.Unmarshal(b, &text); err != nil {
		return p, fmt.Errorf("progress in lessons: %s: %w", p.file, err)
	}
	p.done = text.Done
	return p, nil
}

func (p *progress) has(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.done, id)
}

func (p *progress) add(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.done, id) {
		return false
	}
	p.done = append(p.done, id)
	return true
}

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
	if err == nil || p.reported {
		return nil
	}
	p.reported = true
	return fmt.Errorf("progress in lessons is not kept: %w", err)
}

// replaceFile writes v as JSON. If electop crashes, the file has the old or the new content.
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
