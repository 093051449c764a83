package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// age formats how long something has been, in at most six cells: 12s, 3m41s,
// 2h05m, 3d04h, 412d.
func age(d time.Duration) string {
	s := int64(max(0, d) / time.Second)
	switch {
	case s < 60:
		return strconv.FormatInt(s, 10) + "s"
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 86400:
		return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
	case s < 100*86400:
		return fmt.Sprintf("%dd%02dh", s/86400, s%86400/3600)
	}
	return strconv.FormatInt(s/86400, 10) + "d"
}

// took formats a measured duration with the digits that mean something:
// 0.3 ms, 3 ms, 4.02 s, 2m05s.
func took(d time.Duration) string {
	d = max(0, d)
	switch {
	case d < 10*time.Millisecond && d%time.Millisecond != 0:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d/time.Millisecond)
	case d < 10*time.Second:
		return fmt.Sprintf("%.2f s", float64(d)/float64(time.Second))
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", float64(d)/float64(time.Second))
	}
	return age(d)
}

// tenths formats a duration that is still growing.
func tenths(d time.Duration) string {
	d = max(0, d)
	if d < time.Minute {
		return fmt.Sprintf("%d.%d s", d/time.Second, d%time.Second/(100*time.Millisecond))
	}
	return age(d)
}

// seconds formats a duration that counts whole seconds, rounded up, or down
// for what has been.
func secondsUp(d time.Duration) string {
	return strconv.FormatInt(int64((max(0, d)+time.Second-1)/time.Second), 10) + " s"
}

func seconds(d time.Duration) string {
	if d < 100*time.Second {
		return strconv.FormatInt(int64(max(0, d)/time.Second), 10) + " s"
	}
	return age(d)
}

// limit formats a timeout: 4 s, 1.5 s, 200 ms.
func limit(d time.Duration) string {
	if d < time.Second {
		return strconv.FormatInt(int64(d/time.Millisecond), 10) + " ms"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
}

const (
	clockFormat = "15:04:05"
	stampFormat = "15:04:05.000"
)

// share formats part of a whole in percent, rounded down: 100 is said only
// where nothing is missing.
func share(part, whole time.Duration) string {
	if whole <= 0 {
		return ""
	}
	if part >= whole {
		return "100 %"
	}
	return fmt.Sprintf("%.1f %%", float64(int64(float64(part)/float64(whole)*1000))/10)
}

// shortSession is a session id in seven cells: what tells the sessions of a
// cluster apart is the server that made it, in the high byte, and the last
// digits: 0xa1, 1…00a1.
func shortSession(id uint64) string {
	switch {
	case id == 0:
		return "-"
	case id < 1<<20:
		return "0x" + strconv.FormatUint(id, 16)
	}
	return fmt.Sprintf("%x…%04x", id>>56, id&0xffff)
}

// plural returns "1 child", "2 children".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// secondsDown counts whole seconds, rounded down: a lower bound.
func secondsDown(d time.Duration) string {
	return strconv.FormatInt(int64(max(0, d)/time.Second), 10)
}

// bytesOf formats a size: 310 B, 1.9 kB, 12.3 MB.
func bytesOf(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(max(0, n), 10) + " B"
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
