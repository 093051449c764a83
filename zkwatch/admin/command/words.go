package command

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/model/session"
)

// The answers to four-letter words, as Apache ZooKeeper 3.4 to 3.9 write them.

// lines are the lines of a reply that are not blank.
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

// closed reports whether a reply ends with an empty line, as that of a list
// does: only then is it known to be complete.
func closed(b []byte) bool { return string(b) == "\n" || bytes.HasSuffix(b, []byte("\n\n")) }

func parseSrvr(b []byte) (Status, error) {
	var r Status
	mode := false
	for line := range lines(b) {
		key, value, _ := strings.Cut(line, ": ")
		var err error
		switch key {
		case "Zookeeper version":
			r.Version = shortVersion(value)
		case "Mode":
			r.Mode, mode = modeNamed(value), true
		case "Zxid":
			var id uint64
			id, err = strconv.ParseUint(value, 0, 64)
			r.Zxid = int64(id)
		case "Connections":
			r.Connections, err = strconv.Atoi(value)
		}
		if err != nil {
			return Status{}, malformed("srvr: %s", shown(line))
		}
	}
	if r.Version == "" || !mode {
		return Status{}, malformed("srvr: no version or no mode")
	}
	return r, nil
}

func parseMntr(b []byte) (Counts, error) {
	known, counted := false, false
	var r Counts
	for line := range lines(b) {
		key, value, _ := strings.Cut(line, "\t")
		known = known || key == "zk_version"
		if !known || key != "zk_watch_count" && key != "zk_stale_sessions_expired" {
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return Counts{}, malformed("mntr: %s", shown(line))
		}
		if key == "zk_watch_count" {
			r.Watches, counted = n, true
		} else {
			r.Expired = &n
		}
	}
	if !counted {
		return Counts{}, malformed("mntr: no count of watches")
	}
	return r, nil
}

// parseWchs returns the number of watches on data and existence.
func parseWchs(b []byte) (int, error) {
	for line := range lines(b) {
		if value, ok := strings.CutPrefix(line, "Total watches:"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 0 {
				return 0, malformed("wchs: %s", shown(line))
			}
			return n, nil
		}
	}
	return 0, malformed("wchs: no total")
}

func parseConf(b []byte) (Identity, error) {
	var r Identity
	known, secure, plain := false, 0, 0
	for line := range lines(b) {
		key, value, _ := strings.Cut(line, "=")
		var err error
		switch key {
		case "serverId":
			r.Number, err = strconv.Atoi(value)
			known = true
		case "clientPort":
			plain, err = strconv.Atoi(value)
			r.Port = plain
		case "secureClientPort":
			secure, err = strconv.Atoi(value)
			r.Ports = 1
		case "tickTime":
			r.Tick, err = parseMilliseconds(value)
		}
		if err != nil {
			return Identity{}, malformed("conf: %s", shown(line))
		}
	}
	if !known {
		return Identity{}, malformed("conf: no serverId")
	}
	if plain > 0 && secure > 0 {
		r.Ports = 2
	}
	return r.checked(), nil
}

// checked drops values that cannot be true.
func (r Identity) checked() Identity {
	r.Number = max(r.Number, 0)
	if r.Port < 0 || r.Port > 1<<16-1 {
		r.Port = 0
	}
	r.Tick = max(r.Tick, 0)
	return r
}

// parseDump reads the sessions by the time at which they expire, which only the
// ensemble's leader and a standalone server know, and the ephemeral znodes by
// session. The connections that follow are not needed, and are without their
// sessions before 3.5.
func parseDump(b []byte) (Dump, error) {
	if len(b) == 0 || b[len(b)-1] != '\n' {
		return Dump{}, malformed("dump: truncated")
	}
	const (
		before = iota
		sessions
		ephemerals
	)
	var d Dump
	var at time.Duration // of the deadlines that follow
	var zones []string
	var sessionID uint64
	part, known := before, false
reply:
	for line := range lines(b) {
		rest, below := strings.CutPrefix(line, "\t")
		switch {
		case part == before:
			if line != "SessionTracker dump:" {
				return Dump{}, malformed("dump: %s", shown(line))
			}
			part = sessions
		case line == "ephemeral nodes dump:":
			part, known = ephemerals, false
		case line == "Connections dump:" && part == ephemerals:
			break reply
		case part == sessions && below && known:
			id, err := parseSession(rest)
			if err != nil {
				return Dump{}, err
			}
			d.Deadlines = append(d.Deadlines, session.Deadline{Session: id, At: at, Wall: true})
		case part == sessions && strings.Contains(line, " expire at "):
			since1970, zone, err := parseDeadlineLine(line)
			if err != nil {
				return Dump{}, err
			}
			at, known, zones = since1970, true, append(zones, zone)
		case part == sessions: // a heading, or a follower's list of timeouts
		case strings.HasPrefix(line, "Sessions with Ephemerals"):
		case below && known && strings.HasPrefix(rest, "/"):
			d.Ephemerals = append(d.Ephemerals, session.Ephemeral{Session: sessionID, Path: rest})
		case !below:
			id, err := parseSession(strings.TrimSuffix(line, ":"))
			if err != nil {
				return Dump{}, err
			}
			sessionID, known = id, true
		default:
			return Dump{}, malformed("dump: %s", shown(line))
		}
	}
	if part != ephemerals {
		return Dump{}, malformed("dump: no ephemerals")
	}
	if len(slices.Compact(zones)) > 1 {
		d.Deadlines = nil // as around the end of summer time: how far apart two lines are is not known then
	}
	return d, nil
}

// parseDeadlineLine reads "3 expire at Fri Nov 20 15:14:03 UTC 2026:", with the
// date as java.util.Date writes it. The zone is taken for UTC: its abbreviation may
// mean several zones. All lines of a reply are off by the same then.
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

// parseCons reads the connections to one port of the server.
func parseCons(b []byte) (Connections, error) {
	if !closed(b) {
		return Connections{}, malformed("cons: truncated")
	}
	var all []session.Client
	for line := range lines(b) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "null[") {
			continue // it was closed meanwhile, and has no address
		}
		c, err := parseCon(line)
		if err != nil {
			return Connections{}, err
		}
		all = append(all, c)
	}
	return Connections{List: all}, nil
}

// parseCon reads "/127.0.0.1:33664[1](queued=0,recved=110,...)"; the number in
// brackets is the connection's interest in I/O.
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
			c.Session, err = parseSession(value)
		case "lop":
			c.LastOp = lastOp(value)
		case "est":
			var d time.Duration
			d, err = parseMilliseconds(value)
			c.Established = since1970(d)
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

// parseWchp reads paths, each with the sessions that watch it below.
func parseWchp(b []byte) ([]session.Watch, error) {
	if !closed(b) {
		return nil, malformed("wchp: truncated")
	}
	var all []session.Watch
	for line := range lines(b) {
		switch sessionID, below := strings.CutPrefix(line, "\t"); {
		case below && len(all) > 0:
			id, err := parseSession(sessionID)
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
