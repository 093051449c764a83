package command

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"electop/model/session"
	"electop/model/znode"
)

// errMalformed is in the error of every parser.
var errMalformed = errors.New("not the answer of a ZooKeeper server")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errMalformed, fmt.Sprintf(format, args...))
}

// shown is for a short piece of a reply in a message.
func shown(s string) string { return strconv.Quote(znode.Safe(s, 40)) }

// shortVersion is "3.8.0" of "3.8.0-5a02a05, built on ...".
func shortVersion(s string) string {
	s, _, _ = strings.Cut(s, ",")
	s, _, _ = strings.Cut(s, "-")
	return znode.Safe(strings.TrimSpace(s), 20)
}

// modeNamed returns ModeUnknown for all but the four modes: there is also the
// read-only mode.
func modeNamed(s string) session.Mode {
	switch m := session.Mode(s); m {
	case session.ModeLeader, session.ModeFollower, session.ModeObserver, session.ModeStandalone:
		return m
	}
	return session.ModeUnknown
}

// parseSession reads a session id: unsigned hexadecimal in text, a signed
// decimal number in JSON.
func parseSession(s string) (uint64, error) {
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		if id, err := strconv.ParseUint(hex, 16, 64); err == nil {
			return id, nil
		}
	} else if id, err := strconv.ParseInt(s, 10, 64); err == nil {
		return uint64(id), nil
	} else if id, err := strconv.ParseUint(s, 10, 64); err == nil {
		return id, nil
	}
	return 0, malformed("%s for a session", shown(s))
}

// milliseconds refuses more than 200 years either way: that is not a time.
func milliseconds(n int64) (time.Duration, error) {
	const limit = math.MaxInt64 / int64(time.Millisecond) / 2
	if n > limit || n < -limit {
		return 0, malformed("%d ms", n)
	}
	return time.Duration(n) * time.Millisecond, nil
}

func parseMilliseconds(s string) (time.Duration, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, malformed("%s for a number of milliseconds", shown(s))
	}
	return milliseconds(n)
}

// since1970 is the zero time for 0.
func since1970(d time.Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return time.UnixMilli(d.Milliseconds())
}

// clientAddr normalises the address of a client as Java writes it: with a
// slash and perhaps a name before it, an IPv6 address with or without brackets
// and without shortening.
func clientAddr(s string) string {
	s = s[strings.LastIndexByte(s, '/')+1:]
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		host := strings.Trim(s[:i], "[]")
		if ip, err := netip.ParseAddr(host); err == nil {
			s = net.JoinHostPort(ip.String(), s[i+1:])
		}
	}
	return znode.Safe(s, 80)
}

// lastOp bounds the name of an operation.
func lastOp(s string) string {
	if s == "null" || s == "NA" {
		return ""
	}
	return znode.Safe(s, 32)
}
