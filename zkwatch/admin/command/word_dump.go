package command

import (
	"strings"
	"time"

	"electop/model/session"
)

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
	var at deadlineLine
	var sessionID uint64
	part, known, zone, zones := before, false, "", false
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
			return d.inOneZone(!zones), nil
		case part == sessions && below && known:
			id, err := parseSession(rest)
			if err != nil {
				return Dump{}, err
			}
			d.Deadlines = append(d.Deadlines, session.Deadline{Session: id, At: at.since1970, Wall: true})
		case part == sessions && strings.Contains(line, " expire at "):
			var err error
			if at, err = parseDeadlineLine(line); err != nil {
				return Dump{}, err
			}
			zones = zones || known && at.zone != zone
			zone, known = at.zone, true
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
	return d.inOneZone(!zones), nil
}

// inOneZone drops the deadlines if they are in several time zones, as around
// the end of summer time: how far apart two lines are is not known then.
func (d Dump) inOneZone(one bool) Dump {
	if !one {
		d.Deadlines = nil
	}
	return d
}

type deadlineLine struct {
	since1970 time.Duration
	zone      string
}

// parseDeadlineLine reads "3 expire at Fri Nov 20 15:14:03 UTC 2026:", with the
// date as java.util.Date writes it. A zone that is not an offset is taken for
// UTC: its abbreviation may mean several zones. All lines of a reply are off by
// the same then.
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
