package handoffs

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
)

var began = time.Date(2026, time.March, 14, 11, 57, 51, 3e6, time.UTC)

// drawStrip is a strip as text: digits are reigns.
func drawStrip(s strip) string {
	var b bytes.Buffer
	for _, c := range s.cells {
		switch c.kind {
		case stripPast, stripNow:
			b.WriteByte(byte('0' + c.reign%10))
		case stripDanger:
			b.WriteByte('!')
		case stripVacant:
			b.WriteByte('-')
		case stripEnded:
			b.WriteByte('|')
		case stripExpired:
			b.WriteByte('X')
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimRight(b.String(), " ")
}

func TestStrip(t *testing.T) {
	at := func(s float64) time.Time {
		return began.Truncate(time.Hour).Add(time.Duration(s * float64(time.Second)))
	}
	who := &dialect.Candidate{}
	reign := func(from, to float64, cause model.Cause) model.Reign {
		r := model.Reign{Leader: who, From: at(from), FromKnown: true, Cause: cause}
		if to > 0 {
			r.To = at(to)
		}
		return r
	}
	for _, c := range []struct {
		name   string
		reigns []model.Reign
		danger time.Time
		now    float64
		w      int
		want   string
	}{
		{"nothing", nil, time.Time{}, 10, 20, ""},
		{"one", []model.Reign{reign(0, 0, "")}, time.Time{}, 10, 30, strings.Repeat("0", 21)},
		{"in danger", []model.Reign{reign(0, 0, "")}, at(8), 10, 30, "0000000000000000!!!!!"},
		{"a handoff", []model.Reign{reign(0, 5, model.CauseExpired), reign(5, 0, "")}, time.Time{}, 9, 12, "00000X1111"},
		{"vacant", []model.Reign{reign(0, 4, model.CauseResigned), reign(6, 0, "")}, time.Time{}, 9, 12, "0000--1111"},
		{"still vacant", []model.Reign{reign(0, 4, model.CauseUnknown)}, time.Time{}, 9, 12, "0000------"},
		{"too short to see", []model.Reign{reign(0, 5.2, model.CauseExpired), reign(5.2, 5.3, model.CauseResigned), reign(5.3, 0, "")}, time.Time{}, 9, 12, "0X22222222"},
	} {
		s := newStrip(newAxis(c.reigns, at(c.now), c.w), c.reigns, func(r model.Reign) time.Time {
			if r.To.IsZero() {
				return c.danger
			}
			return time.Time{}
		}, at(c.now))
		if diff := cmp.Diff(c.want, drawStrip(s)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// However long and many the reigns: the last one is there, the axis moves by
// whole cells, and its labels do not run into each other.
func TestStripAlways(t *testing.T) {
	never := func(model.Reign) time.Time { return time.Time{} }
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
		s := newStrip(newAxis(reigns, now, w), reigns, never, now)
		i := s.cell(now)
		if i < 0 || i >= w || s.cells[i].kind == stripNothing {
			t.Fatalf("now is in cell %d of %d, which is %+v", i, w, s.cells)
		}
		next := newStrip(newAxis(reigns, now.Add(time.Second), w), reigns, never, now.Add(time.Second))
		if next.step == s.step && next.start.Sub(s.start)%s.step != 0 {
			t.Fatalf("the axis crawled by %v with cells of %v", next.start.Sub(s.start), s.step)
		}
		free := 0 // up to here there are labels
		s.labels(time.FixedZone("", 19800), func(at int, format string, tick time.Time) {
			if text := tick.Format(format); at < free || at+len(text) > w {
				t.Fatalf("label %q at %d of %d cells, where those before need %d", text, at, w, free)
			}
			free = at + len(format) + 1
		})
	})
}
