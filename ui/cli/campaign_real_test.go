package cli_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

type campaignJSON struct {
	Belief string
	Znode  *string
}

func awaitBelief(t *testing.T, c *command, belief string) (znode string) {
	t.Helper()
	c.out.await(t, belief, func(s string) bool {
		for line := range strings.Lines(s) {
			var l campaignJSON
			if json.Unmarshal([]byte(line), &l) == nil && l.Belief == belief && l.Znode != nil {
				znode = *l.Znode
				return true
			}
		}
		return false
	})
	return znode
}

func TestCampaignInThirdPartyElections(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	server := zktest.Apache(t)
	for name, library := range map[string]struct {
		start   func(testing.TB, string, time.Duration) *zktest.ThirdParty
		recipes []string
	}{
		"kazoo":   {zktest.Kazoo, []string{"election", "lock"}},
		"Curator": {zktest.Curator, []string{"latch", "selector", "mutex"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			theirs := library.start(t, server.Addr, 20*time.Second)
			for _, recipe := range library.recipes {
				t.Run(recipe, func(t *testing.T) {
					path := "/taking-part-" + strings.ToLower(name) + "-" + recipe
					first, last := recipe+"-amber", recipe+"-cedar"
					amber := theirs.Join(t, recipe, path, first)
					theirs.AwaitLeading(t, first)

					c := run(t, "campaign", path, "--yes", "--name", "birch", "--json", "--servers", server.Addr)
					own := awaitBelief(t, c, "waiting")
					if errs := c.errs.all(); !strings.Contains(errs, "behind 1 candidate") {
						t.Errorf("no note about the candidate ahead in the queue: %q", errs)
					}
					cedar := theirs.Join(t, recipe, path, last)
					for znode, session := range map[string]string{amber.Znode: "", own: hex(cedar.Session)} {
						zktest.Await(t, "a watch on "+znode, func() bool {
							_, watchers, ok := strings.Cut(server.FourLetterWord(t, "wchp"), znode+"\n")
							watchers, _, _ = strings.Cut(watchers, "\n/")
							return ok && strings.Contains("\n"+watchers, "\n\t"+session)
						})
					}
					theirs.Resign(t, first)
					awaitBelief(t, c, "leading")
					s := decode[statusJSON](t, printed(t, 0, "status", path, "--json", "--servers", server.Addr, "--admin", "4lw"))
					var edges []string
					for _, c := range s.Candidates {
						edges = append(edges, c.Znode+" "+c.WatchState)
					}
					if want := []string{own + " unknown", cedar.Znode + " verified"}; !slices.Equal(edges, want) || !strings.Contains(text(s.System), name) {
						t.Errorf("got watches %q in an election of %s, want %q, %s", edges, text(s.System), want, name)
					}
					if theirs.Led(last) {
						t.Errorf("%s leads at the same time as electop", last)
					}
					if exists, _, err := session(t, server.Addr).Exists(path + "-leader"); err != nil || exists {
						t.Errorf("the acknowledgement of electop exists: %v, error %v; want false, nil", exists, err)
					}
					c.cancel()
					if code := c.finish(t); code != 130 {
						t.Errorf("exit code %d after an interrupt, want 130: %s", code, c.errs.all())
					}
					theirs.AwaitLeading(t, last)
					theirs.Resign(t, last)
				})
			}
		})
	}
}

func TestCampaignPrintsLease(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words string
		warns bool
	}{
		"tick known":   {"*", false},
		"tick unknown": {"", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := zktest.NewApache(t, zktest.WithWords(c.words))
			began := time.Now()
			cmd := run(t, "campaign", "/lease", "--create", "--json", "--session-timeout", "2s", "--servers", server.Addr)
			cmd.out.await(t, "a leader with a lease", func(out string) bool {
				for line := range strings.Lines(out) {
					var l struct {
						Belief string
						Lease  *time.Time `json:"lease_until"`
					}
					if json.Unmarshal([]byte(line), &l) != nil || l.Belief != "leading" {
						continue
					}
					if l.Lease == nil || l.Lease.Before(began) || l.Lease.After(time.Now().Add(2*time.Second)) {
						t.Fatalf("got the leader's line %s, want a lease that ends within 2 s", line)
					}
					return true
				}
				return false
			})
			if errs := cmd.errs.all(); strings.Contains(errs, "tick") != c.warns {
				t.Errorf("a warning about the tick: want %v, got %q", c.warns, errs)
			}
		})
	}
}

func TestExitCodesOfSignals(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	for signal, code := range map[syscall.Signal]int{
		syscall.SIGHUP: 129, syscall.SIGINT: 130, syscall.SIGQUIT: 131, syscall.SIGABRT: 134, syscall.SIGTERM: 143,
	} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			out, errs := newLines(), newLines()
			cmd := exec.Command("electop", "campaign", unique("signal"), "--create", "--json", "-s", addr)
			cmd.Stdout, cmd.Stderr = out, errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				defer out.end()
				cmd.Wait()
			}()
			t.Cleanup(func() {
				cmd.Process.Kill()
				<-ended
			})
			out.await(t, "leading", func(s string) bool { return strings.Contains(s, `"belief":"leading"`) })
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			<-ended
			if got := cmd.ProcessState.ExitCode(); got != code || errs.all() != "" {
				t.Errorf("exit code %d, want %d; standard error %q, want none", got, code, errs.all())
			}
			last := out.all()[strings.LastIndex(out.all(), "\n{")+1:]
			if !strings.Contains(last, `"belief":"resigned"`) || !strings.Contains(last, `"detail":"interrupted"`) {
				t.Errorf("want a last line with belief resigned and detail interrupted, got\n%s", out.all())
			}
		})
	}
}

func TestCampaignInterruptedWithoutConnection(t *testing.T) {
	t.Parallel()
	server, addr := zkserver.Start(t, zkserver.Options{})
	c := run(t, "campaign", "/e", "--create", "--json", "-s", addr, "--session-timeout", "30s")
	c.out.await(t, "leading", func(s string) bool { return strings.Contains(s, `"belief":"leading"`) })
	server.Close()
	c.out.await(t, "suspended", func(s string) bool { return strings.Contains(s, `"belief":"suspended"`) })
	c.cancel()
	if code := c.finish(t); code != 130 {
		t.Errorf("exit code %d, want 130; standard error %q", code, c.errs.all())
	}
	// Without a connection a candidate cannot close its session, so its belief must not be resigned.
	lines := slices.Collect(strings.Lines(c.out.all()))
	if last := lines[len(lines)-1]; !strings.Contains(last, `"belief":"lost"`) || !strings.Contains(last, "interrupted; there is no connection") {
		t.Errorf("got %q, want belief lost and no connection in the last line", lines)
	}
}
