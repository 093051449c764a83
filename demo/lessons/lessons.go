// Package lessons holds the texts of the course, one file each.
//
// The files are TOML. A key that package lesson does not know is an error with its line; events,
// placeholders and the like are checked by the tests of that package. A file name like 01-volunteer.toml gives the
// place in the course, and after the number the lesson's ID.
//
// A text is shown in a panel that is ten lines high, so paragraphs are short.
// A test checks what the texts claim: it plays the whole course on a real
// election, and what happens there judges every prediction.
package lessons

import (
	"embed"
	"errors"
	"fmt"
	"strings"

	"electop/model/lesson"

	"github.com/pelletier/go-toml/v2"
)

//go:embed *.toml
var files embed.FS

// All returns the lessons in the order of the course.
func All() (all []*lesson.Lesson, err error) {
	entries, err := files.ReadDir(".")
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
	return all, err
}

// read reads one file.
func read(name, text string) (*lesson.Lesson, error) {
	_, id, numbered := strings.Cut(strings.TrimSuffix(name, ".toml"), "-")
	if !numbered {
		return nil, fmt.Errorf("lesson %s: its file name has no number (want a name like 01-volunteer.toml)", name)
	}
	l := &lesson.Lesson{ID: id}
	err := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields().Decode(l)
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) {
		err = errors.New(unknown.String())
	}
	if err != nil {
		return nil, fmt.Errorf("lesson %s: %w", name, err)
	}
	return l, nil
}
