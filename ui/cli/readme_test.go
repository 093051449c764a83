package cli_test

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"electop/ui"
	"electop/ui/cli"
)

// The README's keys and flags are the program's.
func TestReadmeIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	keys, _, ok := strings.Cut(ui.KeysMarkdown(), "\n\nLooking at")
	if !ok {
		t.Fatal("the keys' table has another shape than this test knows")
	}
	if !strings.Contains(readme, strings.TrimSpace(keys)) {
		t.Errorf("the README's keys are not those of the program:\n%s", keys)
	}
	documented := map[string]bool{}
	prose := strings.ReplaceAll(readme, "--watch-->", "") // an arrow
	for _, m := range regexp.MustCompile("--[a-z]+(-[a-z]+)*").FindAllString(prose, -1) {
		documented[m] = true
	}
	shown := map[string]bool{}
	for _, command := range []string{"", "demo", "lesson", "status", "events", "discover", "doctor", "campaign", "replay", "serve"} {
		var out bytes.Buffer
		args := []string{"--help"}
		if command != "" {
			args = []string{command, "--help"}
		}
		if code := cli.Run(context.Background(), args, cli.IO{In: strings.NewReader(""), Out: &out, Err: &out}); code != 0 {
			t.Fatalf("electop %v: exit code %d", args, code)
		}
		for _, m := range regexp.MustCompile("(?m)^ .*?(--[a-z]+(?:-[a-z]+)*)").FindAllStringSubmatch(out.String(), -1) {
			shown[m[1]] = true
		}
	}
	for flag := range shown {
		if !documented[flag] && flag != "--help" && flag != "--version" {
			t.Errorf("%s is not in the README", flag)
		}
	}
	for flag := range documented {
		if !shown[flag] {
			t.Errorf("%s is in the README and in no command's help", flag)
		}
	}
}
