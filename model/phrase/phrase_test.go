package phrase

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"testing"
)

func constants(t *testing.T, file, typ string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			if id, ok := v.Type.(*ast.Ident); ok && id.Name == typ {
				names = append(names, v.Names[0].Name)
			}
		}
		return true
	})
	return names
}

func TestEverySituationHasWords(t *testing.T) {
	lead, err := os.ReadFile("lead.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, typ, in string }{{"../leader.go", "NoLeader", "model."}, {"../doctor/state.go", "Lead", "doctor."}} {
		names := constants(t, c.file, c.typ)
		for _, name := range names {
			if !regexp.MustCompile(`case .*\b`+c.in+name+`\b`).Match(lead) && name != "Leads" {
				t.Errorf("lead.go has no case for %s", name)
			}
		}
		if len(names) == 0 {
			t.Errorf("%s has no constants of type %s", c.file, c.typ)
		}
	}
	if names := constants(t, "../event.go", "Cause"); len(names) != len(causes) {
		t.Errorf("%d causes have words, want these: %v", len(causes), names)
	}
	for cause, e := range causes {
		if e.Sentence == "" || e.Cell == "" {
			t.Errorf("the cause %s has no Sentence or no Cell: %+v", cause, e)
		}
	}
}
