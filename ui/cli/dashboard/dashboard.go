// Package dashboard assembles the dashboard for live elections of a cluster or a demo. The screen shows
// the states of the watched elections. Keys call actions. An action that changes something works only in the
// first election. A demo also has lessons.
package dashboard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/model/dialect"
	"electop/ui"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	"electop/ui/plain"
	"electop/zkwatch/client"
)

type parts struct {
	elections *elections
	actions   *actions
	admitter  *admitter     // nil: read-only
	lessons   *lessonRunner // nil: not a demo
}

func assemble(cfg Config, tasks *process.Tasks, notice func(string)) (*parts, error) {
	p := &parts{}
	cfg.Watch.First.Keep = true // for time travel; sharePast bounds its memory
	cfg.Reach.Note = nil        // a note would overwrite the screen
	if cfg.Server != nil {
		var err error
		if p.lessons, err = newLessonRunner(tasks, notice); err != nil {
			return nil, err
		}
		cfg.Watch.First.Applied = p.lessons.observe
	}
	cfg.Watch.Notice = notice
	watched, err := election.New(cfg.Watch)
	if err != nil {
		return nil, err
	}
	first := watched.First()
	p.elections = &elections{watched: watched, tasks: tasks, dirty: make(chan struct{}, 1)}
	p.elections.searcher = searcher{
		tasks: tasks, conn: cfg.Watch.Conn, reach: cfg.Reach, mark: p.elections.mark,
	}
	if cfg.Found != nil {
		p.elections.searcher.found(*cfg.Found)
	}
	cast := first.Cast(demo.Config{
		Conn: cfg.Conn, Ack: cfg.Watch.Elections[0].AckPath, Create: cfg.Create, Dialect: cfg.Admission.Naming(), Notice: notice,
		Kind: cfg.Demo.Kind, Size: cfg.Cast + 1, // one more participant opens a double barrier
	})
	p.actions = &actions{
		path: first.Path, cast: cast, elections: p.elections, candidacyData: cfg.CandidacyData, whyReadOnly: cfg.WhyReadOnly,
	}
	if cfg.Server != nil {
		p.actions.sandbox = first.Sandbox(demo.SandboxConfig{
			Cast: cast, Server: cfg.Server, Workers: cfg.Watch.Conn, Chaos: cfg.Demo.Chaos, Notice: notice,
		})
		l := p.lessons
		l.sandbox, l.cast, l.feed, l.mark = p.actions.sandbox, cast, first.Feed, p.elections.mark
	}
	if cfg.WhyReadOnly == "" {
		p.admitter = &admitter{actions: p.actions, cfg: cfg, election: first, notice: notice}
		p.admitter.decide(p.elections.State()) // before the first frame, because the decision disables keys
	}
	return p, nil
}

// Run shows the dashboard until the user quits, ctx ends or a task fails.
func Run(ctx context.Context, cfg Config) error {
	log := cfg.Watch.Log
	notices := make(chan string, 16)
	for _, first := range cfg.Notices {
		notices <- first
	}
	notice := func(s string) {
		log.Warn(s)
		select {
		case notices <- s:
		default: // only the log has the notice
		}
	}
	tasks := process.NewTasks(ctx)
	p, err := assemble(cfg, tasks, notice)
	if err != nil {
		return err
	}
	defer p.elections.watched.Close()
	o := p.options(cfg, notices)
	o.Begin = func() { p.start(cfg, tasks, notice) }
	err = ui.Run(tasks.Context(), o)
	if cfg.Server != nil {
		cfg.Server.SetPace(zkserver.Pace{}) // slow motion would delay the end of the sessions
	}
	p.actions.cast.Close()
	if failed := tasks.Stop(); failed != nil && ctx.Err() == nil {
		return failed
	}
	if errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}

func (p *parts) start(cfg Config, tasks *process.Tasks, notice func(string)) {
	if cfg.Server != nil {
		tasks.Start("embedded server", func(ctx context.Context) error { return cfg.Serve(ctx, notice) })
		tasks.Start("sandbox", p.actions.sandbox.Run)
	}
	p.elections.start()
	if cfg.beginWithList() {
		p.elections.searcher.start(cfg.Found.Root)
	}
	watched := p.elections.watched
	if cfg.Server != nil {
		tasks.Start("verifying", func(ctx context.Context) error { return watched.VerifyEvery(ctx, verifyEvery) })
	}
	if p.admitter != nil {
		tasks.Start("cast", p.admitter.run)
	}
	if cfg.Demo.Lesson {
		p.lessons.startLater(cfg.Demo.LessonID)
	}
	if cfg.Demo.Chaos != nil {
		tasks.Start("chaos", func(ctx context.Context) error {
			return election.CauseFaults(ctx, *cfg.Demo.Chaos, watched.First(), p.actions.cast, cfg.Watch.Log)
		})
	}
}

func (p *parts) options(cfg Config, notices <-chan string) ui.Options {
	o := cfg.Screen
	o.Source, o.Actions, o.Past, o.Notices, o.Role = p.elections, p.actions.acts(), p.elections, notices, "observer"
	o.Choose = cfg.beginWithList()
	if cfg.Server != nil {
		o.Mode, o.Lessons = ui.ModeDemo, p.lessons
	}
	switch {
	case cfg.Cast > 0 && cfg.Server == nil:
		o.Role = fmt.Sprintf("cast of %d", cfg.Cast)
	case cfg.Campaign:
		o.Role = "candidate"
	}
	return o
}

// verifyEvery is short, because each request goes only to the demo's own server.
const verifyEvery = 2 * time.Second

// Config configures a dashboard.
type Config struct {
	Watch   election.Config // assemble sets Notice and fields of First
	Reach   cluster.Reach   // how long to try to reach a server
	Conn    client.Config   // for the sessions of electop's candidates
	Screen  ui.Options      // without the fields that parts.options and Run set
	Notices []string        // shown at the start

	// Found is the result of a search, or nil.
	Found *plain.Discovery

	WhyReadOnly   string             // why keys that change something are disabled; "": enabled
	Cast          int                // number of candidates that join at the start, without the user's
	Campaign      bool               // the user's candidate joins at the start
	Create        bool               // create the election's parent if it is missing
	CandidacyData string             // the data in the znode of the user's candidate
	Admission     election.Admission // the election to join, if known
	Consent       bool               // candidates may join third-party elections: the user agreed, or this is a demo

	Server *zkserver.Server // nil: a cluster
	Serve  func(ctx context.Context, notice func(string)) error
	Demo   Demo
}

func (cfg *Config) beginWithList() bool {
	return cfg.Found != nil && (cfg.Found.ElectionCount() > 1 || cfg.Found.Stopped != "")
}

// Demo configures the lesson, the random faults and the recipe of a demo.
type Demo struct {
	Lesson   bool   // a lesson begins at the start
	LessonID string // "": lessonRunner.Start chooses the lesson
	Chaos    *demo.Chaos
	Kind     dialect.Kind // the kind of recipe, "" for an election
}
