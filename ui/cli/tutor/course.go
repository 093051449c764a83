package tutor

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"electop/demo/lessons"
	"electop/model/lesson"
	"electop/model/znode"
	"electop/ui/cli/exit"
)

// Check refuses a name that no lesson has.
func Check(name string) error {
	course, err := lessons.All()
	if err != nil {
		return err
	}
	if find(course, name) < 0 {
		return noSuchLesson(name, course)
	}
	return nil
}

// List prints the course, and which of its lessons were done.
func List(stdout, stderr io.Writer) error {
	course, err := lessons.All()
	if err != nil {
		return err
	}
	done, err := openProgress(os.Getenv)
	if err != nil {
		fmt.Fprintf(stderr, "electop: %v\n", err)
	}
	for i, l := range course {
		mark := "    "
		if done.has(l.ID) {
			mark = "done"
		}
		if _, err := fmt.Fprintf(stdout, "%2d  %s  %-15s  %s\n", i+1, mark, l.ID, l.About); err != nil {
			return err
		}
	}
	return nil
}

func find(course []*lesson.Lesson, id string) int {
	return slices.IndexFunc(course, func(l *lesson.Lesson) bool { return l.ID == id })
}

func noSuchLesson(id string, course []*lesson.Lesson) error {
	ids := make([]string, len(course))
	for i, l := range course {
		ids[i] = l.ID
	}
	return exit.Usagef("no lesson is called %q: there are %s", znode.Safe(id, 40), strings.Join(ids, ", "))
}
