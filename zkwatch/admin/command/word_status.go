package command

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
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
