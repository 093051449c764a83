package admin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"electop/model/session"
	"electop/model/znode"
)

// A question is a command of the AdminServer and the four-letter word for the same.
type question[T any] struct {
	name   string // for messages
	http   form[T]
	word   form[T]
	table  bool // the answer can be large, and cost the server something
	always bool // it is asked again even if the server has just refused
}

// A form is one command or word, and the parser of its answer.
type form[T any] struct {
	name  string
	parse func([]byte) (T, error)
}

var (
	forStatus      = question[status]{name: "state", http: form[status]{"server_stats", parseServerStats}, word: form[status]{"srvr", parseSrvr}, always: true}
	forIdentity    = question[identity]{name: "configuration", http: form[identity]{"configuration", parseConfiguration}, word: form[identity]{"conf", parseConf}}
	forCounts      = question[counts]{name: "counts", http: form[counts]{"monitor", parseMonitor}, word: form[counts]{"mntr", parseMntr}}
	forDataWatches = question[int]{name: "number of watches on data", http: form[int]{"watch_summary", parseWatchSummary}, word: form[int]{"wchs", parseWchs}}
	forConnections = question[connections]{name: "connections", http: form[connections]{"connections", parseConnections}, word: form[connections]{"cons", parseCons},
		table: true}
	forDump    = question[dump]{name: "sessions", http: form[dump]{"dump", parseJSONDump}, word: form[dump]{"dump", parseDump}, table: true}
	forWatches = question[[]session.Watch]{name: "watches", http: form[[]session.Watch]{"watches_by_path", parseWatchesByPath},
		word: form[[]session.Watch]{"wchp", parseWchp}, table: true}
)

// status is the part of a server's state that costs it nothing to report.
type status struct {
	version     string
	mode        session.Mode
	zxid        int64
	connections int
}

// identity tells servers apart.
type identity struct {
	number int // myid; 0 for a standalone server
	port   int // for clients, without TLS; 0: not known
	tick   time.Duration
	// ports is the number of ports for clients: 2 if there is one with TLS
	// and one without; 0: not known. Only the word conf reports it.
	ports int
}

// checked drops values that cannot be true.
func (i identity) checked() identity {
	i.number, i.tick = max(i.number, 0), max(i.tick, 0)
	if i.port < 0 || i.port > 1<<16-1 {
		i.port = 0
	}
	return i
}

// counts has the numbers that a server counts.
type counts struct {
	watches int // those on children included
	// expired is the number of sessions that expired since its start, nil if it does not
	// report it (before ZooKeeper 3.6).
	expired *int
}

// connections lists a server's clients.
type connections struct {
	list      []session.Client
	bothPorts bool // the list is of both ports, if the server has two
}

// dump tells which session owns which ephemeral znodes, and when sessions expire.
type dump struct {
	deadlines  []session.Deadline
	ephemerals []session.Ephemeral // full paths
}

// What a server says instead of an answer. A parser's error is one of these or
// errMalformed.
var (
	errNotServing = errors.New("the server is not serving requests (it has no quorum, or is starting)")
	errServerSays = errors.New("the AdminServer says")
	errTooLarge   = errors.New("the reply is too large")
	errMalformed  = errors.New("not the answer of a ZooKeeper server")
)

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errMalformed, fmt.Sprintf(format, args...))
}

// shown quotes a short piece of a reply for a message.
func shown(s string) string { return strconv.Quote(znode.Safe(s, 40)) }

// A limit bounds a reply: in bytes as they come, and, before the reply is parsed, in
// entries (lines, objects, lists) and in further values, as a byte of a hostile reply can
// become fifty bytes in memory.
type limit struct{ bytes, entries, values int }

var (
	small = limit{1 << 20, 100_000, 100_000} // for an answer that is not a table
	// large is for a table. Fifty thousand watches are some six megabytes; a session id in a
	// list has 18 bytes with its comma.
	large = limit{16 << 20, 500_000, 1_000_000}
	huge  = limit{256 << 20, 8_000_000, 16_000_000} // for a table that the user wants at any cost
)

// read reads r to its end at once: while a server writes a table it may hold a
// lock that its requests need. The reply is parsed later.
func (l limit) read(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	if _, err := b.ReadFrom(io.LimitReader(r, int64(l.bytes)+1)); err != nil {
		return nil, err
	}
	entries, values := 0, 0
	for _, c := range b.Bytes() {
		switch c {
		case '\n', '[', '{':
			entries++
		case ',':
			values++
		}
	}
	switch {
	case b.Len() > l.bytes:
		return nil, fmt.Errorf("%w: more than %d bytes", errTooLarge, l.bytes)
	case entries > l.entries:
		return nil, fmt.Errorf("%w: more than %d entries", errTooLarge, l.entries)
	case values > l.values:
		return nil, fmt.Errorf("%w: more than %d values", errTooLarge, l.values)
	}
	return b.Bytes(), nil
}

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

// parseNumber reads a number of 64 bits, signed or not: session ids and zxids are
// hexadecimal in text, and signed decimal numbers in JSON.
func parseNumber(s string) (uint64, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return uint64(n), nil
	}
	digits, base := s, 10
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return 0, malformed("%s for a number", shown(s))
	}
	return n, nil
}

// parseMilliseconds refuses more than 200 years either way: that is not a time.
func parseMilliseconds(s string) (time.Duration, error) {
	const limit = math.MaxInt64 / int64(time.Millisecond) / 2
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > limit || n < -limit {
		return 0, malformed("%s for a number of milliseconds", shown(s))
	}
	return time.Duration(n) * time.Millisecond, nil
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
