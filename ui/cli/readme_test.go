package cli_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the README names exists: flags, commands, help topics, files.
func TestReadmeIsTrue(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := strings.ReplaceAll(string(b), "--watch-->", "") // an arrow
	flags := programFlags(t)
	for _, flag := range flagsIn(readme) {
		if !flags[flag] {
			t.Errorf("%s is in the README and in no command's help", flag)
		}
	}
	help := regexp.MustCompile("electop help ([a-z-]+)").FindAllStringSubmatch(readme, -1)
	for _, m := range help {
		if !slices.Contains(topicNames, m[1]) {
			t.Errorf("the README names %s, which is not a topic", m[0])
		}
	}
	if len(help) < len(topicNames) {
		t.Errorf("the README names %d of %d help topics", len(help), len(topicNames))
	}
	commands := regexp.MustCompile("(?m)^    electop ([a-z]+)").FindAllStringSubmatch(readme, -1)
	for _, m := range commands {
		if m[1] != "help" && !slices.Contains(commandNames, m[1]) {
			t.Errorf("the README names %s, which is not a command", m[0])
		}
	}
	if len(commands) < 5 {
		t.Errorf("the README has %d commands: it has another shape than this test knows", len(commands))
	}
	for _, m := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(readme, -1) {
		if _, err := os.Stat("../../" + m[1]); err != nil {
			t.Errorf("the README shows a file that is not there: %v", err)
		}
	}
	if !strings.Contains(readme, "](.github/screen.svg)") {
		t.Error("the README has no picture")
	}
}
