package tutor

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo"
	"electop/demo/lessons"
	"electop/demo/zkserver"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/lesson"
	"electop/ui/cli/task"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

const (
	path    = "/election"
	ackPath = "/election-leader"
	timeout = 4 * time.Second // of the candidates' sessions, as in the demo
)

// world is a demo without a screen: stage, cast, an observer, and the tutor.
type world struct {
	cast  *demo.Cast
	stage *demo.Stage
	feed  *feed.Feed
	tutor *Tutor

	mu      sync.Mutex
	moved   chan struct{} // closed when something was observed
	notices []string
}

// enter runs f in a world in virtual time.
func enter(t *testing.T, f func(t *testing.T, h *world)) {
	t.Helper()
	course, err := lessons.All()
	must(t, err)
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{Tick: 50 * time.Millisecond})
		defer server.Close()
		h := &world{moved: make(chan struct{})}
		servers, err := client.ParseConnectString("127.0.0.1:1")
		must(t, err)
		front := client.Config{Servers: servers, SessionTimeout: timeout,
			Dial: func(context.Context, string, string) (net.Conn, error) { return server.Dial() }}
		back := front
		back.Dial = func(context.Context, string, string) (net.Conn, error) { return server.DialBackstage() }

		ctx, cancel := context.WithCancel(t.Context())
		tasks := task.NewGroup(ctx)
		h.tutor = &Tutor{course: course, progress: &progress{}, tasks: tasks, notice: h.notice}
		h.feed = feed.New(feed.Config{
			Election: model.Config{Path: path, AckPath: ackPath, AckExpected: true},
			Applied: func(s *doctor.State, events []model.Event) {
				h.tutor.Observe(s, events)
				h.mark()
			},
		})
		observer := observer.New(observer.Config{Conn: back, Path: path, Beside: observer.Beside{Acks: []string{ackPath}}, Put: h.feed.PutSlowly, Now: feed.Now})
		h.cast = demo.NewCast(demo.Config{
			Conn: front, Path: path, Ack: ackPath, Create: true, Now: feed.Now, Put: h.feed.Put, Notice: h.notice,
		})
		h.stage = demo.NewStage(demo.StageConfig{
			Server: server, Cast: h.cast, Path: path, Workers: back, Put: h.feed.Put, Notice: h.notice, Now: feed.Now,
		})
		h.tutor.Open(h.stage, h.cast, h.feed, h.mark)

		var wg sync.WaitGroup
		wg.Go(func() { h.feed.Run(ctx) })
		wg.Go(func() { observer.Run(ctx) })
		wg.Go(func() { h.stage.Run(ctx) })
		defer func() {
			server.SetPace(zkserver.Pace{})
			h.cast.Close()
			synctest.Wait()
			_ = tasks.Stop()
			cancel()
			wg.Wait()
		}()
		f(t, h)
	})
}

func (h *world) notice(n string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notices = append(h.notices, n)
}

// mark wakes those that wait for another view.
func (h *world) mark() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.moved)
	h.moved = make(chan struct{})
}

func (h *world) view() lesson.View {
	v, _ := h.tutor.View()
	return v
}

func (h *world) input(in lesson.Input, choice int) string { return h.tutor.Input(in, choice) }

// await waits for a view, at most two minutes.
func (h *world) await(t *testing.T, what string, holds func(lesson.View) bool) lesson.View {
	t.Helper()
	limit := time.NewTimer(2 * time.Minute)
	defer limit.Stop()
	for {
		h.mu.Lock()
		moved := h.moved
		h.mu.Unlock()
		v := h.view()
		if holds(v) {
			return v
		}
		select {
		case <-moved:
		case <-limit.C:
			t.Fatalf("%s, part %d: %s: not within two minutes\n%s\nview %+v\nnotices %q", v.ID, v.Part, what, h.queue(), v, h.notices)
		}
	}
}

// queue describes the election, for a failure.
func (h *world) queue() string {
	var b strings.Builder
	s := h.feed.State()
	for i, c := range s.Queue.All() {
		fmt.Fprintf(&b, "%s %s %v; ", c.Label(), c.Name, s.Edge(i))
	}
	for _, m := range s.Members {
		fmt.Fprintf(&b, "\n%s %s %s %s %d %+v watches %s", m.ID, m.Belief, m.Fault, m.Znode, m.Step, m.StepOn, m.Watches)
	}
	return b.String()
}

// paces are those that [ and ] go along.
var paces = []zkserver.Pace{
	{}, {Delay: 100 * time.Millisecond}, {Delay: 250 * time.Millisecond}, {Delay: 500 * time.Millisecond},
	{Delay: time.Second}, {Delay: zkserver.PaceMax}, {Steps: true},
}

// act does what a key does in the demo, to the member in the selected row.
func (h *world) act(key, target, fault string) error {
	rules := h.stage.Rules()
	switch key {
	case "s":
		_, err := h.cast.Spawn()
		return err
	case "x", "d", "f":
		return h.fault(target, map[string]string{"x": "kill", "d": "resign", "f": "freeze"}[key])
	case "c":
		if h.cast.Why(demo.You, demo.Resign, true) == nil {
			return h.cast.Fault(demo.You, demo.Resign, true)
		}
		_, err := h.cast.Campaign("host:1")
		return err
	case "h":
		if h.feed.State().Recipe.Name() == dialect.Herd().Name() {
			return h.cast.Follow(nil)
		}
		return h.cast.Follow(dialect.Herd())
	case "w":
		rules.Workers, rules.Fenced = !rules.Workers || !rules.Fenced, rules.Workers && !rules.Fenced
		return h.stage.SetRules(rules)
	case "[", "]":
		i := slices.Index(paces, h.stage.Pace())
		if key == "[" {
			i++
		} else {
			i--
		}
		if i >= 0 && i < len(paces) {
			h.stage.SetPace(paces[i])
		}
	case "X": // opens the list; enter does what is selected in it
	case "enter":
		return h.fault(target, fault)
	default:
		return fmt.Errorf("no key %q", key)
	}
	return nil
}

// fault does what the list of faults has.
func (h *world) fault(id, fault string) error {
	var m model.Member
	for _, x := range h.feed.State().Members {
		if x.ID == id {
			m = *x
		}
	}
	kind := demo.Fault(fault)
	on := kind == demo.Freeze && m.Fault == model.Frozen || kind == demo.Partition && m.Fault == model.Partitioned ||
		kind == demo.NoGuid && m.NoGuid || kind == demo.SlowLead && m.SlowLead
	return h.cast.Fault(id, kind, !on)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
