package admin

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/model/session"
)

// The functions below parse the replies to four-letter words of Apache ZooKeeper 3.4 to 3.9.

func lines(b []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range bytes.Lines(b) {
			s := strings.TrimRight(string(line), "\r\n")
			if strings.TrimSpace(s) != "" && !yield(s) {
				return
			}
		}
	}
}

// complete reports whether a list is complete: its reply ends with an empty line.
func complete(b []byte) bool { return string(b) == "\n" || bytes.HasSuffix(b, []byte("\n\n")) }

type fields struct {
	word   string
	values map[string]string
	err    error
}

func parseFields(word string, b []byte, separator string, required ...string) *fields {
	f := &fields{word: word, values: make(map[string]string)}
	for line := range lines(b) {
		name, value, _ := strings.Cut(line, separator)
		f.values[name] = value
	}
	for _, name := range required {
		if f.values[name] == "" {
			f.fail(malformed("%s: no %s", word, name))
		}
	}
	return f
}

func (f *fields) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *fields) number(name string) int64 {
	value, ok := f.values[name]
	n, err := parseNumber(strings.TrimSpace(value))
	if ok && err != nil {
		f.fail(malformed("%s: %s=%s", f.word, name, shown(value)))
	}
	return int64(n)
}

func (f *fields) count(name string) int {
	n := int(f.number(name))
	if n < 0 {
		f.fail(malformed("%s: %s=%d", f.word, name, n))
	}
	return n
}

func parseSrvr(b []byte) (status, error) {
	const version, mode = "Zookeeper version", "Mode"
	f := parseFields("srvr", b, ": ", version, mode)
	return status{shortVersion(f.values[version]), modeNamed(f.values[mode]), f.number("Zxid"), int(f.number("Connections"))}, f.err
}

func parseMntr(b []byte) (counts, error) {
	const watches, expired = "zk_watch_count", "zk_stale_sessions_expired"
	f := parseFields("mntr", b, "\t", "zk_version", watches)
	n := counts{watches: f.count(watches)}
	if f.values[expired] != "" {
		x := f.count(expired)
		n.expired = &x
	}
	return n, f.err
}

func parseWchs(b []byte) (int, error) {
	f := parseFields("wchs", b, ":", "Total watches")
	return f.count("Total watches"), f.err
}

func parseConf(b []byte) (identity, error) {
	f := parseFields("conf", b, "=", "serverId")
	plain, secure := f.number("clientPort"), f.number("secureClientPort")
	tick, err := parseMilliseconds(cmp.Or(f.values["tickTime"], "0"))
	id := identity{number: int(f.number("serverId")), port: int(plain), tick: tick}
	switch {
	case plain > 0 && secure > 0:
		id.ports = 2
	case f.values["secureClientPort"] != "":
		id.ports = 1
	}
	return id.checked(), cmp.Or(f.err, err)
}

// parseDump finds deadlines only in the reply of an ensemble leader or a standalone server.
func parseDump(b []byte) (d dump, err error) {
	sessions, rest, ok := bytes.Cut(b, []byte("\nephemeral nodes dump:\n"))
	if !ok || !bytes.HasPrefix(b, []byte("SessionTracker dump:\n")) || !bytes.HasSuffix(b, []byte("\n")) {
		return d, malformed("dump: a heading or the end is missing: %s", shown(string(b)))
	}
	ephemerals, _, _ := bytes.Cut(rest, []byte("\nConnections dump:\n"))
	var at time.Duration // deadline of the sessions on the next lines
	var zones []string
	for line := range lines(sessions) {
		id, below := strings.CutPrefix(line, "\t")
		switch {
		case below && zones != nil:
			s, err := parseNumber(id)
			if err != nil {
				return dump{}, err
			}
			d.deadlines = append(d.deadlines, session.Deadline{Session: s, At: at, Wall: true})
		case strings.Contains(line, " expire at "): // the other lines are headings, or timeouts from a follower
			var zone string
			if at, zone, err = parseDeadlineLine(line); err != nil {
				return dump{}, err
			}
			zones = append(zones, zone)
		}
	}
	if len(slices.Compact(zones)) > 1 {
		d.deadlines = nil // summer time begins or ends: the interval between two deadlines is unknown
	}
	var owner uint64
	known := false
	for line := range lines(ephemerals) {
		path, below := strings.CutPrefix(line, "\t")
		switch {
		case strings.HasPrefix(line, "Sessions with Ephemerals"), line == "Connections dump:": // headings
		case !below:
			if owner, err = parseNumber(strings.TrimSuffix(line, ":")); err != nil {
				return dump{}, err
			}
			known = true
		case known && strings.HasPrefix(path, "/"):
			d.ephemerals = append(d.ephemerals, session.Ephemeral{Session: owner, Path: path})
		default:
			return dump{}, malformed("dump: %s", shown(line))
		}
	}
	return d, nil
}

// parseDeadlineLine reads the time as UTC, because the zone may be an ambiguous abbreviation.
func parseDeadlineLine(line string) (since1970 time.Duration, zone string, err error) {
	_, date, _ := strings.Cut(line, " expire at ")
	f := strings.Fields(strings.TrimSuffix(date, ":"))
	if len(f) != 6 {
		return 0, "", malformed("dump: %s", shown(line))
	}
	t, err := time.Parse("Jan 2 15:04:05 2006", strings.Join([]string{f[1], f[2], f[3], f[5]}, " "))
	if err != nil || t.Year() < 1970 || t.Year() > 2199 {
		return 0, "", malformed("dump: %s", shown(line))
	}
	return t.Sub(time.Unix(0, 0)), f[4], nil
}

func parseCons(b []byte) (connections, error) {
	if !complete(b) {
		return connections{}, malformed("cons: truncated")
	}
	var all []session.Client
	for line := range lines(b) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "null[") {
			continue // the connection is closed
		}
		c, err := parseCon(line)
		if err != nil {
			return connections{}, err
		}
		all = append(all, c)
	}
	return connections{list: all}, nil
}

// parseCon reads "/127.0.0.1:33664[1](queued=0,recved=110,...)".
func parseCon(line string) (session.Client, error) {
	head, fields, ok := strings.Cut(line, "](")
	i := strings.LastIndexByte(head, '[')
	if !ok || i < 0 || !strings.Contains(head[:i], "/") || !strings.HasSuffix(fields, ")") {
		return session.Client{}, malformed("cons: %s", shown(line))
	}
	c := session.Client{Addr: clientAddr(head[:i])}
	for field := range strings.SplitSeq(strings.TrimSuffix(fields, ")"), ",") {
		key, value, _ := strings.Cut(field, "=")
		var err error
		switch key {
		case "queued":
			c.Outstanding, err = strconv.Atoi(value)
		case "recved":
			c.Received, err = strconv.ParseInt(value, 10, 64)
		case "sid":
			c.Session, err = parseNumber(value)
		case "lop":
			c.LastOp = lastOp(value)
		case "est":
			var d time.Duration
			d, err = parseMilliseconds(value)
			c.Established = unixTime(d)
		case "to":
			c.Timeout, err = parseMilliseconds(value)
		case "lresp":
			c.LastResponse, err = parseMilliseconds(value)
		}
		if err != nil {
			return session.Client{}, malformed("cons: %s", shown(field))
		}
	}
	return c, nil
}

func parseWchp(b []byte) ([]session.Watch, error) {
	if !complete(b) {
		return nil, malformed("wchp: truncated")
	}
	var all []session.Watch
	for line := range lines(b) {
		switch sessionID, below := strings.CutPrefix(line, "\t"); {
		case below && len(all) > 0:
			id, err := parseNumber(sessionID)
			if err != nil {
				return nil, err
			}
			last := &all[len(all)-1]
			last.Sessions = append(last.Sessions, id)
		case line[0] == '/':
			all = append(all, session.Watch{Path: line})
		default:
			return nil, malformed("wchp: %s", shown(line))
		}
	}
	return all, nil
}
