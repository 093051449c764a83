package candidates

import (
	"strings"

	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
)

// clientColumn is how wide the column with the addresses of candidates from
// elsewhere is, in a table of w cells; 0 for none. It takes the place of the
// session where both have no room, as who sits where is asked for more often.
func (v *Panel) clientColumn(w int) int {
	if !v.Rows.Guests {
		return 0
	}
	switch {
	case w >= 130:
		return 21
	case w >= 64:
		return 15
	}
	return 0
}

// clientOf is where r's client is, or was last, as its server says, in w cells; "" for our
// own, and where it is not known.
func (v *Panel) clientOf(r rows.Row, w int) string {
	if r.Member != nil {
		return ""
	}
	x, listed := v.State.Client(r.Candidate)
	if x.Conn == nil {
		return ""
	}
	addr := znode.Safe(strings.TrimPrefix(x.Conn.Addr, "/"), 64)
	was := ""
	if !listed {
		was = "was "
	}
	if i := strings.LastIndexByte(addr, ':'); i > 0 && term.Width(was+addr) > w {
		addr = addr[:i] // the machine tells more than the port
	}
	return term.Cut(was+addr, w)
}
