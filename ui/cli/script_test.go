package cli_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/rogpeppe/go-internal/testscript"

	"electop/demo/zkserver"
)

func TestCommandLine(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			_, addr := zkserver.Start(setupT{env}, zkserver.Options{})
			env.Setenv("ZK", addr)
			env.Setenv("TERM", "xterm")
			c, events, err := zk.Connect([]string{addr, addr}, 10*time.Second, zk.WithLogger(silent{}))
			if err != nil {
				return err
			}
			go func() {
				for range events {
				}
			}()
			env.Defer(c.Close)
			env.Values["zk"] = c
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"znode": createInScript, "exits": exits, "offers": offers, "served": servedInScript,
			"await-child": func(ts *testscript.TestScript, _ bool, args []string) {
				awaitInScript(ts, args[0]+"/*"+args[1], func(c *zk.Conn) (bool, <-chan zk.Event, error) {
					children, _, watch, err := c.ChildrenW(args[0])
					return slices.ContainsFunc(children, func(name string) bool { return strings.HasSuffix(name, args[1]) }), watch, err
				})
			},
			"await": func(ts *testscript.TestScript, _ bool, args []string) {
				awaitInScript(ts, args[0], func(c *zk.Conn) (bool, <-chan zk.Event, error) {
					exists, _, watch, err := c.ExistsW(args[0])
					return exists, watch, err
				})
			},
		},
	})
}

// createInScript creates a znode. An ephemeral znode lasts until the end of the script.
func createInScript(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: znode persistent|contender|lone|private|closed path [data]")
	}
	var data []byte
	if len(args) > 2 {
		data = []byte(args[2])
	}
	c := ts.Value("zk").(*zk.Conn)
	flags, acl := int32(0), zk.WorldACL(zk.PermAll)
	switch args[0] {
	case "contender":
		flags = zk.FlagEphemeral | zk.FlagSequence
	case "lone":
		flags = zk.FlagEphemeral
	case "private":
		acl = zk.DigestACL(zk.PermAll, "u", "p")
	}
	_, err := c.Create(args[1], data, flags, acl)
	ts.Check(err)
	if args[0] == "closed" {
		_, err = c.Create(args[1]+"/inside", nil, 0, acl)
		ts.Check(err)
		_, err = c.SetACL(args[1], zk.DigestACL(zk.PermAll, "u", "p"), -1)
		ts.Check(err)
	}
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var failed *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &failed) {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// offers repeats a completion, which may find nothing in time on a busy machine.
func offers(ts *testscript.TestScript, _ bool, args []string) {
	want := regexp.MustCompile(`(?m)` + args[0])
	for deadline := time.Now().Add(waitFor); ; {
		ts.Check(ts.Exec("electop", args[1:]...))
		if got := ts.ReadFile("stdout"); want.MatchString(got) {
			return
		} else if time.Now().After(deadline) {
			ts.Fatalf("electop offers %q, want %s", got, want)
		}
	}
}

// servedInScript interrupts electop serve after its line "ZooKeeper on …", and writes the output into a file named "printed".
func servedInScript(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command("electop", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Dir = ts.Getenv("WORK")
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	var errs strings.Builder
	cmd.Stderr = &errs
	ts.Check(cmd.Start())
	timeout := time.AfterFunc(waitFor, func() { cmd.Process.Kill() })
	defer timeout.Stop()
	var printed strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		printed.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), "ZooKeeper on ") {
			ts.Check(cmd.Process.Signal(os.Interrupt))
		}
	}
	err = cmd.Wait()
	ts.Check(os.WriteFile(ts.MkAbs("printed"), []byte(printed.String()), 0o600))
	if cmd.ProcessState.ExitCode() != 130 || errs.Len() > 0 {
		ts.Fatalf("electop serve: %v, want exit code 130 and no error: %s%s", err, printed.String(), errs.String())
	}
}

func awaitInScript(ts *testscript.TestScript, znode string, read func(*zk.Conn) (found bool, watch <-chan zk.Event, err error)) {
	deadline := time.After(waitFor)
	for {
		found, watch, err := read(ts.Value("zk").(*zk.Conn))
		ts.Check(err)
		if found {
			return
		}
		select {
		case <-watch:
		case <-deadline:
			ts.Fatalf("%s did not appear", znode)
		}
	}
}

type silent struct{}

func (silent) Printf(string, ...any) {}

type setupT struct{ *testscript.Env }

func (setupT) Helper()            {}
func (s setupT) Cleanup(f func()) { s.Defer(f) }
func (s setupT) Fatalf(format string, args ...any) {
	s.T().Fatal(fmt.Sprintf(format, args...))
}
