package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"electop/model/dialect"
	"electop/ui/cli"
	"electop/ui/cli/process"
	"electop/ui/input"
)

var (
	commandNames = []string{"demo", "lesson", "status", "events", "exporter", "discover", "doctor", "campaign", "check", "replay", "serve", "info"}
	topicNames   = []string{"authentication", "command", "configuration", "environment", "exit-codes", "flags", "json", "keys", "lease", "metrics", "operators", "systems", "teaching"}

	flagName = regexp.MustCompile(`(?:^|[^\w-])(--[a-z0-9]+(?:-[a-z0-9]+)*)`)
)

func output(t *testing.T, code int, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if got := cli.Run(context.Background(), args, cli.IO{In: strings.NewReader(""), Out: &out, Err: &out}); got != code {
		t.Fatalf("electop %v: exit code %d, want %d:\n%s", args, got, code, out.String())
	}
	return out.String()
}

func programFlags(t *testing.T) map[string]bool {
	t.Helper()
	flags := map[string]bool{"--help": true, "--version": true}
	for _, command := range append([]string{"", "man"}, commandNames...) {
		args := strings.Fields(command + " --help")
		for _, m := range regexp.MustCompile("(?m)^(?:  -[a-z], |      )(--[a-z0-9-]+)").FindAllStringSubmatch(output(t, 0, args...), -1) {
			flags[m[1]] = true
		}
	}
	return flags
}

func TestFlagValuesAreCapitals(t *testing.T) {
	t.Parallel()
	flag := regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z0-9-]+) (\S+) `)
	n := 0
	for _, command := range append([]string{""}, commandNames...) {
		args := strings.Fields(command + " --help")
		for _, m := range flag.FindAllStringSubmatch(output(t, 0, args...), -1) {
			n++
			if m[2] != strings.ToUpper(m[2]) && m[2] != "N/s" {
				t.Errorf("electop %v: the flag %s has the value %s, want capitals or N/s", args, m[1], m[2])
			}
		}
	}
	if n < 50 {
		t.Errorf("got %d flags with a value, want at least 50", n)
	}
}

func TestHelpGroupsFlags(t *testing.T) {
	t.Parallel()
	headings := regexp.MustCompile(`(?m)^([A-Z].*):\n((?:  (?:-\w, |    )--.*\n)+)`)
	for _, command := range append([]string{""}, commandNames...) {
		args := strings.Fields(command + " --help")
		grouped := map[string]string{}
		for _, section := range headings.FindAllStringSubmatch(output(t, 0, args...), -1) {
			for _, line := range strings.Split(strings.TrimSpace(section[2]), "\n") {
				grouped[flagName.FindStringSubmatch(line)[1]] = section[1]
			}
		}
		for flag, heading := range grouped {
			if other := flag == "--help" || flag == "--version"; other != (heading == "Other flags") {
				t.Errorf("electop %v: the flag %s is under the wrong heading %q", args, flag, heading)
			}
		}
		if want := "Output"; grouped["--log-file"] != want || grouped["--json"] != "" && grouped["--json"] != want {
			t.Errorf("electop %v: the headings of the flags are %v, want %s for --log-file and --json", args, grouped, want)
		}
	}
}

func TestHelpHasExamples(t *testing.T) {
	t.Parallel()
	for _, command := range append([]string{"help", "completion", "man"}, commandNames...) {
		help := output(t, 0, command, "--help")
		if !strings.Contains(help, "\nExamples:\n  electop "+command) {
			t.Errorf("%s has no example:\n%s", command, help)
		}
		if strings.Contains(help, "[PATH]") && !strings.Contains(help, "PATH is /election if it is not given") {
			t.Errorf("the help of %s does not name the default of PATH:\n%s", command, help)
		}
	}
	if help := output(t, 0, "--help"); !strings.Contains(help, "\n  completion ") {
		t.Errorf("completion is not listed:\n%s", help)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if script := output(t, 0, "completion", shell); !strings.Contains(script, "__complete") {
			t.Errorf("no completion for %s:\n%s", shell, script)
		}
	}
}

func flagsIn(text string) []string {
	var out []string
	for _, m := range flagName.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestHelpListsCommandsAndTopics(t *testing.T) {
	all := output(t, 0, "help")
	for _, name := range slices.Concat(commandNames, topicNames) {
		if !regexp.MustCompile(`(?m)^  ` + name + ` +\S`).MatchString(all) {
			t.Errorf("electop help does not list %s:\n%s", name, all)
		}
	}
	if got := output(t, 0, "--help"); got != all {
		t.Errorf("electop --help is not electop help:\n%s", got)
	}
	if n := strings.Count(output(t, 0, "__complete", "help", ""), "\t"); n != len(commandNames)+len(topicNames)+1 {
		t.Errorf("electop has %d commands and topics, want completion and those of commandNames and topicNames", n)
	}
	if got := output(t, 0, "help", "status"); got != output(t, 0, "status", "--help") {
		t.Errorf("electop help status is not electop status --help:\n%s", got)
	}
	for _, args := range [][]string{{"help", "nonsense"}, {"help", "json", "keys"}, {"json", "extra"}, {"help", "figures"}, {"figures", "--help"}, {"clusters", "--json"}} {
		if got := output(t, process.ExitUsage, args...); strings.Count(got, "\n") != 1 {
			t.Errorf("electop %v does not print one line:\n%s", args, got)
		}
	}
}

func TestHelpTopics(t *testing.T) {
	flags := programFlags(t)
	for _, name := range topicNames {
		text := output(t, 0, "help", name)
		for _, args := range [][]string{{name}, {name, "--help"}} {
			if got := output(t, 0, args...); got != text {
				t.Errorf("electop %v is not electop help %s:\n%s", args, name, got)
			}
		}
		if strings.Contains(text, "`") {
			t.Errorf("%s has marks of Markdown in it", name)
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if w := ansi.StringWidth(line); w > 80 || line != strings.TrimRight(line, " ") {
				t.Errorf("%s: line of %d columns (want 80 at most) or with spaces at its end: %q", name, w, line)
			}
		}
		for _, flag := range flagsIn(text) {
			if !flags[flag] {
				t.Errorf("electop help %s names %s, which no command has", name, flag)
			}
		}
	}
}

func TestHelpTopicsAreComplete(t *testing.T) {
	listed := flagsIn(output(t, 0, "help", "flags"))
	for flag := range programFlags(t) {
		if !slices.Contains(listed, flag) && flag != "--help" && flag != "--version" {
			t.Errorf("electop help flags lacks %s", flag)
		}
	}
	keys, rows := words(output(t, 0, "help", "keys")), 0
	for _, m := range regexp.MustCompile("(?m)^\\| (`.*`) \\| (.*) \\|$").FindAllStringSubmatch(input.Markdown(), -1) {
		rows++
		if row := words(strings.ReplaceAll(m[1], "`", "") + " " + m[2]); !strings.Contains(keys, row) {
			t.Errorf("electop help keys lacks %q", row)
		}
	}
	if rows < 100 {
		t.Errorf("only %d keys were compared: the format of the table has changed", rows)
	}
	systems := words(output(t, 0, "help", "systems"))
	for _, d := range dialect.All() {
		for _, want := range append(d.AckPatterns(), "- "+d.System+": watches "+d.Watches+".", "Source: "+d.Source+".", d.Why) {
			if !strings.Contains(systems, words(want)) {
				t.Errorf("electop help systems lacks %q", want)
			}
		}
	}
	codes := words(output(t, 0, "help", "exit-codes"))
	for _, c := range process.ExitCodes() {
		if !strings.Contains(codes, fmt.Sprintf("%d %s", c.Number, c.Meaning)) {
			t.Errorf("electop help exit-codes lacks %d", c.Number)
		}
	}
}

func TestManualPages(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man", "man1")
	if out := output(t, 0, "man", "--dir", dir); out != "" {
		t.Errorf("electop man prints %q", out)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var pages, want []string
	for _, e := range entries {
		pages = append(pages, e.Name())
	}
	for _, command := range append([]string{""}, commandNames...) {
		name, args := "electop", []string{}
		if command != "" {
			name, args = "electop-"+command, []string{command}
		}
		want = append(want, name+".1")
		b, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil {
			t.Fatal(err)
		}
		page := string(b)
		if one := output(t, 0, append([]string{"man"}, args...)...); one != page {
			t.Errorf("electop man %s is not %s.1", command, name)
		}
		text := regexp.MustCompile(`\\f[A-Z]|\\`).ReplaceAllString(page, "")
		if !strings.Contains(page, `.TH "`+strings.ToUpper(name)+`" "1"`) || !strings.Contains(text, "\n"+name+" - ") {
			t.Errorf("the page of %s lacks its title or its name:\n%.300s", name, page)
		}
		for _, flag := range flagsIn(output(t, 0, append(args, "--help")...)) {
			if !strings.Contains(text, flag) {
				t.Errorf("the page of %s lacks %s", name, flag)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(pages)
	if !slices.Equal(pages, want) {
		t.Errorf("pages %q, want %q", pages, want)
	}
	if help := output(t, 0, "help"); regexp.MustCompile(`(?m)^  man `).MatchString(help) {
		t.Errorf("electop help lists man:\n%s", help)
	}
	for _, args := range [][]string{{"man", "nonsense"}, {"man", "json"}, {"man", "status", "info"}, {"man", "status", "--dir", dir}} {
		if got := output(t, process.ExitUsage, args...); strings.Count(got, "\n") != 1 {
			t.Errorf("electop %v does not print one line:\n%s", args, got)
		}
	}
}

func TestSuggestionsForUnknownFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"status", "--jsn"}, "electop: unknown flag: --jsn: did you mean --json? (see electop status --help)\n"},
		{[]string{"--record-mx", "3"}, "electop: unknown flag: --record-mx: did you mean --record-max? (see electop --help)\n"},
		{[]string{"discover", "--nothing"}, "electop: unknown flag: --nothing (see electop discover --help)\n"},
		{[]string{"doctor", "--follo"}, "electop: unknown flag: --follo (see electop doctor --help)\n"}, // removed flags are not suggested
	} {
		if _, errs := once(t, 2, c.args...); errs != c.want {
			t.Errorf("%q: %q, want %q", c.args, errs, c.want)
		}
	}
}

func TestRefusedConnectionIsReported(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	for _, args := range [][]string{{"status", "/x"}, {"doctor", "/x"}, {"discover"}, {"events", "/x"}} {
		c := run(t, append(args, "-s", addr, "--connect-timeout", "1h")...)
		c.errs.await(t, "why there is no connection", func(s string) bool {
			return strings.Contains(s, addr) && strings.Contains(s, "connection refused; trying until 1h0m0s have passed")
		})
		c.cancel()
		if code := c.finish(t); code != 130 {
			t.Errorf("%q: exit code %d, want 130: %s", args, code, c.errs.all())
		}
	}
}

func TestCompletionDoesNotWait(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
		}
	}()
	out, errs := once(t, 0, "__complete", "status", "--connect-timeout", "1h", "-s", l.Addr().String(), "/")
	if out != ":4\n" || strings.Count(errs, "\n") != 1 {
		t.Errorf("completion printed %q and error %q, want no path and one line of error", out, errs)
	}
}

func TestReadmeMatchesProgram(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := strings.ReplaceAll(string(b), "--watch-->", "") // an arrow of a diagram, not a flag
	flags := programFlags(t)
	for _, flag := range flagsIn(readme) {
		if !flags[flag] {
			t.Errorf("%s is in the README and in no command's help", flag)
		}
	}
	help := regexp.MustCompile("electop help ([a-z-]+)").FindAllStringSubmatch(readme, -1)
	for _, m := range help {
		if !slices.Contains(topicNames, m[1]) && !slices.Contains(commandNames, m[1]) {
			t.Errorf("the README names %s, which is neither a topic nor a command", m[0])
		}
	}
	for _, topic := range topicNames {
		if !slices.ContainsFunc(help, func(m []string) bool { return m[1] == topic }) {
			t.Errorf("the README does not name electop help %s", topic)
		}
	}
	commands := regexp.MustCompile("(?m)^    electop ([a-z]+)").FindAllStringSubmatch(readme, -1)
	for _, m := range commands {
		if m[1] != "help" && !slices.Contains(commandNames, m[1]) {
			t.Errorf("the README names %s, which is not a command", m[0])
		}
	}
	if len(commands) < 5 {
		t.Errorf("only %d commands of the README were checked: its format has changed", len(commands))
	}
	for _, m := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(readme, -1) {
		if _, err := os.Stat("../../" + m[1]); err != nil {
			t.Errorf("the README links to a file that does not exist: %v", err)
		}
	}
	if !strings.Contains(readme, "](.github/screen.svg)") {
		t.Error("the README has no picture")
	}
}
