// Package check tests the leader election of any program for "electop check".
//
// A [Check] starts instances of the program against an embedded ZooKeeper server, may cause a failure, and
// judges what happens. Each check has its own [world]: a server, and for each instance a process and a
// relay ([fault.Link]). An instance gets only the address of its relay. Checks run side by side.
//
// The server and the relays show znodes, watches, requests and notifications. The lines of the program's
// output show whether an instance believes that it leads ([Config].Leading, [Config].Following).
//
//	check.go     the checks in their order, and Run
//	world.go     a server, its instances, and what their messages show
//	instance.go  a process, its relay, and its beliefs
//	record.go    a recording for electop replay
//	report.go    the results as text, JSON and JUnit
//
// The other files have the checks.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"electop/demo/zkserver"
	"electop/model/znode"
	"electop/ui/cli/command"
	"electop/ui/cli/process"
	"electop/zkwatch/wire"
)

// A Check is one test of a program's election.
type Check struct {
	Name   string `json:"name"`   // for --only and the names of recordings
	Title  string `json:"title"`  // what a program that passes does
	Source string `json:"source"` // where the rule comes from

	needs need
	next  int32 // sequence number of the first candidate
	// do runs the check. The program passes if do returns. Otherwise do panics with an outcome.
	do func(w *world)
}

// A need is a condition without which a check is [NotShown].
type need uint8

const (
	queued    need = 1 << iota // not a single-znode election
	leading                    // Config.Leading is set
	following                  // Config.Leading and Config.Following are set
)

// Checks returns all checks in the order of the report.
func Checks() []*Check {
	return []*Check{
		&ephemeral, &guid, &predecessor, &cost, &takeover, &middle, &gap, &loss, &expiry, &frozen, &deleted,
		&isolated, &strangers, &overflow, &restart, &restartEmpty, &slow, &idle,
	}
}

// Config holds the program to check, and how to check it.
type Config struct {
	Args      []string // the command line; {servers}, {path} and {id} are replaced
	Instances int      // started by each check that needs no other number; at least 3
	Only      []string // names of checks; empty: all
	// An instance begins to believe that it leads if Leading matches its output line, and stops if Following does.
	// If a group matches another instance's id, a match of Leading ends the belief, and Following is ignored.
	Leading, Following *regexp.Regexp
	Record             string // directory of the recordings; "": none
	Env                []string
	Idle               time.Duration // duration of the check idle; 0: a minute
	Log                *slog.Logger
}

// Status is how a check ended.
type Status string

const (
	Passed   Status = "passed"
	Failed   Status = "failed"
	NotShown Status = "not shown" // neither passed nor failed; Result.Seen has the reason
)

const (
	// Timeout is the timeout of all sessions.
	Timeout = 2 * time.Second
	tick    = 100 * time.Millisecond
	// grace bounds the reaction of a program to an event. It is long because the machine may be busy.
	grace     = 3 * time.Second
	joinLimit = 20 * time.Second
	// sideBySide bounds the checks that run at the same time. They mostly wait.
	sideBySide = 6
)

// ErrNeverJoined means that the program does not join the election.
var ErrNeverJoined = errors.New("no instance created an ephemeral or sequential znode")

// Run runs the checks and calls report with each result, in the order of [Checks]. An error means that
// the checks ended early. All instances are dead when Run returns; on Linux, Run also kills all other
// descendants of this process.
func Run(ctx context.Context, cfg Config, report func(Result)) error {
	if err := command.Adopt(); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	defer command.EndOrphans(0, nil)
	if cfg.Record != "" {
		if err := os.MkdirAll(cfg.Record, 0o700); err != nil {
			return process.Usagef("--record: %v", err)
		}
	}
	p := &program{Config: cfg, starting: make(chan struct{}, runtime.GOMAXPROCS(0))}
	if err := p.find(ctx); err != nil {
		return err
	}
	chosen := slices.DeleteFunc(Checks(), func(c *Check) bool { return len(cfg.Only) > 0 && !slices.Contains(cfg.Only, c.Name) })
	results := make([]chan Result, len(chosen))
	for i := range results {
		results[i] = make(chan Result, 1)
	}
	t := process.NewTasks(ctx)
	slots := make(chan struct{}, sideBySide)
	t.Start("checks", func(ctx context.Context) error {
		for i, c := range slices.Backward(chosen) { // idle is last and takes the longest
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			t.Start("check "+c.Name, func(ctx context.Context) error {
				defer func() { <-slots }()
				r, err := p.run(ctx, c)
				if err == nil {
					results[i] <- r
				}
				return err
			})
		}
		return nil
	})
	for _, r := range results {
		select {
		case result := <-r:
			report(result)
		case <-t.Context().Done():
			return t.Stop()
		}
	}
	return t.Stop()
}

type program struct {
	Config
	starting chan struct{} // bounds the instances that join at the same time

	dir    string // parent of the candidates' znodes
	single string // name of the single znode; "": a queue of sequential znodes
	parent bool   // Path must exist before the program starts
}

// Path replaces {path} in Config.Args.
const Path = "/election"

// find starts instances, and sets dir, single and parent according to their znodes.
func (p *program) find(ctx context.Context) error {
	var worlds []*world // without Path, and with it
	for _, p.parent = range []bool{false, true} {
		w, err := p.newWorld(ctx, &Check{Name: "find", do: func(w *world) {
			for range 2 {
				if err := w.add().launch(); err != nil {
					w.unknown("%v", err)
				}
			}
		}})
		if err != nil {
			return err
		}
		defer w.close(time.Time{})
		if o := w.run(); o.status != Passed {
			return process.Usagef("%s", o.seen)
		}
		worlds = append(worlds, w)
	}
	without, with := worlds[0], worlds[1]
	all := append(without.all(), with.all()...)
	with.await(joinLimit, func() bool {
		return p.found(without) || p.found(with) || !slices.ContainsFunc(all, func(in *instance) bool { return !in.ended() })
	})
	if p.dir == "" {
		var output []string
		for _, in := range with.all() {
			output = append(output, in.id+" "+in.lastOutput())
		}
		return cmp.Or(ctx.Err(), fmt.Errorf("%[1]w at or below %[2]s, whether %[2]s existed or not: %[3]s", ErrNeverJoined, Path, strings.Join(output, "; ")))
	}
	p.parent = !without.await(grace, func() bool { return p.found(without) })
	return nil
}

// found prefers watched znodes, then sequential ones.
func (p *program) found(w *world) bool {
	var all []message
	connected := true
	for _, in := range w.all() {
		all, connected = append(all, in.created("")...), connected && in.facts().session != 0
	}
	if len(all) == 0 || !(connected && w.quietFor(quiet)) && time.Since(all[0].at) < grace {
		return false
	}
	likely := func(m message) (n int) {
		n = int(m.flags & wire.FlagSequential)
		children, listWatchers := w.current().Children(znode.Dir(m.created))
		if len(listWatchers) > 0 || slices.ContainsFunc(children, func(c zkserver.Child) bool {
			return c.Name == znode.Base(m.created) && len(c.Watchers) > 0
		}) {
			n += 2 * int(wire.FlagSequential)
		}
		return n
	}
	best := slices.MaxFunc(all, func(a, b message) int { return cmp.Compare(likely(a), likely(b)) })
	if p.dir, p.single = znode.Dir(best.created), ""; best.flags&wire.FlagSequential == 0 {
		p.single = znode.Base(best.created)
	}
	return true
}

func (p *program) run(ctx context.Context, c *Check) (r Result, err error) {
	r = Result{Check: c, Status: NotShown}
	began := time.Now()
	switch {
	case c.needs&queued != 0 && p.single != "":
		r.Seen = "a single-znode election has no queue"
	case c.needs&(leading|following) != 0 && p.Leading == nil:
		r.Seen = "without --leading the output does not show what an instance believes"
	case c.needs&following != 0 && p.Following == nil:
		r.Seen = "without --following the output does not show when a leader stops leading"
	default:
		w, err := p.newWorld(ctx, c)
		if err != nil {
			return r, err
		}
		o := w.run()
		r.Status, r.Seen, r.Recording = o.status, o.seen, w.close(o.at)
	}
	r.Seconds = time.Since(began).Round(time.Millisecond).Seconds()
	return r, ctx.Err()
}

// outcome is the status of a check, and the value of the panic that ends the check early.
type outcome struct {
	status Status
	seen   string
	at     time.Time // when the program failed; zero: it did not
}

func (w *world) fail(format string, args ...any) {
	panic(outcome{Failed, fmt.Sprintf(format, args...), time.Now()})
}

func (w *world) unknown(format string, args ...any) {
	panic(outcome{status: NotShown, seen: fmt.Sprintf(format, args...)})
}

func (w *world) note(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

func (w *world) run() (o outcome) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case outcome:
			o = x
		default:
			panic(x)
		}
	}()
	w.check.do(w)
	return outcome{status: Passed, seen: strings.Join(w.notes, "; ")}
}
