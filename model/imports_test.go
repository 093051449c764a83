package model_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "electop"

var panelImports = []string{"model", "ui/term", "ui/wording", "ui/action", "ui/input", "ui/overlay"}

// importRules has the allowed imports. A rule covers its root and the packages below it, but the root
// "" covers only package main. The first rule that covers a package decides.
var importRules = []struct {
	root    string
	imports []string // allowed, with the packages below them
	except  string   // not allowed, with the packages below it
	stdOnly bool     // from outside of the module, only the standard library is allowed
}{
	{root: "model/units", stdOnly: true},
	{root: "model/znode", stdOnly: true},
	{root: "model/dialect", imports: []string{"model/znode"}, stdOnly: true},
	{root: "model/session", imports: []string{"model/znode", "model/units"}, stdOnly: true},
	{root: "model/internal", imports: []string{"model"}},
	{root: "model/doctor", imports: []string{"model"}, except: "model/history", stdOnly: true},
	{root: "model/phrase", imports: []string{"model"}, except: "model/lesson", stdOnly: true},
	{root: "model/history", imports: []string{"model"}, except: "model/lesson", stdOnly: true},
	{root: "model/lesson", imports: []string{"model"}, stdOnly: true},
	{root: "model", imports: []string{"model/znode", "model/dialect", "model/session", "model/units"}, stdOnly: true},
	{root: "zkwatch/wire", imports: []string{"zkwatch/wire"}, stdOnly: true},
	{root: "zkwatch/fault", imports: []string{"zkwatch/fault", "zkwatch/wire"}, stdOnly: true},
	{root: "zkwatch/sasl"},
	{root: "zkwatch/client", imports: []string{"model/session", "model/znode", "zkwatch/fault", "zkwatch/sasl", "zkwatch/wire"}},
	{root: "zkwatch/observer", imports: []string{"model", "zkwatch/observer", "zkwatch/client"}},
	{root: "zkwatch/candidate", imports: []string{"model", "zkwatch/candidate", "zkwatch/client", "zkwatch/fault"}},
	{root: "zkwatch/discover", imports: []string{"model", "zkwatch/discover", "zkwatch/observer", "zkwatch/client"}},
	{root: "zkwatch/feed", imports: []string{"model", "zkwatch/feed"}},
	{root: "zkwatch/admin", imports: []string{"model", "zkwatch/admin", "zkwatch/client"}},
	{root: "zkwatch/internal", imports: []string{"model", "zkwatch", "demo"}},
	{root: "zkwatch", imports: []string{}},
	{root: "demo/zkserver/tree", imports: []string{"zkwatch/wire"}, stdOnly: true},
	{root: "demo/zkserver", imports: []string{"demo/zkserver", "zkwatch/wire"}, stdOnly: true},
	{root: "demo", imports: []string{"model", "zkwatch", "demo"}},
	{root: "ui/cli/process", imports: []string{"model/znode"}},
	{root: "ui/cli/help", imports: []string{"model/dialect", "ui/cli/process", "ui/input", "ui/plain"}},
	{root: "ui/cli/cluster", imports: []string{"model", "zkwatch", "ui/cli/process", "ui/cli/help"}},
	{root: "ui/cli/config", imports: []string{"zkwatch/client", "zkwatch/wire", "ui/cli/cluster", "ui/cli/help", "ui/term"}},
	{root: "ui/cli/election", imports: []string{"model", "zkwatch", "demo", "ui/plain", "ui/cli/cluster", "ui/cli/process", "ui/cli/help"}},
	{root: "ui/cli/command", imports: []string{"model/units", "ui/cli/process", "ui/cli/help"}},
	{root: "ui/cli/exporter", imports: []string{"model", "zkwatch/client", "zkwatch/feed", "ui/plain", "ui/cli/cluster", "ui/cli/process",
		"ui/cli/help", "ui/cli/election"}},
	{root: "ui/cli", imports: []string{"model", "zkwatch", "demo", "ui"}},
	{root: "ui/plain", imports: []string{"model", "ui/plain"}},
	{root: "ui/term", imports: []string{"ui/term"}},
	{root: "ui/wording", imports: []string{"model", "ui/term", "ui/wording"}},
	{root: "ui/action", imports: []string{"model", "ui/action"}},
	{root: "ui/input", imports: []string{"ui/action", "ui/term", "ui/input"}},
	{root: "ui/overlay", imports: []string{"model", "ui/action", "ui/input", "ui/term"}},
	{root: "ui/candidates", imports: panelImports},
	{root: "ui/leadership", imports: panelImports},
	{root: "ui/lessons", imports: panelImports},
	{root: "ui/detail", imports: append([]string{"ui/plain", "ui/leadership"}, panelImports...)},
	{root: "ui/elections", imports: append([]string{"ui/plain"}, panelImports...)},
	{root: "ui/travel", imports: append([]string{"ui/leadership", "ui/plain"}, panelImports...)},
	{root: "ui", imports: []string{"model", "ui"}, except: "ui/cli"},
	{root: "", imports: []string{"ui/cli"}},
}

func under(pkg, root string) bool { return pkg == root || strings.HasPrefix(pkg, root+"/") }

// violations returns the forbidden imports of files that are not tests. It ignores build constraints.
func violations(tree fs.FS) (out []string, files int, err error) {
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name != "." && (base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_') {
				return fs.SkipDir
			}
			return nil
		case path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		src, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		for _, s := range f.Imports {
			to, err := strconv.Unquote(s.Path.Value)
			if err != nil {
				return err
			}
			if why := forbidden(path.Dir(name), to); why != "" {
				out = append(out, fmt.Sprintf("%s imports %s: %s", name, to, why))
			}
		}
		return nil
	})
	return out, files, err
}

func forbidden(pkg, to string) string {
	for _, r := range importRules {
		if r.root == "" && pkg != "." || r.root != "" && !under(pkg, r.root) {
			continue
		}
		if !under(to, module) {
			if first, _, _ := strings.Cut(to, "/"); r.stdOnly && (strings.Contains(first, ".") || to == "C") {
				return r.root + " may not import other modules or C"
			}
			return ""
		}
		to := strings.TrimPrefix(strings.TrimPrefix(to, module), "/")
		if !slices.ContainsFunc(r.imports, func(root string) bool { return under(to, root) }) || r.except != "" && under(to, r.except) {
			return "no rule allows it"
		}
		return ""
	}
	return "no rule covers the importing package"
}

func TestImports(t *testing.T) {
	if b, err := os.ReadFile(filepath.Join("..", "go.mod")); err != nil || !strings.HasPrefix(string(b), "module "+module+"\n") {
		t.Fatalf("the parent directory is not the module's root: %v", err)
	}
	bad, files, err := violations(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range bad {
		t.Error(v)
	}
	if files < 20 {
		t.Errorf("%d files were checked, want at least 20", files)
	}
}

func TestReadmeNamesThePackages(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "\n| package | holds |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var named, packages []string
	for line := range strings.Lines(table) {
		for _, m := range regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(strings.Split(line, "|")[1], -1) {
			named = append(named, m[1])
		}
	}
	err = fs.WalkDir(os.DirFS(".."), ".", func(name string, _ fs.DirEntry, err error) error {
		if pkg := path.Dir(name); pkg != "." && path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && !slices.Contains(packages, pkg) {
			packages = append(packages, pkg)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(named)
	slices.Sort(packages)
	if !slices.Equal(named, packages) {
		t.Errorf("the README's table names the packages\n%q, want\n%q", named, packages)
	}
}

func TestViolations(t *testing.T) {
	for _, c := range []struct {
		file, imports string
		ok            bool
	}{
		{"main.go", "electop/ui/cli", true},
		{"main.go", "electop/zkwatch", false},
		{"model/a.go", "encoding/json", true},
		{"model/a.go", "github.com/spf13/cobra", false},
		{"model/a.go", "C", false},
		{"model/a.go", "electop/zkwatch", false},
		{"model/lesson/a.go", "electop/model", true},
		{"model/units/a.go", "electop/model/units/exact", false},
		{"zkwatch/client/a.go", "github.com/go-zookeeper/zk", true},
		{"zkwatch/candidate/a.go", "electop/zkwatch/internal/electiontest", false},
		{"zkwatch/candidate/a_test.go", "electop/zkwatch/internal/electiontest", true},
		{"zkwatch/zktest/a_linux.go", "electop/demo/zkserver", false},
		{"zkwatchful/a.go", "electop/model", false},
		{"ui/a.go", "electop/ui/term", true},
		{"ui/a.go", "electop/ui/cli", false},
		{"ui/candidates/a.go", "electop/ui", false},
		{"ui/cli/a.go", "electop", false},
		{"tools/a.go", "fmt", false},
		{"ui/testdata/a.go", "electop/demo", true},
	} {
		bad, _, err := violations(fstest.MapFS{
			c.file: {Data: []byte("//go:build never\n\npackage p\n\nimport x \"" + c.imports + "\"\n")},
		})
		if err != nil {
			t.Fatal(err)
		}
		if ok := len(bad) == 0; ok != c.ok {
			t.Errorf("%s imports %s: allowed %v, want %v (%q)", c.file, c.imports, ok, c.ok, bad)
		}
	}
}
