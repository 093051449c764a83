package dashboard

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/lesson"
	"electop/model/phrase"
	"electop/ui"
	"electop/ui/action"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	"electop/ui/term"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

func TestMain(m *testing.M) {
	os.Setenv("XDG_STATE_HOME", "/nowhere") // the tests must not use the user's lesson progress
	zktest.Main(m)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type world struct {
	*parts
	t    *testing.T
	conn client.Config

	mu      sync.Mutex
	notices []string
}

func inDemo(t *testing.T, n int, f func(h *world)) {
	t.Helper()
	inRecipe(t, "", n, f)
}

// inRecipe runs f in a demo of a recipe with n members. If kind is "", the demo shows an election.
func inRecipe(t *testing.T, kind dialect.Kind, n int, f func(h *world)) {
	t.Helper()
	requests := cluster.Requests{Mode: admin.Off}
	if kind != "" {
		requests = cluster.Requests{Mode: admin.FourLetter, Interval: time.Second, Sessions: time.Second, Heavy: true}
	}
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		server := zkserver.New(zkserver.Options{Tick: 50 * time.Millisecond, Logger: log})
		defer server.Close()
		servers, err := client.ParseConnectString(cluster.DefaultServers) // never dialled
		must(t, err)
		conn := client.Config{Servers: servers, SessionTimeout: 4 * time.Second, Logger: log}
		observing := conn
		conn.Dial = func(context.Context, string, string) (net.Conn, error) { return server.Dial() }
		observing.Dial = func(context.Context, string, string) (net.Conn, error) { return server.DialObserver() }
		tasks := process.NewTasks(context.Background())
		h := &world{t: t, conn: conn}
		h.parts, err = assemble(Config{
			Watch: election.Config{
				Conn: observing, Requests: requests, Log: log,
				Elections: []model.Config{{Path: "/election", AckPath: "/election-leader", AckExpected: true, AckFollows: true}},
			},
			Conn: conn, Create: true, Server: server, Cast: n, Demo: Demo{Kind: kind},
		}, tasks, h.notice)
		must(t, err)
		h.lessons.progress = &progress{}
		defer h.elections.watched.Close()
		defer tasks.Stop()
		defer h.actions.cast.Close()
		defer server.SetPace(zkserver.Pace{})
		tasks.Start("sandbox", h.actions.sandbox.Run)
		h.elections.start()
		h.awaitState(func(s *doctor.State) bool { return s.Phase != model.Unseen })
		must(t, h.actions.cast.SpawnInOrder(t.Context(), n))
		h.awaitState(func(s *doctor.State) bool { return election.InPlace(s, n) || n == 0 || kind != "" })
		f(h)
		h.mu.Lock()
		defer h.mu.Unlock()
		if len(h.notices) > 0 {
			t.Errorf("notices: %q", h.notices)
		}
	})
}

func (h *world) notice(n string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notices = append(h.notices, n)
}

func (h *world) awaitState(holds func(*doctor.State) bool) *doctor.State {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	s, err := h.elections.watched.First().Feed.Await(ctx, holds)
	if err != nil {
		h.t.Fatalf("the state was not reached: %v; %s: %s; queue %s", err, s.Kind(), phrase.Content(s), h.queue())
	}
	return s
}

func (h *world) view() lesson.View {
	v, _ := h.lessons.View()
	return v
}

func (h *world) input(in lesson.Input, choice int) string { return h.lessons.Input(in, choice) }

func (h *world) await(what string, holds func(lesson.View) bool) lesson.View {
	h.t.Helper()
	limit := time.After(2 * time.Minute)
	for {
		v := h.view()
		if holds(v) {
			return v
		}
		select {
		case <-h.elections.Dirty():
		case <-limit:
			h.t.Fatalf("%s, part %d: not %s within two minutes\n%s\nview %+v\nnotices %q", v.ID, v.Part, what, h.queue(), v, h.notices)
		}
	}
}

func (h *world) queue() string {
	var b strings.Builder
	s := h.elections.State()
	for i, c := range s.Queue.All() {
		fmt.Fprintf(&b, "%s %s %v; ", c.Label(), c.Name, s.Edge(i))
	}
	for _, m := range s.Members {
		fmt.Fprintf(&b, "\n%s %s %s %s %d %+v watches %s", m.ID, m.Belief, m.Fault, m.Znode, m.Step, m.StepOn, m.Watches)
	}
	return b.String()
}

func (h *world) act(key, target, fault string) error {
	s, rules := h.elections.State(), h.actions.sandbox.Rules()
	a := action.Action{Target: target, Kind: map[string]action.Kind{
		"s": action.Spawn, "x": action.Kill, "d": action.Resign, "f": action.Freeze, "enter": action.Kind(fault),
		"c": action.Campaign, "h": action.Herd, "w": action.Workers, "[": action.Slow, "]": action.Slow,
	}[key]}
	on := false
	switch a.Kind {
	case action.Campaign:
		on = h.actions.cast.Why(demo.You, demo.Resign, true) == nil
	case action.Herd:
		on = s.Recipe.Name() == dialect.Herd().Name()
	case action.Workers:
		on = rules.Fenced
	default:
		if i := slices.IndexFunc(s.Members, func(m *model.Member) bool { return m.ID == target }); i >= 0 {
			m := s.Members[i]
			on = a.Kind == action.Freeze && m.Fault == model.Frozen || a.Kind == action.Partition && m.Fault == model.Partitioned ||
				a.Kind == action.NoGuid && m.NoGuid || a.Kind == action.SlowLead && m.SlowLead
		}
	}
	switch a.Arg = action.Toggle(on); {
	case key == "X": // opens the list of faults; enter executes the selected one
		return nil
	case key == "[":
		a.Arg = action.ArgSlower
	case key == "]":
		a.Arg = action.ArgFaster
	case key == "w" && rules.Workers && !rules.Fenced:
		a.Arg = action.ArgGuard
	}
	return h.actions.acts().Do(h.t.Context(), a)
}

func TestRecipes(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		kind    dialect.Kind
		content string
	}{
		{dialect.KindLock, ""},
		{dialect.KindShared, "2 readers hold, 1 reader and 1 writer wait"},
		{dialect.KindGroup, "4 members, newest "},
		{dialect.KindBarrier, "3 sessions watch the znode"},
		{dialect.KindDouble, "4 inside, waiting for ready"},
		{dialect.KindQueue, " item"},
	} {
		inRecipe(t, x.kind, 4, func(h *world) {
			time.Sleep(time.Second)
			h.elections.watched.Poller().Verify()
			h.awaitState(func(s *doctor.State) bool {
				return s.Kind() == x.kind && strings.Contains(phrase.Content(s), x.content)
			})
			acts := h.actions.acts()
			for _, kind := range []action.Kind{action.Campaign, action.Herd, action.Workers, action.LoseReply, action.SlowLead} {
				want := "this demo shows a " + x.kind.String()
				if why := acts.Why(action.Action{Kind: kind, Target: "amber", Arg: action.ArgOn}); why != want {
					h.t.Errorf("%s: got %q, want %q", kind, why, want)
				}
			}
			if !h.admitter.decide(h.elections.State()) {
				h.t.Errorf("%s: no member may join", x.kind)
			}
			must(h.t, h.act("s", "", ""))
			must(h.t, h.act("x", "birch", ""))
			s := h.awaitState(func(s *doctor.State) bool { return s.MemberByID("ember") != nil && s.MemberByID("birch") == nil })
			if s.Kind() != x.kind || len(s.Findings) > 0 {
				h.t.Errorf("got a %s with findings %v, want a %s without findings", s.Kind(), s.Findings, x.kind)
			}
			if why := acts.Why(action.Action{Kind: action.Kill, Target: "/queue/queue-0000000000"}); x.kind == dialect.KindQueue && why != "this is an item of the queue. Select a participant" {
				h.t.Errorf("kill a queue item: got %q, want that it is an item", why)
			}
			if x.kind != dialect.KindBarrier {
				return
			}
			must(h.t, h.act("d", "amber", ""))
			s = h.awaitState(func(s *doctor.State) bool { return s.Phase == model.NoParent })
			if n := len(s.Waiters()); s.Kind() != x.kind || n > 0 || len(s.Broken()) > 0 || len(s.Findings) > 0 {
				h.t.Errorf("without the barrier: got a %s with %d waiters, broken %q, findings %v; want a %s and nothing else", s.Kind(), n, s.Broken(), s.Findings, x.kind)
			}
		})
	}
}

func TestScreenShowsNotifiedCandidates(t *testing.T) {
	t.Parallel()
	const n = 12
	for name, want := range map[string]int{"chain": 1, "herd": n - 1} {
		inDemo(t, n, func(h *world) {
			acts := h.actions.acts()
			if name == "herd" {
				must(h.t, acts.Do(h.t.Context(), action.Action{Kind: action.Herd, Arg: action.ArgOn}))
				time.Sleep(time.Second)
				h.awaitState(func(s *doctor.State) bool { return election.InPlace(s, n) })
			}
			s := h.elections.State()
			leader := *s.Member(s.Queue.At(0))
			must(h.t, acts.Do(h.t.Context(), action.Action{Kind: action.Kill, Target: leader.ID}))
			s = h.awaitState(func(s *doctor.State) bool {
				last := len(s.Deletions) - 1
				return election.InPlace(s, n-1) && last >= 0 && s.Deletions[last].Znode == leader.Znode && s.Deletions[last].Settled
			})
			w := s.Deletions[len(s.Deletions)-1]
			if len(w.Notified) != want || !w.Leader {
				h.t.Errorf("%s: the server notified %d, leader %v; want %d, true: %+v", name, len(w.Notified), w.Leader, want, w.DeletionReport)
			}
			m := ui.New(ui.Options{
				Source: h.elections, Past: h.elections, Actions: acts, Now: feed.Now, Mode: ui.ModeDemo, Theme: term.Mono, Renderer: lipgloss.NewRenderer(io.Discard),
			})
			m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
			screen := ansi.Strip(m.View())
			size := fmt.Sprintf("%.1f kB", float64(w.BytesIn+w.BytesOut)/1000)
			if w.BytesIn+w.BytesOut < 1000 {
				size = fmt.Sprintf("%d B", w.BytesIn+w.BytesOut)
			}
			shown := regexp.MustCompile(`│ ` + name + ` +\W* (\d+) +(\d+) +([\d.]+ k?B) │`).FindStringSubmatch(screen)
			if shown == nil || !slices.Equal(shown[1:], []string{strconv.Itoa(want), strconv.Itoa(w.Requests), size}) {
				h.t.Errorf("the screen shows %q, want the values of %+v:\n%s", shown, w.DeletionReport, screen)
			}
		})
	}
}

func TestRefusedActions(t *testing.T) {
	t.Parallel()
	inDemo(t, 1, func(h *world) {
		acts := h.actions.acts()
		must(h.t, acts.Do(h.t.Context(), action.Action{Kind: action.Freeze, Target: "amber"}))
		for _, c := range []struct {
			action.Action
			why string
		}{
			{action.Action{Kind: action.Kill, Target: "/election/n_0000000007"}, "third-party"},
			{action.Action{Kind: action.Kill, Target: "birch"}, "dead already"},
			{action.Action{Kind: action.Resign, Target: "amber"}, "frozen"},
			{action.Action{Kind: action.Spawn, Election: "/another"}, "/election"},
			{action.Action{Kind: action.Slow, Arg: action.ArgFaster}, "["},
			{action.Action{Kind: action.Verify}, "--admin off"},
			{action.Action{Kind: action.Pause}, "demo"},
		} {
			if why := acts.Why(c.Action); !strings.Contains(why, c.why) {
				h.t.Errorf("%+v: got %q, want %q in it", c.Action, why, c.why)
			} else if err := acts.Do(h.t.Context(), c.Action); err == nil || err.Error() != why {
				h.t.Errorf("%+v: Why returns %q, Do %v", c.Action, why, err)
			}
		}
		h.awaitState(func(s *doctor.State) bool { return len(s.Members) == 1 && s.Members[0].Fault == model.Frozen })
	})
}
