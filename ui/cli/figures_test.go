package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A figure is a line of .ci/figures.txt, which says what its fields are.
type figure struct{ speed, name, goal, metric, command string }

func figuresTable(t *testing.T) []figure {
	t.Helper()
	b, err := os.ReadFile("../../.ci/figures.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []figure
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, " | ")
		if len(f) != 5 {
			t.Errorf("%d fields: %s", len(f), line)
			continue
		}
		out = append(out, figure{f[0], f[1], f[2], f[3], f[4]})
	}
	return out
}

var (
	figureCommand = regexp.MustCompile(`(?m)^    ((?:[A-Z_]+=\S+ )?go test .*)$`)
	figureGoal    = regexp.MustCompile(`^(?:passes|[<>=~] [0-9.,]+|[<>]= [0-9.,]+)$`)
	figureMetric  = regexp.MustCompile(`^(?:passes|/.*\([^()]+\).*/|(Benchmark\w+)(?:/\S+)? \S+(?: /1e[0-9])?)$`)
)

// Each command of the help topic runs a test or benchmark that there is, and the table
// that .ci/figures runs has the same commands: each goal stands with its command.
func TestFiguresAreMeasured(t *testing.T) {
	b, err := os.ReadFile("topic/figures.md")
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{} // what stands with a command: an entry of the list, or a section
	for _, block := range regexp.MustCompile(`(?m)^(?:- |## )`).Split(string(b), -1) {
		for _, m := range figureCommand.FindAllStringSubmatch(block, -1) {
			said[m[1]] = block
		}
	}
	if len(said) < 10 {
		t.Fatalf("%d commands measure figures", len(said))
	}
	measured := map[string]bool{}
	for _, f := range figuresTable(t) {
		measured[f.command] = true
		text, ok := said[f.command]
		of := figureMetric.FindStringSubmatch(f.metric)
		switch number := strings.TrimLeft(f.goal, "<>=~ "); {
		case !ok:
			t.Errorf("%s: electop help figures does not have %s", f.name, f.command)
		case f.speed != "quick" && f.speed != "slow":
			t.Errorf("%s is neither quick nor slow: %q", f.name, f.speed)
		case !figureGoal.MatchString(f.goal):
			t.Errorf("%s: %q is no goal", f.name, f.goal)
		case of == nil:
			t.Errorf("%s: %q is no metric", f.name, f.metric)
		case of[1] != "" && !slices.ContainsFunc(parts(f.command), func(part string) bool { return regexp.MustCompile(part).MatchString(of[1]) }):
			t.Errorf("%s: %s does not run %s", f.name, f.command, of[1])
		case of[1] != "" && !declares(t, dirsOf(t, f.command), "Benchmark", of[1]+"$"):
			t.Errorf("%s: there is no %s", f.name, of[1])
		case f.goal != "passes" && !regexp.MustCompile(`(?:^|[^\d.])`+regexp.QuoteMeta(number)+`(?:[^\d]|$)`).MatchString(text):
			t.Errorf("%s: electop help figures does not say %s with %s", f.name, number, f.command)
		}
	}
	for line := range said {
		if !measured[line] {
			t.Errorf(".ci/figures.txt does not have %s", line)
		}
		kind := "Benchmark"
		if !strings.Contains(line, "-bench") {
			kind = "Test"
		}
		for _, part := range parts(line) {
			if dirs := dirsOf(t, line); !declares(t, dirs, kind, part) {
				t.Errorf("%s: %v has no %s for %s", line, dirs, kind, part)
			}
		}
	}
}

// parts are the names of what a command runs.
func parts(command string) []string {
	pattern := regexp.MustCompile(`-bench '?([^' ]+)`).FindStringSubmatch(command)
	if pattern == nil {
		pattern = regexp.MustCompile(`-run '?([^' ]+)`).FindStringSubmatch(command)
	}
	return strings.Split(pattern[1], "|")
}

// dirsOf are the directories of the packages that a command runs.
func dirsOf(t *testing.T, command string) []string {
	t.Helper()
	var dirs []string
	for _, m := range regexp.MustCompile(`\./([\w/]+)(/\.\.\.)?`).FindAllStringSubmatch(command, -1) {
		dirs = append(dirs, "../../"+m[1])
		if m[2] != "" {
			below, err := filepath.Glob("../../" + m[1] + "/*")
			if err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, below...)
		}
	}
	return dirs
}

// declares reports whether a test file in dirs has such a function.
func declares(t *testing.T, dirs []string, kind, pattern string) bool {
	t.Helper()
	function := regexp.MustCompile(`func (` + kind + `\w*)\(`)
	for _, dir := range dirs {
		files, err := filepath.Glob(dir + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range function.FindAllStringSubmatch(string(b), -1) {
				if regexp.MustCompile(pattern).MatchString(m[1]) {
					return true
				}
			}
		}
	}
	return false
}

// TestFiguresRunner has .ci/figures read outputs that are known.
func TestFiguresRunner(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	found := [][2]string{
		{"< 10 | BenchmarkA ms/op | echo 'BenchmarkA-2  10  5.25 ms/op  77 ns/op'", "< 10 5.25 met"},
		{"< 5 | BenchmarkA ms/op | echo 'BenchmarkA-2  10  5.25 ms/op  77 ns/op'", "< 5 5.25 missed"},
		{">= 6.4 | BenchmarkA/x_y times | echo 'BenchmarkA/x-2 1 3 times'; echo 'BenchmarkA/x_y 1 7 times'", ">= 6.4 7 met"},
		{"~ 20 | BenchmarkA ns/op /1e6 | echo 'BenchmarkA-2  10  25000000 ns/op'", "~ 20 25 as stated"},
		{"~ 20 | BenchmarkA ns/op /1e6 | echo 'BenchmarkA-2  10  50000000 ns/op'", "~ 20 50 differs"},
		{"= 0 | /, ([0-9]+) stale/ | echo 'x.go:1: 1000 freezes, 0 stale ones'", "= 0 0 met"},
		{"passes | passes | echo '--- PASS: TestA'", "passes passes met"},
	}
	lacking := [][2]string{
		{"passes | passes | echo 'ok electop [no tests to run]'", "passes - ABSENT: no passes"},
		{"passes | passes | echo '--- PASS: TestA'; echo '--- SKIP: TestB'", "passes - ABSENT: no passes"},
		{"< 10 | BenchmarkB ms/op | echo 'BenchmarkA-2  10  5.25 ms/op'", "< 10 - ABSENT: no BenchmarkB ms/op"},
		{"< 10 | BenchmarkA ms/op | echo 'BenchmarkA-2 1 1 ms/op'; echo 'BenchmarkA-2 1 2 ms/op'", "< 10 - SEVERAL: BenchmarkA ms/op"},
		{"< 10 | BenchmarkA ms/op | echo 'BenchmarkA-2 1 1 ms/op'; false", "< 10 - COMMAND FAILED"},
	}
	figures(t, 0, found)
	for _, one := range lacking {
		figures(t, 1, append(found[:1:1], one))
	}
}

// figures compares what .ci/figures makes of the lines with their rows, and its exit code.
func figures(t *testing.T, code int, lines [][2]string) {
	t.Helper()
	table, want := "# a comment\nslow | b | = 1 | passes | false\n", ""
	for _, x := range lines {
		table += "quick | a | " + x[0] + "\n"
		want += "a " + x[1] + "\n"
	}
	file := filepath.Join(t.TempDir(), "figures.txt")
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "../../.ci/figures", "^quick")
	cmd.Env = append(os.Environ(), "FIGURES="+file)
	out, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	got := ""
	for _, row := range regexp.MustCompile(`(?m)^[ab] .*$`).FindAllString(string(out), -1) {
		got += strings.Join(strings.Fields(row), " ") + "\n"
	}
	if exited := cmd.ProcessState.ExitCode(); got != want || exited != code {
		t.Errorf("exit code %d, want %d; rows\n%swant\n%s", exited, code, got, want)
	}
}
