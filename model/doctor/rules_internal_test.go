package doctor

import (
	"os"
	"strings"
	"testing"
)

func TestRulesHaveTheirFiles(t *testing.T) {
	for _, r := range rules {
		name := strings.ReplaceAll(r.id, "-", "")
		text, err := os.ReadFile(name + ".go")
		if want := "\nfunc " + name + "(r *rulerun) {"; !strings.Contains(strings.ToLower(string(text)), want) {
			t.Errorf("%s.go lacks %q; error %v", name, want[1:], err)
		}
	}
}
