package check_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"electop/demo/zktest"
	"electop/model"
	"electop/ui/cli"
	"electop/ui/cli/check"
	"electop/zkwatch/feed"
)

const candidateEnv, electopEnv = "ELECTOP_CHECK_CANDIDATE", "ELECTOP_CHECK_ELECTOP=1"

var self = zktest.Must(os.Executable())

func TestMain(m *testing.M) {
	if defect := os.Getenv(candidateEnv); defect != "" {
		candidate(defect, os.Args[1], os.Args[2], os.Args[3])
	}
	if slices.Contains(os.Environ(), electopEnv) {
		os.Exit(cli.Run(context.Background(), os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	}
	zktest.Main(m)
}

func program(name string) []string {
	if name == "campaign" {
		return []string{"env", electopEnv, self, "campaign", "{path}", "-s", "{servers}", "--create", "--name", "{id}"}
	}
	return []string{"env", candidateEnv + "=" + name, self, "{servers}", "{path}", "{id}"}
}

// electop returns electop check as another process: on Linux, check.Run kills all descendants of its process.
func electop(t *testing.T, args ...string) (*exec.Cmd, *strings.Builder) {
	cmd, out := exec.CommandContext(t.Context(), self, append([]string{"check"}, args...)...), &strings.Builder{}
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), electopEnv), out, out
	return cmd, out
}

func TestPrograms(t *testing.T) {
	needOrder, unwatched := "guid cost deleted", ""
	_, second := zktest.Long(t)
	t.Parallel()
	if second {
		unwatched = "middle"
		needOrder = "guid cost takeover middle gap connection-loss expiry frozen deleted isolated strangers overflow restart restart-empty slow"
	}
	for name, x := range map[string]struct {
		first            bool   // run it in the first tier, too
		failed, notShown string // all other checks pass
		opens            string // the playback of this check's recording starts when two instances believe that they lead
	}{
		"none":             {first: true},
		"herd":             {first: true, failed: "predecessor cost", notShown: unwatched},
		"no guid":          {first: true, failed: "guid"},
		"name order":       {first: true, failed: "predecessor", notShown: needOrder, opens: "predecessor"},
		"ignores deletion": {failed: "deleted"},
		"keeps believing":  {failed: "connection-loss expiry frozen isolated restart-empty", opens: "expiry"},
		"single":           {notShown: "guid cost overflow"},
		"campaign":         {},
	} {
		t.Run(name, func(t *testing.T) {
			if !x.first {
				zktest.SecondTier(t)
			}
			t.Parallel()
			only := strings.Fields("ephemeral predecessor " + needOrder)
			junit := filepath.Join(t.TempDir(), "junit.xml")
			cmd, out := electop(t, append([]string{"--only", strings.Join(only, ","), "--record", t.TempDir(), "--junit", junit, "--json",
				"--leading", `(\S+) leads| leading, `, "--following", `(\S+) follows| (volunteering|in the queue|waiting|elected|suspended|lost|withdrew)`, "--"}, program(name)...)...)
			cmd.Run()
			var r check.Report
			file, _ := os.ReadFile(junit)
			err := errors.Join(json.Unmarshal([]byte(out.String()), &r), xml.Unmarshal(file, new(struct{})))
			got := map[check.Status][]string{}
			for _, c := range r.Checks {
				got[c.Status] = append(got[c.Status], c.Name)
				if c.Title == "" || c.Source == "" || c.Status != check.NotShown && (c.Recording == "" || c.Seconds <= 0) {
					t.Errorf("%+v lacks a field", c)
				}
				if c.Name == x.opens {
					opensAtFailure(t, c)
				}
			}
			failed, notShown := got[check.Failed], got[check.NotShown]
			if strings.Join(failed, " ") != x.failed || strings.Join(notShown, " ") != x.notShown || cmd.ProcessState.ExitCode() != 5*min(1, len(failed)) {
				t.Errorf("%v, failed %q, not shown %q; want failed %q, not shown %q:\n%s", cmd.ProcessState, failed, notShown, x.failed, x.notShown, out)
			}
			if err != nil || len(r.Checks) != len(only) || r.Format != 1 || r.Passed != len(got[check.Passed]) || r.Failed != len(failed) || r.NotShown != len(notShown) || !strings.Contains(string(file), fmt.Sprintf(` tests="%d" failures="%d" errors="0" skipped="%d" `, len(only), r.Failed, r.NotShown)) {
				t.Errorf("error %v, or a wrong number in JSON or JUnit:\n%s\n%s", err, out, file)
			}
		})
	}
}

func opensAtFailure(t *testing.T, c check.Result) {
	p := zktest.Must(feed.OpenPlayback(c.Recording, 1))
	go p.Run(t.Context(), nil)
	for n := uint64(0); n == 0; n, _, _ = p.Playing() {
		<-p.Dirty()
	}
	m := slices.DeleteFunc(slices.Clone(p.State().Members), func(m *model.Member) bool { return m.Belief != model.Leading })
	if _, stopped, _ := p.Playing(); len(m) < 2 || !stopped || !strings.HasPrefix(c.Seen, m[0].Name+" and "+m[1].Name+" both believe") {
		t.Errorf("recording of %q: %d lead, stopped %t; want those two leaders, true", c.Seen, len(m), stopped)
	}
}

func TestIdle(t *testing.T) { // not parallel, because check.Run kills other tests' processes
	names := []string{"campaign"}
	if _, second := zktest.Long(t); second {
		names = append(names, "none")
	}
	for _, name := range names {
		var got check.Result
		c := check.Config{Args: program(name), Only: []string{"idle"}, Env: os.Environ(), Idle: time.Second / 2, Log: slog.New(slog.DiscardHandler)}
		err := check.Run(t.Context(), c, func(r check.Result) { got = r })
		if err != nil || got.Status != check.Passed || !strings.Contains(got.Seen, "pings a second") {
			t.Errorf("%s: error %v, result %v; want passed, with the pings", name, err, got)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		`exit status 2: electop: --leading "\(": error parsing regexp`:           {"--leading", "(", "--", self},
		`exit status 2: electop: --only "none": no such check; there are epheme`: {"--only", "guid,none", "--", self},
		"exit status 2: electop: start /no/such/program: ":                       {"--json", "--", "/no/such/program"},
		`exit status 3: electop: no instance .* i2 ended .* output: "red i2 .*`:  {"--json", "--", "sh", "-c", `printf '\033[31mred {id} \033]0;a\007\302\233\n'`},
	} {
		cmd, out := electop(t, args...)
		got := fmt.Sprintf("%v: %s", cmd.Run(), out)
		raw := strings.ContainsFunc(got, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 })
		if raw || !regexp.MustCompile("^"+want).MatchString(got) {
			t.Errorf("%q: got %q, want %q without control characters", args, got, want)
		}
	}
}

func TestInterruptEndsEveryProcess(t *testing.T) {
	zktest.Require(t, "util-linux", "setsid") // processes in other sessions are killed only on Linux
	t.Parallel()
	marker := fmt.Sprintf("1000.%d", time.Now().UnixNano())
	running := func(name string) int {
		lines, _ := exec.Command("sh", "-c", "cat /proc/[0-9]*/cmdline").Output()
		return strings.Count(string(lines), name+"\x00"+marker)
	}
	cmd, out := electop(t, append([]string{"--only", "idle", "--", "sh", "-c", `(setsid sleep "$0" &); exec "$@" "$0"`, marker}, program("none")...)...)
	zktest.Must(0, cmd.Start())
	// The first four instances only serve to find the path; the fifth belongs to the check.
	zktest.Await(t, "5 running processes", func() bool { return running("sleep") >= 5 })
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait()
	if n := running(""); n > 0 || cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("%d processes are left, %v; want 0, exit status 130: %s", n, cmd.ProcessState, out)
	}
}
