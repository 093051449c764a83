package lesson_test

import (
	"testing"

	"electop/demo/lessons"
)

func TestLessons(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		for _, wrong := range l.Mistakes() {
			t.Error(wrong)
		}
	}
}
