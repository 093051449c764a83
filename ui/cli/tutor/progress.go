package tutor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// progress is which lessons were done, in a file of the user's state directory
// (XDG Base Directory Specification: XDG_STATE_HOME, or ~/.local/state).
type progress struct {
	file string // "": nowhere

	mu   sync.Mutex
	done []string

	saving sync.Mutex // held while it is written
	failed bool       // and it was reported
}

// progressText is the file's content.
type progressText struct {
	Done []string `json:"done"` // IDs of lessons; an older version may have had others
}

// openProgress reads the progress. If it cannot be read it is empty, and the error
// says why; lessons go on without it.
func openProgress(getenv func(string) string) (*progress, error) {
	dir := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // the specification says to ignore relative ones
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return &progress{}, errors.New("progress in lessons is not kept: neither XDG_STATE_HOME nor HOME is an absolute path")
		}
		dir = filepath.Join(home, ".local", "state")
	}
	p := &progress{file: filepath.Join(dir, "electop", "lessons.json")}
	b, err := os.ReadFile(p.file)
	var text progressText
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case err != nil:
		p.failed = true
	default:
		if err = json.Unmarshal(b, &text); err != nil {
			err = fmt.Errorf("%s: %w", p.file, err)
		}
	}
	if err != nil {
		return p, fmt.Errorf("progress in lessons: %w", err)
	}
	p.done = text.Done
	return p, nil
}

func (p *progress) has(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.done, id)
}

// add marks a lesson as done, and reports whether it was not before.
func (p *progress) add(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.done, id) {
		return false
	}
	p.done = append(p.done, id)
	return true
}

// save writes the progress, together with what another program has written meanwhile.
// It reports only the first failure.
func (p *progress) save() error {
	if p.file == "" {
		return nil
	}
	p.saving.Lock()
	defer p.saving.Unlock()
	var text progressText
	if b, err := os.ReadFile(p.file); err == nil {
		_ = json.Unmarshal(b, &text) // a damaged file is replaced
	}
	for _, id := range text.Done {
		p.add(id)
	}
	p.mu.Lock()
	text.Done = slices.Clone(p.done)
	p.mu.Unlock()
	err := replaceFile(p.file, text)
	if err == nil || p.failed {
		return nil
	}
	p.failed = true
	return fmt.Errorf("progress in lessons is not kept: %w", err)
}

// replaceFile writes v as JSON such that a crash leaves the old file or the new.
func replaceFile(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	next := fmt.Sprint(name, ".", os.Getpid())
	if err = os.WriteFile(next, append(b, '\n'), 0o600); err == nil {
		err = os.Rename(next, name)
	}
	if err != nil {
		os.Remove(next)
	}
	return err
}
