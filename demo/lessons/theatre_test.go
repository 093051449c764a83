package lessons_test

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
	"electop/demo/zkserver"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/lesson"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

const (
	path    = "/election"
	ackPath = "/election-leader"
	timeout = 4 * time.Second // of the candidates' sessions, as in the demo
)

// theatre is a demo without a screen: stage, cast, an observer, and somebody
// who asks the server what it knows. What happens is told to the lesson that
// is on.
type theatre struct {
	server *zkserver.Server
	cast   *demo.Cast
	stage  *demo.Stage
	feed   *feed.Feed
	asker  *admin.Asker

	mu      sync.Mutex
	run     *lesson.Run
	moved   chan struct{} // closed when something was observed
	notices []string
}

// enter runs f in a theatre in virtual time.
func enter(t *testing.T, f func(t *testing.T, h *theatre)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := &theatre{server: zkserver.New(zkserver.Options{Tick: 50 * time.Millisecond}), moved: make(chan struct{})}
		defer h.server.Close()
		servers, err := client.ParseConnectString("127.0.0.1:1")
		must(t, err)
		front := client.Config{Servers: servers, SessionTimeout: timeout,
			Dial: func(context.Context, string, string) (net.Conn, error) { return h.server.Dial() }}
		back := front
		back.Dial = func(context.Context, string, string) (net.Conn, error) { return h.server.DialBackstage() }

		h.feed = feed.New(feed.Config{
			Election: model.Config{Path: path, AckPath: ackPath, AckExpected: true},
			Applied:  h.applied,
		})
		observer := observer.New(observer.Config{Conn: back, Path: path, Beside: observer.Beside{Acks: []string{ackPath}}, Put: h.feed.PutSlowly, Now: feed.Now})
		notice := func(n string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.notices = append(h.notices, n)
		}
		h.cast = demo.NewCast(demo.Config{
			Conn: front, Path: path, Ack: ackPath, Create: true, Now: feed.Now, Put: h.feed.Put, Notice: notice,
		})
		h.stage = demo.NewStage(demo.StageConfig{
			Server: h.server, Cast: h.cast, Path: path, Workers: back, Put: h.feed.Put, Notice: notice, Now: feed.Now,
		})
		h.asker = admin.New(admin.Config{
			Mode: admin.FourLetter, Servers: []string{"127.0.0.1:1"}, Interval: time.Second, Sessions: time.Second, Heavy: true,
			Ensemble: func(context.Context) (string, error) { return "", nil },
			Dial:     func(context.Context, string, string) (net.Conn, error) { return h.server.Dial() },
			Now:      feed.Now,
		})
		defer h.asker.Subscribe(admin.Election{Path: path, Ack: ackPath, Sessions: func() []uint64 { return h.feed.State().SessionsToAsk() }, Put: h.feed.PutSlowly})()

		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { h.feed.Run(ctx) })
		wg.Go(func() { observer.Run(ctx) })
		wg.Go(func() { h.stage.Run(ctx) })
		wg.Go(func() { h.asker.Run(ctx) })
		wg.Go(func() { h.verifyEvery(ctx, 2*time.Second) })
		defer func() {
			h.server.SetPace(zkserver.Pace{})
			h.cast.Close()
			synctest.Wait()
			cancel()
			wg.Wait()
		}()
		f(t, h)
	})
}

// verifyEvery has the watches verified unasked, as the demo does.
func (h *theatre) verifyEvery(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		h.asker.Verify()
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// applied is told of each observation.
func (h *theatre) applied(s *doctor.State, events []model.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.run != nil {
		h.run.Observe(s, events)
	}
	close(h.moved)
	h.moved = make(chan struct{})
}

// begin builds the scene of a lesson and begins it.
func (h *theatre) begin(t *testing.T, l *lesson.Lesson) {
	t.Helper()
	h.mu.Lock()
	h.run = nil
	h.mu.Unlock()
	scene := demo.Scene{Cast: l.Scene.Cast, Rules: model.Rules{Workers: l.Scene.Workers}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	must(t, h.stage.Set(ctx, scene))
	s, err := h.feed.Await(ctx, func(s *doctor.State) bool {
		if len(s.Members) != l.Scene.Cast || s.Queue.Len() != l.Scene.Cast || !s.Acknowledged() {
			return false
		}
		for i, c := range s.Queue.All() { // which may still be that of the scene before
			m := s.Member(c)
			if m == nil || m.Znode != c.Name || (m.Belief == model.Leading) != (i == 0) || i > 0 && m.Belief != model.Waiting {
				return false
			}
		}
		return true
	})
	if err != nil {
		t.Fatalf("%s: the scene does not come about: %d stand", l.ID, s.Queue.Len())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.run = lesson.Begin(l, 1, 1, h.feed.State())
}

func (h *theatre) view() lesson.View {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.run.View()
}

func (h *theatre) input(in lesson.Input, choice int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.run.Input(in, choice)
}

// await waits for a view, at most two minutes.
func (h *theatre) await(t *testing.T, what string, holds func(lesson.View) bool) lesson.View {
	t.Helper()
	limit := time.NewTimer(2 * time.Minute)
	defer limit.Stop()
	for {
		h.mu.Lock()
		v, moved := h.run.View(), h.moved
		h.mu.Unlock()
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

// queue tells what stands, for a failure.
func (h *theatre) queue() string {
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

// press does what a key does in the demo, to the member in the selected row.
func (h *theatre) press(t *testing.T, key, target, fault string) {
	t.Helper()
	if strings.Contains("xfdX", key) && target == "" {
		t.Fatalf("%s acts on the selected row, and no row is to be selected", key)
	}
	must(t, h.act(key, target, fault))
}

// act is press for a key that may be refused.
func (h *theatre) act(key, target, fault string) error {
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
	case ".":
		_, err := h.stage.Step()
		return err
	case "v":
		h.asker.Verify()
	case "X": // opens the list; enter does what is selected in it
	case "enter":
		return h.fault(target, fault)
	default:
		return fmt.Errorf("no key %q", key)
	}
	return nil
}

// fault does what the list of faults has.
func (h *theatre) fault(id, fault string) error {
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
