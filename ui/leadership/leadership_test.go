package leadership

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
)

var began = time.Date(2026, time.March, 14, 11, 57, 51, 3e6, time.UTC)

// drawLane draws a lane of a member with any changes.
func drawLane(t *rapid.T) (*model.Lane, time.Time) {
	at := began
	l := &model.Lane{Member: "m", Name: "m"}
	for range rapid.IntRange(1, 12).Draw(t, "stretches") {
		at = at.Add(time.Duration(rapid.IntRange(1, 20000).Draw(t, "ms")) * time.Millisecond)
		l.Stretches = append(l.Stretches, model.Stretch{From: at, Standing: model.Standing{
			Place:    rapid.SampledFrom([]model.Place{model.NoZnode, model.Queued, model.Holds}).Draw(t, "place"),
			Belief:   rapid.SampledFrom([]model.Belief{"", model.Waiting, model.Elected, model.Leading, model.Suspended, model.Lost}).Draw(t, "belief"),
			Fault:    rapid.SampledFrom([]model.Fault{model.NoFault, model.NoFault, model.Killed, model.Frozen, model.Partitioned}).Draw(t, "fault"),
			Departed: rapid.IntRange(0, 9).Draw(t, "departed") == 0,
		}})
	}
	return l, at.Add(time.Duration(rapid.IntRange(1, 20000).Draw(t, "more")) * time.Millisecond)
}

// Each cell shows the most important kind of its time. After the end there is nothing.
func TestCellsShowTheLane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, until := drawLane(t)
		x := axis{
			start: began.Add(time.Duration(rapid.IntRange(-5000, 60000).Draw(t, "start")) * time.Millisecond).Truncate(time.Millisecond),
			step:  rapid.SampledFrom(axisSteps[:14]).Draw(t, "step"), w: rapid.IntRange(1, 80).Draw(t, "w"),
		}
		head := until
		if rapid.Bool().Draw(t, "past") {
			head = began.Add(until.Sub(began) / 2)
		}
		row := cells(make([]laneCell, x.w), l, nil, x, head, until)
		if len(row) != x.w {
			t.Fatalf("%d cells on %d", len(row), x.w)
		}
		for i, c := range row {
			from, to := x.start.Add(time.Duration(i)*x.step), x.until(i)
			if !from.Before(until) {
				if c.kind != laneNothing {
					t.Fatalf("cell %d is after the end and shows %d", i, c.kind)
				}
				continue
			}
			if to.After(until) {
				to = until.Add(-1)
			}
			// The kinds of the cell: at its beginning, and after each change in it.
			want := laneNothing
			add := func(at time.Time) {
				s, _ := l.At(at)
				k := kindOf(s)
				if k == laneLeads {
					if now, _ := l.At(head); now != s || head.Before(at) {
						k = laneLed
					}
				}
				want = max(want, k)
			}
			add(from)
			for _, st := range l.Stretches {
				if st.From.After(from) && !st.From.After(to) {
					add(st.From)
				}
			}
			got := c.kind
			if got == laneFault {
				continue // the sign of a fault that began in the cell
			}
			if got == laneLed || got == laneLeads {
				got = laneLed
			}
			if want == laneLeads {
				want = laneLed
			}
			if got != want {
				t.Fatalf("cell %d of %v from %v shows %d, want %d\n%+v", i, x.step, from.Sub(began), got, want, l.Stretches)
			}
		}
	})
}

// A third-party client is unknown in a gap of the observation. Its end is drawn according to
// its cause.
func TestCellsOfThirdPartyClients(t *testing.T) {
	at := func(s int) time.Time { return began.Truncate(time.Second).Add(time.Duration(s) * time.Second) }
	z := &dialect.Candidate{Znode: znode.Znode{Name: "n_1"}, SeenAt: at(2), Joined: true}
	l := &model.Lane{
		Stretches: []model.Stretch{{From: at(2), Standing: model.Standing{Place: model.Queued}}, {From: at(5), Standing: model.Standing{Place: model.Holds}}, {From: at(12)}},
		Znodes:    []model.LaneZnode{{Candidate: z, End: at(12), Cause: model.CauseExpired}},
	}
	row := cells(make([]laneCell, 16), l, []model.Gap{{From: at(8), To: at(10)}}, axis{at(0), time.Second, 16}, at(15), at(15))
	want := []laneKind{0, 0, laneCreated, laneWaits, laneWaits, laneLed, laneLed, laneLed, laneUnseen, laneUnseen, laneLed, laneLed, laneExpired, 0, 0, 0}
	for i, c := range row {
		if c.kind != want[i] {
			t.Errorf("cell %d shows %d, want %d", i, c.kind, want[i])
		}
	}
}

// The axis shows now, moves by whole cells, and has labels that do not overlap, for any
// number and length of reigns.
func TestAxisShowsNow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := began
		var reigns []model.Reign
		for range rapid.IntRange(1, 60).Draw(t, "reigns") {
			r := model.Reign{Leader: &dialect.Candidate{}, From: at}
			at = at.Add(time.Duration(rapid.Int64Range(0, 1<<uint(rapid.IntRange(1, 55).Draw(t, "size"))).Draw(t, "lasts")))
			r.To = at
			reigns = append(reigns, r)
		}
		reigns[len(reigns)-1].To = time.Time{}
		w := rapid.IntRange(1, 200).Draw(t, "w")
		now := at.Add(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "more")))
		x := newAxis(reigns, now, w)
		if i := x.cell(now); i < 0 || i >= w {
			t.Fatalf("now is in cell %d of %d", i, w)
		}
		next := newAxis(reigns, now.Add(time.Second), w)
		if next.step == x.step && next.start.Sub(x.start)%x.step != 0 {
			t.Fatalf("the axis crawled by %v with cells of %v", next.start.Sub(x.start), x.step)
		}
		free := 0 // the first cell after the last label
		x.labels(time.FixedZone("", 19800), func(at int, format string, tick time.Time) {
			if text := tick.Format(format); at < free || at+len(text) > w {
				t.Fatalf("label %q at %d of %d cells, where those before need %d", text, at, w, free)
			}
			free = at + len(format) + 1
		})
	})
}

// The axis shows the given time, nothing before the first one, and stays while it can.
func TestAxisStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last := began.Add(time.Duration(rapid.IntRange(1, 4000000).Draw(t, "lasts")) * time.Millisecond)
		w := rapid.IntRange(1, 150).Draw(t, "w")
		step := rapid.SampledFrom(axisSteps[4:16]).Draw(t, "step")
		x := axis{}
		for range 6 {
			at := began.Add(time.Duration(rapid.Int64Range(0, int64(last.Sub(began))).Draw(t, "at")))
			before := x
			x = axisOf(x, step, began, last, at, w)
			if i := x.cell(at); i < 0 || i >= w {
				t.Fatalf("the time is in cell %d of %d", i, w)
			}
			if i := before.cell(at); before.w == w && i >= 0 && i < w && x != before {
				t.Fatalf("the axis moved from %v to %v", before, x)
			}
			if x.start.Before(began.Truncate(step)) {
				t.Fatalf("it begins %v before all", began.Sub(x.start))
			}
		}
		if fit := fitting(began, last, w); last.Sub(began) > time.Duration(w)*fit {
			t.Fatalf("%v does not fit on %d cells of %v", last.Sub(began), w, fit)
		}
	})
}

func TestFitNames(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{fitNames([]string{"a", "b", "c", "d"}, 20), "a, b, c +1"}, {fitNames([]string{"amber", "birch"}, 9), "amber +1"}, {fitNames([]string{"amber"}, 3), "am…"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
