package ui

import (
	"strings"

	"electop/model/doctor"
	"electop/model/znode"
)

// clientColumn is how wide the column with the addresses of candidates from
// elsewhere is, in a table of w cells; 0 for none. It takes the place of the
// session where both have no room, as who sits where is asked for more often.
func (d *dashboard) clientColumn(w int) int {
	s := d.shown()
	if !d.rows.guests {
		return 0
	}
	switch {
	case w >= 130:
		return 21
	case w >= 64 && len(s.Members) > 0:
		return 15
	}
	return 0
}

// hasGuests reports whether the address of a contender that is none of ours is
// known.
func hasGuests(s *doctor.State) bool {
	if s.Told == nil {
		return false
	}
	for _, c := range s.Queue {
		if conn, _, _ := s.Client(c); conn != nil && s.Member(c) == nil {
			return true
		}
	}
	return false
}

// clientOf is where r's client is, as its server says, in w cells; "" for our
// own, and where it is not known.
func (d *dashboard) clientOf(r row, w int) string {
	if r.member != nil {
		return ""
	}
	conn, _, _ := d.shown().Client(r.candidate)
	if conn == nil {
		return ""
	}
	addr := znode.Safe(strings.TrimPrefix(conn.Addr, "/"), 64)
	if i := strings.LastIndexByte(addr, ':'); i > 0 && width(addr) > w {
		addr = addr[:i] // the machine tells more than the port
	}
	return cut(addr, w)
}

// pointed is the sign before a row: mark where it is selected, else the pointer
// where the student of a lesson is to act on it.
func (d *dashboard) pointed(f *frame, r row, mark string) (style, string) {
	if r.member != nil && r.member.ID == d.pointedAt() && strings.TrimSpace(mark) == "" {
		return styleLead, f.th.glyph.Pointed
	}
	return styleStrong, mark
}
