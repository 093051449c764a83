package wording

import (
	"fmt"
	"strconv"
	"time"
)

// Share formats part of a whole in percent, rounded down: it is 100 only if nothing
// is missing.
func Share(part, whole time.Duration) string {
	if whole <= 0 {
		return ""
	}
	if part >= whole {
		return "100 %"
	}
	return fmt.Sprintf("%.1f %%", float64(int64(float64(part)/float64(whole)*1000))/10)
}

// ShortSession is a session id in seven cells. The sessions of a cluster differ in
// the high byte, which is the server that created it, and in the last digits: 0xa1,
// 1…00a1.
func ShortSession(id uint64) string {
	switch {
	case id == 0:
		return "-"
	case id < 1<<20:
		return "0x" + strconv.FormatUint(id, 16)
	}
	return fmt.Sprintf("%x…%04x", id>>56, id&0xffff)
}

// BytesOf formats a size: 310 B, 1.9 kB, 12.3 MB.
func BytesOf(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(max(0, n), 10) + " B"
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
