package live

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/doctor"
	"electop/ui"
	"electop/ui/action"
	"electop/ui/cli/cluster"
	"electop/ui/cli/stage"
	"electop/ui/cli/task"
	"electop/ui/cli/watch"
	"electop/ui/term"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// inDemo runs f on a demo as the command puts it together, with n candidates, in
// virtual time. await waits for a state.
func inDemo(t *testing.T, n int, f func(t *testing.T, p *parts, await func(func(*doctor.State) bool) *doctor.State)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		server := zkserver.New(zkserver.Options{Tick: 50 * time.Millisecond, Logger: log})
		defer server.Close()
		servers, err := client.ParseConnectString(cluster.DefaultServers) // which nobody dials
		must(t, err)
		conn := client.Config{Servers: servers, SessionTimeout: 4 * time.Second, Logger: log}
		backstage := conn
		conn.Dial = func(context.Context, string, string) (net.Conn, error) { return server.Dial() }
		backstage.Dial = func(context.Context, string, string) (net.Conn, error) { return server.DialBackstage() }
		t.Setenv("XDG_STATE_HOME", t.TempDir())
		tasks := task.NewGroup(context.Background())
		p, err := assemble(Config{
			Watch: watch.Config{
				Conn: backstage, Asking: cluster.Asking{Mode: admin.Off}, Log: log,
				Elections: []model.Config{{Path: "/election", AckPath: "/election-leader", AckExpected: true, AckFollows: true}},
			},
			Conn: conn, Create: true, Server: server,
		}, tasks, func(s string) { t.Errorf("notice: %s", s) })
		must(t, err)
		defer p.elections.watched.Close()
		defer tasks.Stop()
		defer p.actions.cast.Close()
		tasks.Start("stage", p.actions.stage.Run)
		p.elections.start()
		await := func(holds func(*doctor.State) bool) *doctor.State {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			s, err := p.elections.watched.First().Feed.Await(ctx, holds)
			must(t, err)
			return s
		}
		await(func(s *doctor.State) bool { return s.Phase != model.Unseen })
		must(t, p.actions.cast.SpawnInOrder(t.Context(), n))
		await(func(s *doctor.State) bool { return stage.InPlace(s, n) })
		f(t, p, await)
	})
}

// The screen shows a handoff's numbers as the server's tally has them: the chain
// notifies one, the herd all. That the tally has what the server counted is tested there.
func TestHerdNumbersAreOnTheScreen(t *testing.T) {
	const n = 12
	for name, want := range map[string]int{"chain": 1, "herd": n - 1} {
		inDemo(t, n, func(t *testing.T, p *parts, await func(func(*doctor.State) bool) *doctor.State) {
			acts := p.actions.acts()
			if name == "herd" {
				must(t, acts.Do(t.Context(), action.Action{Kind: action.Herd, Arg: action.ArgOn}))
				time.Sleep(time.Second) // virtual
				await(func(s *doctor.State) bool { return stage.InPlace(s, n) })
			}
			s := p.elections.State()
			leader := *s.Member(s.Queue.At(0))
			must(t, acts.Do(t.Context(), action.Action{Kind: action.Kill, Target: leader.ID}))
			s = await(func(s *doctor.State) bool {
				last := len(s.Wakes) - 1
				return stage.InPlace(s, n-1) && last >= 0 && s.Wakes[last].Znode == leader.Znode && s.Wakes[last].Settled
			})
			w := s.Wakes[len(s.Wakes)-1]
			if len(w.Notified) != want || !w.Leader {
				t.Errorf("%s: the server notified %d, want %d: %+v", name, len(w.Notified), want, w.Wake)
			}
			m := ui.New(ui.Options{
				Source: p.elections, Past: p.elections, Actions: acts, Now: feed.Now, Mode: ui.ModeDemo, Theme: term.Mono, Renderer: lipgloss.NewRenderer(io.Discard),
			})
			m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
			screen := ansi.Strip(m.View())
			size := fmt.Sprintf("%.1f kB", float64(w.BytesIn+w.BytesOut)/1000)
			if w.BytesIn+w.BytesOut < 1000 {
				size = fmt.Sprintf("%d B", w.BytesIn+w.BytesOut)
			}
			shown := regexp.MustCompile(`│ ` + name + ` +\W* (\d+) +(\d+) +([\d.]+ k?B) │`).FindStringSubmatch(screen)
			if shown == nil || !slices.Equal(shown[1:], []string{strconv.Itoa(want), strconv.Itoa(w.Requests), size}) {
				t.Errorf("the screen has %q of %+v:\n%s", shown, w.Wake, screen)
			}
		})
	}
}

// An action that is impossible says why, and is not done.
func TestImpossible(t *testing.T) {
	inDemo(t, 1, func(t *testing.T, p *parts, await func(func(*doctor.State) bool) *doctor.State) {
		acts := p.actions.acts()
		must(t, acts.Do(t.Context(), action.Action{Kind: action.Freeze, Target: "amber"}))
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
				t.Errorf("%+v: %q, want %q", c.Action, why, c.why)
			} else if err := acts.Do(t.Context(), c.Action); err == nil || err.Error() != why {
				t.Errorf("%+v: %q, and done with %v", c.Action, why, err)
			}
		}
		await(func(s *doctor.State) bool { return len(s.Members) == 1 && s.Members[0].Fault == model.Frozen })
	})
}
