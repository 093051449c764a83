package command

import (
	"strconv"
	"strings"
	"time"

	"electop/model/session"
)

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
