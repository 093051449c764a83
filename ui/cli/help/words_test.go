package help

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A guard is multi with a check, a fencing token is what a resource compares: no help
// has another word for either, or one word for both. Names in JSON and in the environment
// stay.
func TestGuardAndFencingToken(t *testing.T) {
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
			t.Errorf("%s: %q", e.Name(), found)
		}
		if e.Name() == "command.md" && strings.Contains(rest, "guard") {
			t.Errorf("%s: the process that watches a command is not the guard", e.Name())
		}
	}
}
