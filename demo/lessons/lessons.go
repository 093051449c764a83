// Package lessons holds the texts of the lessons, one TOML file each.
//
// A file name such as 01-volunteer.toml has the number and the ID of the lesson. An unknown key in
// a file is an error.
//
// The text and the question of a part fit into ten lines of 78 columns. The tests of package
// model/lesson check events, roles and placeholders. The tests of ui/cli/dashboard run each lesson
// in a real election.
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

// All returns the lessons in the order of their numbers.
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
