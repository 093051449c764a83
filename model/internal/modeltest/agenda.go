package modeltest

import (
	"slices"
	"time"
)

// Agenda has tasks in the order of their times. Tasks of one time are in the order of Add.
type Agenda struct{ tasks []task }

type task struct {
	at time.Time
	do func()
}

func (a *Agenda) Add(at time.Time, do func()) {
	i, _ := slices.BinarySearchFunc(a.tasks, at, func(t task, at time.Time) int {
		if t.at.After(at) {
			return 1
		}
		return -1
	})
	a.tasks = slices.Insert(a.tasks, i, task{at, do})
}

func (a *Agenda) Due() (at time.Time, ok bool) {
	if len(a.tasks) == 0 {
		return time.Time{}, false
	}
	return a.tasks[0].at, true
}

func (a *Agenda) Take() (do func()) {
	do = a.tasks[0].do
	a.tasks = slices.Delete(a.tasks, 0, 1)
	return do
}
