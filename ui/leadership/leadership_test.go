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

func randomLane(t *rapid.T) (*model.Lane, time.Time) {
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

func TestCellsShowTheLane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, until := randomLane(t)
		x := axis{
			start: began.Add(time.Duration(rapid.IntRange(-5000, 60000).Draw(t, "start")) * time.Millisecond).Truncate(time.Millisecond),
			step:  rapid.SampledFrom(axisSteps[:14]).Draw(t, "step"), w: rapid.IntRange(1, 80).Draw(t, "w"),
		}
		head := until
		if rapid.Bool().Draw(t, "past") {
			head = began.Add(until.Sub(began) / 2)
		}
		row := cells(make([]laneCell, x.w), l, nil, x, head, until)
		for i, c := range row {
			from, to := x.start.Add(time.Duration(i)*x.step), x.until(i)
			if !from.Before(until) {
				if c.kind != laneNothing {
					t.Fatalf("got kind %d in cell %d after the end, want %d", c.kind, i, laneNothing)
				}
				continue
			}
			if to.After(until) {
				to = until.Add(-1)
			}
			want := laneNothing
			was := model.NoFault
			for n, st := range l.Stretches {
				end := until
				if n+1 < len(l.Stretches) {
					end = l.Stretches[n+1].From
				}
				newFault := st.Fault != was && !st.From.Before(from)
				was = st.Fault
				if st.From.After(to) || !end.After(from) {
					continue
				}
				k := kindOf(st.Standing, l.Wrong(end.Add(-1)))
				switch {
				case k == laneLeads && (head.Before(st.From) || end.Before(until) && !head.Before(end)):
					k = laneLed
				case (k == laneSilent || k == laneBelieves) && st.Fault != model.NoFault && newFault:
					k = laneFault
				}
				want = max(want, k)
			}
			if c.kind != want {
				t.Fatalf("got kind %d in cell %d of %v from %v, want %d\n%+v", c.kind, i, x.step, from.Sub(began), want, l.Stretches)
			}
		}
	})
}

func TestThirdPartyLaneIsUnseenInAGap(t *testing.T) {
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
			t.Errorf("got kind %d in cell %d, want %d", c.kind, i, want[i])
		}
	}
}

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
			t.Fatalf("got the present in cell %d, want a cell from 0 to %d", i, w-1)
		}
		if future, past := w-1-x.cell(now), now.Sub(reigns[0].From); future > w/4+1 && past > time.Duration(w)*stepLeast {
			t.Fatalf("got %d of %d cells for the future, want at most %d", future, w, w/4+1)
		}
		next := newAxis(reigns, now.Add(time.Second), w)
		if next.step == x.step && next.start.Sub(x.start)%x.step != 0 {
			t.Fatalf("the axis moved by %v, want whole cells of %v", next.start.Sub(x.start), x.step)
		}
		free := 0 // the first cell after the last label
		x.labels(time.FixedZone("", 19800), func(at int, format string, tick time.Time) {
			if text := tick.Format(format); at < free || at+1+len(text) > w {
				t.Fatalf("got label %q at cell %d of %d, want it at %d or later, and whole", text, at, w, free)
			}
			free = at + 1 + len(format)
		})
	})
}

func TestAxisStaysWhileItShowsTheTime(t *testing.T) {
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
				t.Fatalf("got the time in cell %d, want a cell from 0 to %d", i, w-1)
			}
			if i := before.cell(at); before.w == w && i >= 0 && i < w && x != before {
				t.Fatalf("the axis moved from %v to %v, want no move: the old axis showed the time", before, x)
			}
			if x.start.Before(began.Truncate(step)) {
				t.Fatalf("the axis begins %v before the first time", began.Sub(x.start))
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
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
