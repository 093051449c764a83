package help

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"electop/demo/zktest"
)

func alerts(t *testing.T) string {
	t.Helper()
	_, rules, ok := strings.Cut(render(text("metrics")), "\n    groups:\n")
	if !ok {
		t.Fatal("the help topic metrics has no alert rules")
	}
	out := "groups:\n"
	for line := range strings.Lines(rules) {
		code, ok := strings.CutPrefix(line, "    ")
		if !ok {
			break
		}
		out += code
	}
	return out
}

func TestAlerts(t *testing.T) {
	zktest.Require(t, "prometheus", "promtool")
	dir := t.TempDir()
	tests, err := os.ReadFile("testdata/alerts_test.yml")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"alerts.yml": alerts(t), "alerts_test.yml": string(tests)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml"}} {
		cmd := exec.Command("promtool", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
	for _, m := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(alerts(t), -1) {
		if n := strings.Count(string(tests), "alertname: "+m[1]); n != 2 {
			t.Errorf("%s has %d tests, want 2: one with an alert and one without", m[1], n)
		}
	}
}

func TestMetricsAreDescribed(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../exporter/testdata/history.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := func(pattern, in string) (out []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(in, -1) {
			out = append(out, m[1])
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	exposed := names(`(?m)^# TYPE (\S+) `, string(b))
	if described := names("(?m)^\\| `(electop_\\w+)` \\|", text("metrics")); !slices.Equal(described, exposed) || len(exposed) < 10 {
		t.Errorf("got described metrics\n%q, want at least 10, and the same as exposed:\n%q", described, exposed)
	}
	for _, name := range names(`(electop_\w+)`, alerts(t)) {
		if !slices.Contains(exposed, strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum")) {
			t.Errorf("the rules name %s, which is not exposed", name)
		}
	}
}

func TestRender(t *testing.T) {
	for _, c := range []struct{ name, markdown, want string }{
		{"heading", "# The `end`\n\ntext", "THE END\n\ntext\n"},
		{"paragraph", "one\ntwo `--three`\n\nfour\n", "one two --three\n\nfour\n"},
		{"long words stay whole", "It says that the value of this flag is in a file of the program: --admin-listen-for-long", "It says that the value of this flag is in a file of the program:\n--admin-listen-for-long\n"},
		{"list", "- one\n  more\n- two\n\nend", "- one more\n- two\n\nend\n"},
		{"code", "is:\n\n    a  `b`\n     c\n\nend", "is:\n\n    a  `b`\n     c\n\nend\n"},
		{"table", "| key | does |\n|---|---|\n| `j` `down` | down |\n| x | cut |\n", "key     does\nj down  down\nx       cut\n"},
		{"wide cell", "| k | d |\n|---|---|\n| a cell that is much wider than a column | two |\n| b | c |", "k  d\na cell that is much wider than a column\n   two\nb  c\n"},
	} {
		if got := render(c.markdown); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

func TestWordsOfHelp(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`fence`|\"fence\"|ELECTOP_FENCE")
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".md") {
			continue
		}
		text, err := os.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		rest := names.ReplaceAllString(string(text), "")
		if found := regexp.MustCompile(`(?i).*\b(un)?fenced?\b.*`).FindString(rest); found != "" {
			t.Errorf("%s uses \"fence\" other than as a name: %q", e.Name(), found)
		}
		if e.Name() == "command.md" && strings.Contains(rest, "guard") {
			t.Errorf("%s uses \"guard\" for the watchdog of a command", e.Name())
		}
	}
}
