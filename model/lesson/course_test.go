package lesson_test

import (
	"testing"

	"electop/demo/lessons"
)

// The lessons of the program use only words that package lesson knows.
func TestLessons(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		for _, wrong := range l.Unknown() {
			t.Error(wrong)
		}
	}
}
