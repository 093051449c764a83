package admin

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
	"time"

	"electop/model"
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

// closed tells whether a reply ends as one of a list does, with an empty line:
// only then is it known to be complete.
func closed(b []byte) bool { return string(b) == "\n" || bytes.HasSuffix(b, []byte("\n\n")) }

func parseSrvr(b []byte) (basics, error) {
	var r basics
	mode := false
	for line := range lines(b) {
		key, value, _ := strings.Cut(line, ": ")
		var err error
		switch key {
		case "Zookeeper version":
			r.version = shortVersion(value)
		case "Mode":
			r.mode, mode = modeNamed(value), true
		case "Zxid":
			var id uint64
			id, err = strconv.ParseUint(value, 0, 64)
			r.zxid = int64(id)
		case "Connections":
			r.connections, err = strconv.Atoi(value)
		}
		if err != nil {
			return basics{}, malformed("srvr: %s", shown(line))
		}
	}
	if r.version == "" || !mode {
		return basics{}, malformed("srvr: no version or no mode")
	}
	return r, nil
}

// parseMntr returns the number of watches, those on children too.
func parseMntr(b []byte) (int, error) {
	known := false
	for line := range lines(b) {
		key, value, _ := strings.Cut(line, "\t")
		known = known || key == "zk_version"
		if key != "zk_watch_count" || !known {
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return 0, malformed("mntr: %s", shown(line))
		}
		return n, nil
	}
	return 0, malformed("mntr: no count of watches")
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

func parseConf(b []byte) (identity, error) {
	var r identity
	known, secure, plain := false, 0, 0
	for line := range lines(b) {
		key, value, _ := strings.Cut(line, "=")
		var err error
		switch key {
		case "serverId":
			r.id, err = strconv.Atoi(value)
			known = true
		case "clientPort":
			plain, err = strconv.Atoi(value)
			r.port = plain
		case "secureClientPort":
			secure, err = strconv.Atoi(value)
			r.ports = 1
		case "tickTime":
			r.tick, err = parseMilliseconds(value)
		}
		if err != nil {
			return identity{}, malformed("conf: %s", shown(line))
		}
	}
	if !known {
		return identity{}, malformed("conf: no serverId")
	}
	if plain > 0 && secure > 0 {
		r.ports = 2
	}
	return r.checked(), nil
}

// checked forgets what cannot be.
func (r identity) checked() identity {
	r.id = max(r.id, 0)
	if r.port < 0 || r.port > 1<<16-1 {
		r.port = 0
	}
	r.tick = max(r.tick, 0)
	return r
}

// parseCons reads the connections to one port of the server's.
func parseCons(b []byte) (clients, error) {
	if !closed(b) {
		return clients{}, malformed("cons: it is cut off")
	}
	var all []model.ServerConn
	for line := range lines(b) {
		c, err := parseCon(strings.TrimSpace(line))
		if err != nil {
			return clients{}, err
		}
		all = append(all, c)
	}
	return clients{conns: all}, nil
}

// parseCon reads "/127.0.0.1:33664[1](queued=0,recved=110,...)"; the number in
// brackets is the connection's interest in I/O.
func parseCon(line string) (model.ServerConn, error) {
	head, fields, ok := strings.Cut(line, "](")
	i := strings.LastIndexByte(head, '[')
	if !ok || i < 0 || !strings.Contains(head[:i], "/") || !strings.HasSuffix(fields, ")") {
		return model.ServerConn{}, malformed("cons: %s", shown(line))
	}
	c := model.ServerConn{Addr: clientAddr(head[:i])}
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
			return model.ServerConn{}, malformed("cons: %s", shown(field))
		}
	}
	return c, nil
}

// parseWchp reads paths, each with the sessions that watch it below.
func parseWchp(b []byte) ([]model.Watch, error) {
	if !closed(b) {
		return nil, malformed("wchp: it is cut off")
	}
	var all []model.Watch
	for line := range lines(b) {
		switch session, below := strings.CutPrefix(line, "\t"); {
		case below && len(all) > 0:
			id, err := parseSession(session)
			if err != nil {
				return nil, err
			}
			last := &all[len(all)-1]
			last.Sessions = append(last.Sessions, id)
		case line[0] == '/':
			all = append(all, model.Watch{Path: line})
		default:
			return nil, malformed("wchp: %s", shown(line))
		}
	}
	return all, nil
}

// parseWchc reads sessions, each with the paths that it watches below.
func parseWchc(b []byte) ([]model.Watch, error) {
	if !closed(b) {
		return nil, malformed("wchc: it is cut off")
	}
	var all byPath
	var session uint64
	known := false
	for line := range lines(b) {
		switch path, below := strings.CutPrefix(line, "\t"); {
		case below && known && path[0] == '/':
			all.add(path, session)
		case !below:
			id, err := parseSession(line)
			if err != nil {
				return nil, err
			}
			session, known = id, true
		default:
			return nil, malformed("wchc: %s", shown(line))
		}
	}
	return all.watches, nil
}

// parseDump reads the sessions by the time at which they expire, which only the
// ensemble's leader (or a server that is alone) has, and the ephemeral znodes
// by session. What is said of connections after that has no session before 3.5
// and is not needed.
func parseDump(b []byte) (dump, error) {
	if len(b) == 0 || b[len(b)-1] != '\n' {
		return dump{}, malformed("dump: it is cut off")
	}
	const (
		before = iota
		sessions
		ephemerals
	)
	var d dump
	var at deadlineLine
	var session uint64
	part, known, zone, zones := before, false, "", false
	for line := range lines(b) {
		rest, below := strings.CutPrefix(line, "\t")
		switch {
		case part == before:
			if line != "SessionTracker dump:" {
				return dump{}, malformed("dump: %s", shown(line))
			}
			part = sessions
		case line == "ephemeral nodes dump:":
			part, known = ephemerals, false
		case line == "Connections dump:" && part == ephemerals:
			return d.unless(zones), nil
		case part == sessions && below && known:
			id, err := parseSession(rest)
			if err != nil {
				return dump{}, err
			}
			d.deadlines = append(d.deadlines, model.Deadline{Session: id, At: at.since1970, Wall: true})
		case part == sessions && strings.Contains(line, " expire at "):
			var err error
			if at, err = parseDeadlineLine(line); err != nil {
				return dump{}, err
			}
			zones = zones || known && at.zone != zone
			zone, known = at.zone, true
		case part == sessions: // a heading, or a follower's list of timeouts
		case strings.HasPrefix(line, "Sessions with Ephemerals"):
		case below && known && strings.HasPrefix(rest, "/"):
			d.ephemerals = append(d.ephemerals, model.Ephemeral{Session: session, Path: rest})
		case !below:
			id, err := parseSession(strings.TrimSuffix(line, ":"))
			if err != nil {
				return dump{}, err
			}
			session, known = id, true
		default:
			return dump{}, malformed("dump: %s", shown(line))
		}
	}
	if part != ephemerals {
		return dump{}, malformed("dump: no ephemerals")
	}
	return d.unless(zones), nil
}

// unless forgets the deadlines if they are in several time zones, as around
// the end of summer time: what one line means for another is not known then.
func (d dump) unless(zones bool) dump {
	if zones {
		d.deadlines = nil
	}
	return d
}

type deadlineLine struct {
	since1970 time.Duration
	zone      string
}

// parseDeadlineLine reads "3 expire at Fri Nov 20 15:14:03 UTC 2026:", with the
// date as java.util.Date writes it. A zone that is no offset is taken for UTC;
// see the package's comment.
func parseDeadlineLine(line string) (deadlineLine, error) {
	_, date, _ := strings.Cut(line, " expire at ")
	f := strings.Fields(strings.TrimSuffix(date, ":"))
	if len(f) != 6 {
		return deadlineLine{}, malformed("dump: %s", shown(line))
	}
	t, err := time.Parse("Jan 2 15:04:05 2006", strings.Join([]string{f[1], f[2], f[3], f[5]}, " "))
	if err != nil || t.Year() < 1970 || t.Year() > 2199 {
		return deadlineLine{}, malformed("dump: %s", shown(line))
	}
	offset := time.Duration(0)
	for _, layout := range []string{"GMT-07:00", "-07:00", "-0700"} {
		if z, err := time.Parse(layout, f[4]); err == nil {
			_, seconds := z.Zone()
			offset = time.Duration(seconds) * time.Second
		}
	}
	return deadlineLine{since1970: t.Sub(time.Unix(0, 0)) - offset, zone: f[4]}, nil
}
