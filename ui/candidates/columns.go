package candidates

import (
	"strconv"

	"electop/ui/term"
	"electop/ui/wording"
)

// columns are the widths of the candidates table. Each column but the first
// has two blanks before it.
type columns struct {
	seq, name, session, client, age, watches int
}

// gutter is the marker, the sign and the herd's bus.
const gutter = 5

// before is where the names start.
func (c columns) before() int { return gutter + c.seq + 2 }

// start is where the watches start.
func (c columns) start() int {
	x := c.before() + c.name + 2 + c.age + 2
	if c.session > 0 {
		x += 2 + c.session
	}
	if c.client > 0 {
		x += 2 + c.client
	}
	return x
}

func (v *Panel) columnsFor(w int) columns {
	s := v.State
	c := columns{seq: 3, age: 7}
	if n := s.Queue.Len(); n > 0 {
		var room [20]byte
		for _, i := range [2]int{0, n - 1} {
			c.seq = max(c.seq, len(strconv.AppendInt(room[:0], s.Queue.At(i).Sequence, 10)))
		}
	}
	switch {
	case w >= 110:
		c.session = 18
	case w >= 64:
		c.session = 7
	}
	if c.client = v.clientColumn(w); c.client > 0 && w < 110 {
		c.session = 0
	}
	rest := w - c.before() - 2 - c.age - 2 - 1
	if c.session > 0 {
		rest -= c.session + 2
	}
	if c.client > 0 {
		rest -= c.client + 2
	}
	c.name = min(max(10, rest*2/5), 40)
	c.watches = rest - c.name
	return c
}

func (v *Panel) drawColumnHeads(a term.Area, c columns) {
	who := "candidate"
	if wording.Registry(v.State) {
		who = "member"
	}
	p := a.Pen(0).Gap(gutter).Right(c.seq, term.Muted, "seq").Gap(2).Fit(c.name, term.Muted, who)
	if c.session > 0 {
		p.Gap(2).Fit(c.session, term.Muted, "session")
	}
	if c.client > 0 {
		p.Gap(2).Fit(c.client, term.Muted, "client")
	}
	p.Gap(2).Right(c.age, term.Muted, "age").Gap(2).Fit(c.watches, term.Muted, "watches")
}
