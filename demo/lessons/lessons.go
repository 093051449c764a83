// Package lessons holds the texts of the course, one file each.
//
// The files are TOML, and are read strictly: what package lesson does not know,
// be it a key, an event or a placeholder, is an error. Their names give the
// order of the course, 01-volunteer.toml, and what is behind the number is the
// lesson's ID.
//
// A text is shown in a panel that is ten lines high, so paragraphs are short.
// What it claims is checked by a test, which goes through the whole course on a
// real election and has every prediction judged by what happens there.
package lessons

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/BurntSushi/toml"

	"electop/model/lesson"
)

//go:embed *.toml
var files embed.FS

// All returns the lessons in the order of the course.
func All() ([]*lesson.Lesson, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("lessons: %w", err)
	}
	all := make([]*lesson.Lesson, 0, len(entries))
	for _, e := range entries { // sorted by name
		text, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, fmt.Errorf("lessons: %w", err)
		}
		l, err := read(e.Name(), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// read reads one file.
func read(name, text string) (*lesson.Lesson, error) {
	_, id, numbered := strings.Cut(strings.TrimSuffix(path.Base(name), ".toml"), "-")
	if !numbered {
		return nil, fmt.Errorf("lesson %s: the name of the file has no number", name)
	}
	l := new(lesson.Lesson)
	known, err := toml.Decode(text, l)
	if err != nil {
		return nil, fmt.Errorf("lesson %s: %w", name, err)
	}
	if extra := known.Undecoded(); len(extra) > 0 {
		return nil, fmt.Errorf("lesson %s: unknown key %s", name, extra[0])
	}
	l.ID = id
	if err := l.Check(); err != nil {
		return nil, err
	}
	return l, nil
}
