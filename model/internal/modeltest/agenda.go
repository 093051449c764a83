package modeltest

import (
	"slices"
	"sort"
	"time"
)

// Agenda has tasks in the order of their times.
type Agenda struct{ tasks []task }

type task struct {
	at time.Time
	do func()
}

func (a *Agenda) Add(at time.Time, do func()) {
	i := sort.Search(len(a.tasks), func(i int) bool { return a.tasks[i].at.After(at) })
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
