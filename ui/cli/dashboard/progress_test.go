package dashboard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// openIn returns the progress as a program with that environment sees it.
func openIn(t *testing.T, env map[string]string) *progress {
	t.Helper()
	p, err := openProgress(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func keep(t *testing.T, p *progress, id string) {
	t.Helper()
	if !p.add(id) || p.add(id) || !p.has(id) {
		t.Errorf("%s is not new, or new twice", id)
	}
	if err := p.save(); err != nil {
		t.Error(err)
	}
}

// Two programs at once, and two lessons of one, keep what each has done.
func TestProgressOfTwoPrograms(t *testing.T) {
	env := map[string]string{"XDG_STATE_HOME": filepath.Join(t.TempDir(), "not", "there", "yet")}
	a, b := openIn(t, env), openIn(t, env)
	keep(t, a, "chain")
	keep(t, b, "herd")
	if !b.has("chain") {
		t.Error("what the other has written meanwhile is not taken over")
	}
	var wg sync.WaitGroup
	for _, id := range []string{"guid", "fence", "truth"} {
		wg.Go(func() { keep(t, a, id) })
	}
	wg.Wait()
	c := openIn(t, env)
	for _, id := range []string{"chain", "herd", "guid", "fence", "truth"} {
		if !c.has(id) {
			t.Errorf("%s is lost: %q", id, c.done)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(c.file)); err != nil || len(left) != 1 {
		t.Errorf("files left: %v, %v", left, err)
	}
}

func TestProgressIsWhereTheSpecificationSays(t *testing.T) {
	home := t.TempDir()
	want := filepath.Join(home, ".local", "state", "electop", "lessons.json")
	for _, relative := range []string{"", "state", "../state"} {
		if p := openIn(t, map[string]string{"XDG_STATE_HOME": relative, "HOME": home}); p.file != want {
			t.Errorf("XDG_STATE_HOME=%q: %s", relative, p.file)
		}
	}
	if p := openIn(t, map[string]string{"XDG_STATE_HOME": "/x", "HOME": home}); p.file != "/x/electop/lessons.json" {
		t.Errorf("an absolute one: %s", p.file)
	}
	p, err := openProgress(func(string) string { return "" })
	if err == nil || !strings.Contains(err.Error(), "is not kept") {
		t.Errorf("nowhere: %v", err)
	}
	keep(t, p, "chain") // for as long as the program runs; why was said
}

// That nothing can be kept is said once, and what was done counts all the same.
func TestProgressCannotBeKept(t *testing.T) {
	dir := t.TempDir()
	p := openIn(t, map[string]string{"XDG_STATE_HOME": dir})
	if err := os.WriteFile(filepath.Join(dir, "electop"), nil, 0o600); err != nil { // in place of the directory
		t.Fatal(err)
	}
	var said []string
	for _, id := range []string{"chain", "herd"} {
		p.add(id)
		if err := p.save(); err != nil {
			said = append(said, err.Error())
		}
	}
	if len(said) != 1 || !strings.HasPrefix(said[0], "progress in lessons is not kept: ") || !slices.Equal(p.done, []string{"chain", "herd"}) {
		t.Errorf("said %q, done %q", said, p.done)
	}

	// A file that is no progress is replaced by the next one.
	dir = t.TempDir()
	file := filepath.Join(dir, "electop", "lessons.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"done":["ha`), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"XDG_STATE_HOME": dir}
	p, err := openProgress(func(name string) string { return env[name] })
	if err == nil {
		t.Error("it is not said")
	}
	keep(t, p, "chain")
	if p = openIn(t, env); !slices.Equal(p.done, []string{"chain"}) {
		t.Errorf("kept is %q", p.done)
	}
}
