package units_test

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model/units"
)

const (
	us  = time.Microsecond
	ms  = time.Millisecond
	sec = time.Second
	day = 24 * time.Hour
)

func TestDurations(t *testing.T) {
	for _, form := range []struct {
		name   string
		format func(time.Duration) string
		want   map[time.Duration]string
	}{
		{"Age", units.Age, map[time.Duration]string{
			-sec: "0s", 0: "0s", 999 * ms: "0s", 59 * sec: "59s", 60 * sec: "1m00s", 221 * sec: "3m41s", 125 * time.Minute: "2h05m",
			76 * time.Hour: "3d04h", 100 * day: "100d", 412 * day: "412d", math.MaxInt64: "106751d",
		}},
		{"Seconds", units.Seconds, map[time.Duration]string{
			-sec: "0 s", 0: "0 s", 1999 * ms: "1 s", 59999 * ms: "59 s", 60 * sec: "1m00s", 2 * time.Hour: "2h00m",
		}},
		{"Tenths", units.Tenths, map[time.Duration]string{
			-sec: "0.0 s", 0: "0.0 s", 2 * sec: "2.0 s", 2199 * ms: "2.1 s", 59999 * ms: "59.9 s", 65 * sec: "1m05s",
		}},
		{"Counter", units.Counter, map[time.Duration]string{
			-sec: "00:00", 42 * sec: "00:42", 221 * sec: "03:41", 3599 * sec: "59:59", time.Hour: "1h00m", 65 * time.Minute: "1h05m",
		}},
		{"Took", units.Took, map[time.Duration]string{
			-sec: "0 ms", 0: "0 ms", 999: "0.0 ms", 300 * us: "0.3 ms", 1500 * us: "1.5 ms", 3 * ms: "3 ms", 3001 * us: "3.0 ms",
			9999 * us: "10 ms", 10 * ms: "10 ms", 10600 * us: "11 ms", 999 * ms: "999 ms", 999_999 * us: "1.00 s", sec: "1.00 s",
			4020 * ms: "4.02 s", 9999 * ms: "10.0 s", 12340 * ms: "12.3 s", 59 * sec: "59.0 s", 125 * sec: "2m05s", 25 * time.Hour: "1d01h",
		}},
		{"Exact", units.Exact, map[time.Duration]string{
			-5 * ms: "-5 ms", 0: "0 s", 1: "0.000001 ms", 200 * ms: "200 ms", 1100 * ms: "1.1 s", 1250 * ms: "1.25 s", 4 * sec: "4 s", 40 * sec: "40 s",
			60 * sec: "1m", 70 * sec: "1m10s", 5 * time.Minute: "5m", 90 * time.Minute: "1h30m", 10 * time.Hour: "10h", time.Hour + sec: "1h0m1s",
		}},
		{"AtMost", units.AtMost, map[time.Duration]string{
			-sec: "0 s", 0: "0 s", 1: "1 s", sec: "1 s", 1001 * ms: "2 s", 59001 * ms: "1m00s", 89500 * ms: "1m30s",
			time.Hour - 1: "1h00m", 125*time.Minute + 1: "2h06m", 24*time.Hour + 1: "1d01h", 100*day - 1: "100d", 100*day + 1: "101d", math.MaxInt64: "106751d",
		}},
	} {
		for d, want := range form.want {
			if got := form.format(d); got != want {
				t.Errorf("%s(%v) = %q, want %q", form.name, d, got, want)
			}
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{-1: "-1 children", 0: "0 children", 1: "1 child", 2: "2 children", math.MaxInt64: "9223372036854775807 children"} {
		if got := units.Count(n, "child", "children"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
	if got := units.Count(1, "child is", "children are"); got != "1 child is" {
		t.Errorf("Count(1) = %q, want the singular", got)
	}
}

func durations(most time.Duration) *rapid.Generator[time.Duration] {
	return rapid.OneOf(
		rapid.Custom(func(t *rapid.T) time.Duration {
			bits := rapid.IntRange(0, 62).Draw(t, "bits")
			return time.Duration(rapid.Int64Range(0, min(int64(most), 1<<bits)).Draw(t, "ns"))
		}),
		rapid.Custom(func(t *rapid.T) time.Duration {
			near := rapid.SampledFrom([]time.Duration{ms, 10 * ms, sec, 10 * sec, time.Minute, time.Hour, day, 100 * day}).Draw(t, "limit")
			d := near + time.Duration(rapid.Int64Range(-int64(near)/100, int64(near)/100).Draw(t, "off"))
			return min(d, most)
		}),
	)
}

func TestRandomDurations(t *testing.T) {
	for _, form := range []struct {
		name    string
		format  func(time.Duration) string
		columns int
		rounded func(d, parsed time.Duration) bool
	}{
		{"Age", units.Age, 6, roundedDown},
		{"Seconds", units.Seconds, 6, roundedDown},
		{"Tenths", units.Tenths, 6, roundedDown},
		{"Counter", units.Counter, 6, roundedDown},
		{"Took", units.Took, 6, func(d, parsed time.Duration) bool {
			return d >= time.Minute && roundedDown(d, parsed) || (parsed-d).Abs() <= max(50*us, d/20)
		}},
		{"Exact", units.Exact, 24, func(d, parsed time.Duration) bool { return d == parsed }},
		{"AtMost", units.AtMost, 6, roundedUp},
	} {
		t.Run(form.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a := durations(99_999*day).Draw(t, "a")
				b := durations(99_999*day).Draw(t, "b")
				text, other := form.format(a), form.format(b)
				if n := len(text); n > form.columns {
					t.Fatalf("%q has %d columns, want at most %d", text, n, form.columns)
				}
				parsed, otherParsed := parse(t, text), parse(t, other)
				if !form.rounded(a, parsed) {
					t.Fatalf("%v is formatted as %q, want it correctly rounded", a, text)
				}
				if a < b && parsed > otherParsed || a > b && parsed < otherParsed {
					t.Fatalf("%v is formatted as %q, %v as %q; want the same order", a, text, b, other)
				}
			})
		})
	}
}

func roundedDown(d, parsed time.Duration) bool { return parsed <= d && d < parsed+smallestUnit(d) }

func roundedUp(d, parsed time.Duration) bool { return d <= parsed && parsed < d+smallestUnit(d) }

func smallestUnit(d time.Duration) time.Duration {
	switch {
	case d >= 100*day:
		return day
	case d >= day:
		return time.Hour
	case d >= time.Hour:
		return time.Minute
	}
	return sec
}

func parse(t *rapid.T, text string) time.Duration {
	s := strings.ReplaceAll(text, " ", "")
	if minutes, seconds, ok := strings.Cut(s, ":"); ok {
		s = minutes + "m" + seconds + "s"
	}
	var days time.Duration
	if n, rest, ok := strings.Cut(s, "d"); ok {
		x, err := strconv.Atoi(n)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		days, s = time.Duration(x)*day, rest+"0s"
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return days + d
}
