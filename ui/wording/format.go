package wording

import (
	"fmt"
	"strconv"
	"time"

	"electop/model/znode"
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
	var room [16]byte
	return string(AppendShortSession(room[:0], id))
}

// AppendShortSession appends a [ShortSession]: a table has one in each of its rows.
func AppendShortSession(to []byte, id uint64) []byte {
	switch {
	case id == 0:
		return append(to, '-')
	case id < 1<<20:
		return znode.AppendHex(to, id)
	}
	to = append(strconv.AppendUint(to, id>>56, 16), "…"...)
	for digit := 12; digit >= 0; digit -= 4 {
		to = append(to, "0123456789abcdef"[id>>digit&0xf])
	}
	return to
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
