package ui

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sources are the Go files of the dashboard and its rooms that are no tests.
func sources(t *testing.T) []string {
	var files []string
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (path == "cli" || path == "plain" || path == "testdata"):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			files = append(files, path)
		}
		return nil
	})
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

// Every colour is made in the theme.
func TestColoursAreTheThemes(t *testing.T) {
	made := regexp.MustCompile(`lipgloss\.(Color|NewStyle|Style|AdaptiveColor|CompleteColor)|"#[0-9a-fA-F]{3,6}"|\\x1b|\\033|\\u001b|termenv\.`)
	for _, f := range sources(t) {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		found := made.Find(src)
		if f == filepath.Join("term", "theme.go") {
			if found == nil {
				t.Error("the theme makes no colours: the pattern is out of date")
			}
		} else if found != nil {
			t.Errorf("%s makes a colour: %s", f, found)
		}
	}
}

// The dashboard knows the model, and nothing of where the election comes from.
// Its rooms do not know the dashboard.
func TestImports(t *testing.T) {
	allowed := regexp.MustCompile(`^([a-z0-9]+(/[a-z0-9]+)*|github\.com/charmbracelet/(bubbletea|lipgloss|bubbles/(key|textinput)|x/ansi))$`)
	for _, name := range sources(t) {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			if own := strings.HasPrefix(path, "electop/"); !allowed.MatchString(path) || path == "net" ||
				own && !strings.HasPrefix(path, "electop/model") && !strings.HasPrefix(path, "electop/ui/") || path == "electop/ui/cli" {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
