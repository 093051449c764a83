package leadership

import (
	"time"

	"electop/model"
	"electop/ui/term"
)

// An axis is time over cells, one for each step of time. Steps are round numbers and
// the axis starts at a multiple of one, so that what is on it grows by cells and does
// not crawl.
type axis struct {
	start time.Time
	step  time.Duration
	w     int // cells
}

// axisSteps are the widths of a cell to choose from. An axis chooses none below axisAuto
// by itself.
var axisSteps = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond,
	250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour,
}

const axisAuto = 250 * time.Millisecond

// reignCells is how many cells a reign should have at least to differ from
// its neighbours. It bounds how far back the axis goes.
const reignCells = 9

// reignLeast is how much of an endless reign is shown before a new one: the
// axis zooms in on a handoff, but keeps where it came from in view.
const reignLeast = 30 * time.Second

// unseenMost is how much is shown of the time before electop saw a reign: it is not known
// who led then.
const unseenMost = 5 * time.Second

// beganAt is the earliest time of a reign that has a place on the axis: see [unseenMost].
func beganAt(r model.Reign) time.Time {
	if r.Earliest.IsZero() || r.FromKnown {
		return r.From
	}
	return latest(r.Earliest, r.From.Add(-unseenMost))
}

// newAxis is an axis of w cells on which the last reigns and now are.
func newAxis(reigns []model.Reign, now time.Time, w int) axis {
	if len(reigns) == 0 || w <= 0 {
		return axis{now.Truncate(axisAuto), axisAuto, max(0, w)}
	}
	first := max(0, len(reigns)-max(2, w/reignCells))
	from := beganAt(reigns[first])
	// One endless reign must not flatten the ones after it: its beginning may
	// leave at the left.
	if first+1 < len(reigns) {
		rest := beganAt(reigns[first+1])
		from = latest(from, rest.Add(-max(now.Sub(rest), reignLeast)))
	}
	if from.After(now) {
		from = now
	}
	step := fitting(from, now, w)
	start := from.Truncate(step)
	earliest := now.Truncate(step).Add(-time.Duration(w-1) * step) // puts now into the last cell
	start = latest(start, earliest)
	// Older reigns fill what is free at the left. The axis then moves by a
	// quarter at a time, and not with each second.
	if quarter := time.Duration(max(1, w/4)) * step; w > 1 {
		if jump := earliest.Add(-1).Truncate(quarter).Add(quarter); jump.Before(start) {
			start = latest(jump, beganAt(reigns[0]).Truncate(step))
		}
	}
	return axis{start, step, w}
}

// axisOf returns an axis of w cells with that step which shows at, and if possible nothing
// before first or after last. The present axis stays as long as it shows at.
func axisOf(have axis, step time.Duration, first, last, at time.Time, w int) axis {
	x := axis{have.start, step, w}
	if i := x.cell(at); have.step == step && have.w == w && i >= 0 && i < w {
		return x
	}
	whole := time.Duration(w) * step
	x.start = at.Truncate(step).Add(-time.Duration(w/2) * step)
	if end := last.Truncate(step).Add(step); x.start.Add(whole).After(end) {
		x.start = end.Add(-whole)
	}
	x.start = latest(x.start, first.Truncate(step))
	return x
}

// fitting is the least step with which the time from first to last is on w cells.
func fitting(first, last time.Time, w int) time.Duration {
	for _, step := range axisSteps {
		if step >= axisAuto && last.Sub(first.Truncate(step)) < time.Duration(w)*step {
			return step
		}
	}
	return axisSteps[len(axisSteps)-1]
}

// scaled is the next step that is finer or coarser, no coarser than most.
func scaled(step time.Duration, finer bool, most time.Duration) time.Duration {
	i := 0
	for i < len(axisSteps)-1 && axisSteps[i] < step {
		i++
	}
	switch {
	case finer:
		return axisSteps[max(0, i-1)]
	case step >= most:
		return step
	}
	return axisSteps[min(len(axisSteps)-1, i+1)]
}

// until is the end of the time that cell i stands for.
func (x *axis) until(i int) time.Time { return x.start.Add(time.Duration(i+1)*x.step - 1) }

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// cell returns the cell of t, which may be outside.
func (x *axis) cell(t time.Time) int {
	d := t.Sub(x.start)
	if d < 0 || x.step == 0 {
		return -1
	}
	return int(d / x.step)
}

// labels calls put for each cell at which the axis says what time, in the format: on round
// times, far enough apart to be read.
func (x *axis) labels(loc *time.Location, put func(at int, format string, t time.Time)) {
	const apart = 12
	if x.step == 0 {
		return
	}
	every := x.step * apart
	for _, d := range axisSteps {
		if d >= every {
			every = d
			break
		}
	}
	format := term.ClockFormat
	switch {
	case every < time.Second:
		format = "05.000"
	case every >= 24*time.Hour:
		format = "Jan 02"
	case every >= time.Minute:
		format = "15:04"
	}
	_, offset := x.start.In(loc).Zone()
	shift := time.Duration(offset) * time.Second
	t := x.start.Add(shift).Truncate(every).Add(-shift)
	for ; ; t = t.Add(every) {
		i := x.cell(t)
		if i < 0 {
			continue
		}
		if i > x.w-len(format) {
			return
		}
		put(i, format, t)
	}
}
