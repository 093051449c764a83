package phrase

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// constants returns the names of a type's constants in a file.
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

// TestEverySituationHasWords: each reason, lead and cause that the model knows is in its
// table, with a sentence, a cell, and no more braces than it can fill.
func TestEverySituationHasWords(t *testing.T) {
	known := []string{"leads", "first", "node", "ghost", "lower", "lower number", "other", "blocker", "members", "children",
		"ignored", "session", "system", "since", "could", "ending", "obstacle"}
	check := func(what string, entries ...choice) {
		if len(entries) == 0 || entries[len(entries)-1].when != nil {
			t.Errorf("%s: no words for every state", what)
		}
		for _, e := range entries {
			if e.Sentence == "" || e.Cell == "" {
				t.Errorf("%s: %+v", what, e.Entry)
			}
			for _, part := range strings.Split(e.Sentence+e.Row, "{")[1:] {
				if name, _, _ := strings.Cut(part, "}"); !slices.Contains(known, name) {
					t.Errorf("%s: no value is named %q", what, name)
				}
			}
		}
	}
	for why, entries := range reasons {
		check(string(why), entries...)
	}
	for lead, entries := range leads {
		check(string(lead), entries...)
	}
	for cause, e := range causes {
		check(string(cause), choice{nil, e})
	}
	for _, c := range []struct {
		file, typ string
		have      int
		none      int // constants without words: somebody leads without reservation
	}{
		{"../leader.go", "NoLeader", len(reasons), 0},
		{"../doctor/lead.go", "Lead", len(leads), 1},
		{"../event.go", "Cause", len(causes), 0},
	} {
		if names := constants(t, c.file, c.typ); len(names)-c.none != c.have || len(names) == 0 {
			t.Errorf("%s has %d constants, %d have words: %v", c.typ, len(names), c.have, names)
		}
	}
}
