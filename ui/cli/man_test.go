package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"electop/ui/cli/process"
)

// TestManualPages: each command has a page with every flag of its help, and no other
// pages are written. The command that writes them is not in the list of commands.
func TestManualPages(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man", "man1")
	if out := says(t, 0, "man", "--dir", dir); out != "" {
		t.Errorf("it says %q", out)
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
		if one := says(t, 0, append([]string{"man"}, args...)...); one != page {
			t.Errorf("electop man %s is not %s.1", command, name)
		}
		text := regexp.MustCompile(`\\f[A-Z]|\\`).ReplaceAllString(page, "")
		if !strings.Contains(page, `.TH "`+strings.ToUpper(name)+`" "1"`) || !strings.Contains(text, "\n"+name+" - ") {
			t.Errorf("%s:\n%.300s", name, page)
		}
		for _, flag := range flagsIn(says(t, 0, append(args, "--help")...)) {
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
	if help := says(t, 0, "help"); regexp.MustCompile(`(?m)^  man `).MatchString(help) {
		t.Errorf("electop help lists man:\n%s", help)
	}
	for _, args := range [][]string{{"man", "nonsense"}, {"man", "json"}, {"man", "status", "info"}, {"man", "status", "--dir", dir}} {
		if got := says(t, process.ExitUsage, args...); strings.Count(got, "\n") != 1 {
			t.Errorf("electop %v is not one line:\n%s", args, got)
		}
	}
}
