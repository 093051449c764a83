package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// What clients did to a tree is there when the server is started again, but
// for what was ephemeral.
func TestServeTree(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "class.json")
	serving(t, file, func(c *zk.Conn) {
		for _, path := range []string{"/class", "/class/jobs"} {
			create(t, c, path, "of "+path, 0)
		}
		for range 3 {
			create(t, c, "/class/jobs/n_", "", contender)
		}
	})
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v %v", info, err)
	}
	serving(t, file, func(c *zk.Conn) {
		if data, _, err := c.Get("/class/jobs"); err != nil || string(data) != "of /class/jobs" {
			t.Errorf("loaded: %q %v", data, err)
		}
		name := create(t, c, "/class/jobs/n_", "", contender)
		if kids, _, _ := c.Children("/class/jobs"); name != "/class/jobs/n_0000000003" || len(kids) != 1 {
			t.Errorf("the next candidate is %s, of %q", name, kids)
		}
	})
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

// The demo's election begins where it ended.
func TestDemoTree(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "class.json")
	for _, first := range []string{"does not exist yet", "Tree loaded"} {
		x := openTerminal(t, 120, 36, "demo", "--cast", "1", "--tree", file)
		x.sees(first)
		x.sees("leads", "ack")
		x.press("q")
		x.leaves(0)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `{"path":"/election","next_sequence":2}`) {
		t.Errorf("saved %s, %v", text, err)
	}
}

// serving runs electop serve with --tree for as long as f takes.
func serving(t *testing.T, file string, f func(*zk.Conn)) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	addr, ended := served(t, ctx, "--tree", file)
	c, events, err := zk.Connect([]string{addr, addr}, 10*time.Second, zk.WithLogger(silent{}))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for range events {
		}
	}()
	defer c.Close()
	f(c)
	interrupt()
	ended()
}
