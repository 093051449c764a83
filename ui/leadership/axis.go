package leadership

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/session"
	"electop/ui/term"
)

// axis maps times to cells; each cell covers step. start is a multiple of step, so the axis moves by whole cells.
type axis struct {
	start time.Time
	step  time.Duration
	w     int // cells
}

var axisSteps = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond,
	250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour,
}

// stepsBetween lists the automatic steps between two powers of ten, in percent of the lower power. Each
// is at most a third longer than the one before, so that most of the axis is used.
var stepsBetween = [...]time.Duration{100, 125, 150, 200, 250, 300, 400, 500, 600, 800}

const (
	stepLeast  = time.Millisecond // the shortest automatic step
	reignCells = 9                // the step is chosen for the last w/reignCells reigns, at least two
	reignLeast = 30 * time.Second // a long reign keeps at least this time in view
	unseenMost = 5 * time.Second  // bounds how long before Reign.From the axis begins to show a reign
)

func beganAt(r model.Reign) time.Time {
	if r.Earliest.IsZero() || r.FromKnown {
		return r.From
	}
	return session.Later(r.Earliest, r.From.Add(-unseenMost))
}

// newAxis returns an axis of w cells that shows the last reigns and the time now.
func newAxis(reigns []model.Reign, now time.Time, w int) axis {
	if len(reigns) == 0 || w <= 0 {
		return axis{now.Truncate(stepLeast), stepLeast, max(0, w)}
	}
	first := max(0, len(reigns)-max(2, w/reignCells))
	from := beganAt(reigns[first])
	// A long reign must leave cells to the later ones: its beginning may be out of view.
	if first+1 < len(reigns) {
		rest := beganAt(reigns[first+1])
		from = session.Later(from, rest.Add(-max(now.Sub(rest), reignLeast)))
	}
	if from.After(now) {
		from = now
	}
	step := fitting(from, now, w)
	start := from.Truncate(step)
	earliest := now.Truncate(step).Add(-time.Duration(w-1) * step) // puts now into the last cell
	start = session.Later(start, earliest)
	// If older reigns can fill the free cells, the axis moves only by quarters of its width.
	if quarter := time.Duration(max(1, w/4)) * step; w > 1 {
		if jump := earliest.Add(-1).Truncate(quarter).Add(quarter); jump.Before(start) {
			start = session.Later(jump, beganAt(reigns[0]).Truncate(step))
		}
	}
	return axis{start, step, w}
}

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
	x.start = session.Later(x.start, first.Truncate(step))
	return x
}

func fitting(first, last time.Time, w int) (step time.Duration) {
	for unit := stepLeast; unit < 100*24*time.Hour; unit *= 10 {
		for _, percent := range stepsBetween {
			if step = unit / 100 * percent; last.Sub(first.Truncate(step)) < time.Duration(w)*step {
				return step
			}
		}
	}
	return step
}

func scaled(step time.Duration, finer bool, most time.Duration) time.Duration {
	i, listed := slices.BinarySearch(axisSteps, step)
	switch {
	case finer:
		return axisSteps[max(0, i-1)]
	case step >= most:
		return step
	case listed:
		i++
	}
	return axisSteps[min(len(axisSteps)-1, i)]
}

func (x *axis) until(i int) time.Time { return x.start.Add(time.Duration(i+1)*x.step - 1) }

func (x *axis) cell(t time.Time) int {
	d := t.Sub(x.start)
	if d < 0 || x.step == 0 {
		return -1
	}
	return int(d / x.step)
}

// labels calls put for each label of the axis, with its cell, format and time.
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
		if i+1+len(format) > x.w { // the label has a tick before it
			return
		}
		put(i, format, t)
	}
}
