package cli_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/ui/cli"
	"electop/ui/cli/process"
)

func once(t *testing.T, code int, args ...string) (out, errs string) {
	t.Helper()
	c := run(t, args...)
	if got := c.finish(t); got != code {
		t.Fatalf("electop %q: exit code %d, want %d\n%s%s", args, got, code, c.out.all(), c.errs.all())
	}
	return c.out.all(), c.errs.all()
}

func printed(t *testing.T, code int, args ...string) string {
	t.Helper()
	out, _ := once(t, code, args...)
	return out
}

func TestVersion(t *testing.T) {
	want := "electop " + process.ThisBuild().String() + "\n"
	if out, errs := once(t, 0, "--version"); out != want || errs != "" {
		t.Errorf("printed %q and errors %q, want %q and no error", out, errs, want)
	}
}

func unique(kind string) string { return fmt.Sprintf("/%s%x", kind, time.Now().UnixNano()) }

func create(t testing.TB, c *zk.Conn, path, data string, flags int32) string {
	t.Helper()
	name, err := c.Create(path, []byte(data), flags, zk.WorldACL(zk.PermAll))
	if err != nil {
		t.Fatal(err)
	}
	return name
}

const contender = zk.FlagEphemeral | zk.FlagSequence

func TestOutputFails(t *testing.T) {
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := zktest.Client(t, addr)
	create(t, c, "/e", "", 0)
	create(t, c, "/e/n_", "host-1", contender)
	for _, line := range []string{"status /e", "status /e --json", "doctor /e --for 1ms", "doctor /e --for 1ms --json", "discover", "events /e", "events /e --json"} {
		var errs strings.Builder
		args := append(strings.Fields(line), "-s", addr)
		if code := cli.Run(t.Context(), args, cli.IO{In: strings.NewReader(""), Out: failing{}, Err: &errs}); code != 1 || !strings.Contains(errs.String(), "broken pipe") {
			t.Errorf("%s: exit code %d, want 1; error %q, want broken pipe", line, code, errs.String())
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestDiscoverInterrupted(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := zktest.Client(t, addr)
	for i := range 30 {
		create(t, c, fmt.Sprintf("/%02d", i), "", 0)
	}
	x := openTerminal(t, 100, 10, "discover", "-s", addr, "--rate", "2")
	x.sees("znodes read, 0 found")
	x.press("\x03")
	x.sees("stopped early: interrupted")
	x.leaves(130)
}
