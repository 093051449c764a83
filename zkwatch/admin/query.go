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

type query[T any] struct {
	name   string
	http   form[T]
	word   form[T]
	table  bool // the answer can be large and expensive for the server
	always bool // sent even if the server refused it less than refusalValid ago
}

type form[T any] struct {
	name  string
	parse func([]byte) (T, error)
}

var (
	statusQuery      = query[status]{name: "state", http: form[status]{"server_stats", parseServerStats}, word: form[status]{"srvr", parseSrvr}, always: true}
	identityQuery    = query[identity]{name: "configuration", http: form[identity]{"configuration", parseConfiguration}, word: form[identity]{"conf", parseConf}}
	countsQuery      = query[counts]{name: "counts", http: form[counts]{"monitor", parseMonitor}, word: form[counts]{"mntr", parseMntr}}
	dataWatchesQuery = query[int]{name: "number of watches on data", http: form[int]{"watch_summary", parseWatchSummary}, word: form[int]{"wchs", parseWchs}}
	connectionsQuery = query[connections]{name: "connections", http: form[connections]{"connections", parseConnections},
		word: form[connections]{"cons", parseCons}, table: true}
	dumpQuery    = query[dump]{name: "sessions", http: form[dump]{"dump", parseJSONDump}, word: form[dump]{"dump", parseDump}, table: true}
	watchesQuery = query[[]session.Watch]{name: "watches", http: form[[]session.Watch]{"watches_by_path", parseWatchesByPath},
		word: form[[]session.Watch]{"wchp", parseWchp}, table: true}
)

type status struct {
	version     string
	mode        session.Mode
	zxid        int64
	connections int
}

type identity struct {
	number int // myid; 0: standalone or unknown
	port   int // port for clients without TLS; 0: none or unknown
	tick   time.Duration
	ports  int // number of ports for clients, 1 or 2; 0: unknown
}

func (i identity) checked() identity {
	i.number, i.tick = max(i.number, 0), max(i.tick, 0)
	if i.port < 0 || i.port > 1<<16-1 {
		i.port = 0
	}
	return i
}

type counts struct {
	watches int  // data, exists and child watches
	expired *int // number of sessions expired since the server's start; nil: not reported
}

type connections struct {
	list      []session.Client
	bothPorts bool // the list has the clients of both ports
}

type dump struct {
	deadlines  []session.Deadline
	ephemerals []session.Ephemeral // full paths
}

var (
	errNotServing  = errors.New("the server is not serving requests (it has no quorum, or is starting)")
	errAdminServer = errors.New("the AdminServer reports")
	errTooLarge    = errors.New("the reply is too large")
	errMalformed   = errors.New("not the answer of a ZooKeeper server")
)

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errMalformed, fmt.Sprintf(format, args...))
}

func shown(s string) string { return strconv.Quote(znode.Safe(s, 40)) }

// A limit bounds a reply, because a parsed reply can take much more memory than the reply itself.
type limit struct{ bytes, entries, values int }

var (
	small = limit{1 << 20, 100_000, 100_000}
	large = limit{16 << 20, 500_000, 1_000_000}
	huge  = limit{256 << 20, 8_000_000, 16_000_000}
)

// read does not parse the reply: a server may hold a lock until a table is completely read.
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

// shortVersion returns "3.8.0" for "3.8.0-5a02a05, built on ...".
func shortVersion(s string) string {
	s, _, _ = strings.Cut(s, ",")
	s, _, _ = strings.Cut(s, "-")
	return znode.Safe(strings.TrimSpace(s), 20)
}

func modeNamed(s string) session.Mode {
	switch m := session.Mode(s); m {
	case session.ModeLeader, session.ModeFollower, session.ModeObserver, session.ModeStandalone:
		return m
	}
	return session.ModeUnknown
}

// parseNumber accepts negative decimal session ids, as Java writes them.
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
		return 0, malformed("%s is not a number", shown(s))
	}
	return n, nil
}

func parseMilliseconds(s string) (time.Duration, error) {
	const limit = math.MaxInt64 / int64(time.Millisecond) / 2
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > limit || n < -limit {
		return 0, malformed("%s is not a valid number of milliseconds", shown(s))
	}
	return time.Duration(n) * time.Millisecond, nil
}

func unixTime(d time.Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return time.UnixMilli(d.Milliseconds())
}

// clientAddr gets Java's "/host:port" or "name/host:port", in which IPv6 is not abbreviated.
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

func lastOp(s string) string {
	if s == "null" || s == "NA" {
		return ""
	}
	return znode.Safe(s, 32)
}
