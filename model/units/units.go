// Package units formats amounts for people. A duration has several forms:
//
//	Age      12s  3m41s  2h05m  412d     an age in a narrow column
//	Seconds  12 s  3m41s                 an age in a sentence
//	Tenths   2.1 s  3m41s                an age that the screen counts up
//	Counter  00:42  59:59  1h05m         how far the view is behind the present
//	Took     0.3 ms  4.02 s  3m41s       a measured duration
//	Exact    200 ms  1.5 s  5m           a configured or negotiated duration
//	AtMost   5 s  1m30s  2h06m           an upper bound
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Count formats a number and its noun: "1 child", "2 children".
func Count[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(int64(n), 10) + " " + many
}

// Age formats an age, rounded down, in at most six columns for the first 270 years. Clocks differ, so
// an age may be negative: its text is 0s.
func Age(d time.Duration) string {
	var room [16]byte
	return string(AppendAge(room[:0], d))
}

// AppendAge appends d as [Age] formats it.
func AppendAge(to []byte, d time.Duration) []byte {
	const minute, hour, day = 60, 60 * 60, 24 * 60 * 60
	s := int64(max(0, d) / time.Second)
	two := func(n, below int64, name, nameBelow byte) []byte {
		to = append(strconv.AppendInt(to, n, 10), name)
		return append(to, byte('0'+below/10), byte('0'+below%10), nameBelow)
	}
	switch {
	case s < minute:
		return append(strconv.AppendInt(to, s, 10), 's')
	case s < hour:
		return two(s/minute, s%minute, 'm', 's')
	case s < day:
		return two(s/hour, s%hour/minute, 'h', 'm')
	case s < 100*day:
		return two(s/day, s%day/hour, 'd', 'h')
	}
	return append(strconv.AppendInt(to, s/day, 10), 'd')
}

// Seconds formats an age, rounded down; from a minute on as [Age] does.
func Seconds(d time.Duration) string { return elapsed(d, time.Second, 0) }

// Tenths formats an age as [Seconds] does, but with one decimal below a minute.
func Tenths(d time.Duration) string { return elapsed(d, time.Second/10, 1) }

func elapsed(d, tick time.Duration, digits int) string {
	if d = max(0, d); d >= time.Minute {
		return Age(d)
	}
	return strconv.FormatFloat(d.Truncate(tick).Seconds(), 'f', digits, 64) + " s"
}

// Counter formats an age as minutes and seconds, rounded down; from an hour on as [Age] does.
func Counter(d time.Duration) string {
	if d = max(0, d); d >= time.Hour {
		return Age(d)
	}
	s := d / time.Second
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// Took formats a duration with at most three digits; from a minute on as [Age] does.
func Took(d time.Duration) string {
	ms := float64(max(0, d)) / float64(time.Millisecond)
	switch {
	case ms < 9.95 && ms != math.Trunc(ms):
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 999.5:
		return fmt.Sprintf("%.0f ms", ms)
	case ms < 9995:
		return fmt.Sprintf("%.2f s", ms/1000)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
	return Age(d)
}

// Exact formats a duration with all its digits. [time.ParseDuration] parses the result without the
// space.
func Exact(d time.Duration) string {
	if d.Abs() < time.Minute {
		unit, name := time.Second, " s"
		if d.Abs() < time.Second && d != 0 {
			unit, name = time.Millisecond, " ms"
		}
		return strconv.FormatFloat(float64(d)/float64(unit), 'f', -1, 64) + name
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// AtMost formats an upper bound as [Seconds] does, but rounded up.
func AtMost(d time.Duration) string {
	unit := time.Second // the smallest unit in the [Age] of d
	switch {
	case d >= 100*24*time.Hour:
		unit = 24 * time.Hour
	case d >= 24*time.Hour:
		unit = time.Hour
	case d >= time.Hour:
		unit = time.Minute
	}
	if rest := d % unit; rest > 0 && d < math.MaxInt64-unit {
		d += unit - rest
	}
	return Seconds(d)
}

// Stamp formats a date and time in UTC.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// Clock formats a time of day in UTC.
func Clock(t time.Time) string { return t.UTC().Format("15:04:05.0Z") }
