package lesson_test

import (
	"testing"

	"electop/demo/lessons"
)

// TestCourse checks the lessons that the program has.
func TestCourse(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if err := l.Check(); err != nil {
			t.Error(err)
		}
	}
}
