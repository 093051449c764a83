package cli_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"
	"github.com/google/go-cmp/cmp"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

var update = flag.Bool("update", false, "rewrite the table of systems in the help")

// TestDiscoverSystems searches a tree with all systems in it, healthy and in trouble.
// The table that it prints is the one that `electop help systems` shows; -update rewrites
// it.
func TestDiscoverSystems(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	sessions := make([]*zk.Conn, zktest.SystemSessions)
	for i := range sessions {
		sessions[i] = zktest.Client(t, addr)
	}
	all := zktest.Systems()
	for _, s := range all {
		s.Build(t, sessions)
	}
	if len(all) < 40 {
		t.Errorf("only %d systems", len(all))
	}
	out, errs := once(t, 0, "discover", "-s", addr)
	if errs != "" {
		t.Error(errs)
	}
	table, _, _ := strings.Cut(out, "\n\n")
	lines := strings.Split(table, "\n")
	leader, waiting, reign := strings.Index(lines[0], "LEADER"), strings.Index(lines[0], "WAITING"), strings.Index(lines[0], "REIGN")
	var b strings.Builder
	fmt.Fprint(&b, "| path | leader | waiting |\n|---|---|---|\n")
	byPath := func(a, b string) int { return strings.Compare(a[len("!! "):], b[len("!! "):]) } // trouble comes first
	for _, line := range slices.SortedFunc(slices.Values(lines[1:]), byPath) {
		path, _, _ := strings.Cut(line[len("!! "):], "  ")
		who := strings.TrimSpace(line[leader:waiting])
		if len(who) > 40 && !strings.Contains(who, " ") { // a znode's name, which the help cannot break
			who = who[:12] + "…" + who[len(who)-16:]
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", path, who, strings.TrimSpace(line[waiting:reign]))
	}
	const file = "help/discovered.md"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shown, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(shown), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("the help (-) and discover (+):\n%s", diff)
	}
}
