package ui

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// pace makes the embedded server speak more slowly, or faster.
func (d *dashboard) pace(arg string) tea.Cmd {
	a := Action{Kind: Slow, Election: d.shown().Path, Arg: arg}
	return d.try(a, d.refuses(a), row{})
}

// slowed says how slowly the server speaks, "" where it does not hold back.
func slowed(s *doctor.State) string {
	switch p := s.Pace; {
	case p == nil:
		return ""
	case p.Steps:
		return "step by step"
	case p.Delay > 0:
		return "slow " + units.Exact(p.Delay)
	}
	return ""
}

// waitingHeld is how many messages the server holds, and what the next one is:
// "the reply to birch, getChildren".
func waitingHeld(s *doctor.State) (n int, next string) {
	p := s.Pace
	if p == nil {
		return 0, ""
	}
	if len(p.Held) > 0 {
		next = addressed(s, &p.Held[0])
	}
	return max(p.Waiting, len(p.Held)), next
}

// addressed says what a held message is, and to whom it goes.
func addressed(s *doctor.State, m *model.Message) string {
	to := " to " + whose(s, m.Session) + ", "
	if !notifies(m) {
		text := "the reply" + to + znode.Safe(m.Op, 24)
		if m.Err != "" {
			text += ": " + znode.Safe(m.Err, 40)
		}
		return text
	}
	return "the notification" + to + news(s, m)
}

// told is what a notification says: "n_12 deleted".
func news(s *doctor.State, m *model.Message) string {
	what := znode.Safe(znode.Base(m.Path), 24)
	if n, ok := znode.Sequence(znode.Base(m.Path)); ok && m.Path != s.Path {
		what = "n_" + strconv.FormatInt(n, 10)
	}
	return what + " " + znode.Safe(m.Event, 12)
}

// notifies tells a notification from a reply.
func notifies(m *model.Message) bool { return m.Op == "notification" }

// whose names the owner of a session as people know it.
func whose(s *doctor.State, session uint64) string {
	for _, m := range s.Members {
		if m.Session == session && session != 0 {
			return znode.Safe(m.Name, nameMax)
		}
	}
	for _, c := range s.Queue {
		if c.Session == session && session != 0 {
			return c.Label()
		}
	}
	return "session " + shortSession(session)
}

// paceSpans is for a panel's title: the pace, and what is held.
func (d *dashboard) paceSpans() []span {
	s := d.shown()
	words := slowed(s)
	if words == "" {
		return nil
	}
	n, _ := waitingHeld(s)
	if n == 0 {
		return []span{{styleYou, words + "   ", 9}}
	}
	return []span{{styleYou, words, 9}, {styleYou, ", " + strconv.Itoa(n) + " held   ", 8}}
}

// paceLine is what the key that lets one message go would do, "" where nothing
// is held back one by one.
func (d *dashboard) paceLine() string {
	s := d.shown()
	if s.Pace == nil || !s.Pace.Steps {
		return ""
	}
	n, next := waitingHeld(s)
	if n == 0 {
		return "nothing is held: . skips a wait"
	}
	if next == "" {
		return strconv.Itoa(n) + " held"
	}
	return strconv.Itoa(n) + " held: next (.) is " + next
}

// onTheWay is how many notifications of a znode to others than its owner are
// held, as far as known.
func onTheWay(s *doctor.State, node *dialect.Candidate) int {
	n := 0
	if s.Pace != nil {
		for i := range s.Pace.Held {
			if m := &s.Pace.Held[i]; notifies(m) && m.Event == "deleted" && znode.Base(m.Path) == node.Name && m.Session != node.Session {
				n++
			}
		}
	}
	return n
}

// drawHeld says in its row which message a candidate waits for.
func (d *dashboard) drawHeld(p *pen, session uint64) {
	m := d.rows.held[session]
	if m == nil || session == 0 {
		return
	}
	st, words := styleMuted, "held: "+znode.Safe(m.Op, 24)
	if notifies(m) {
		words = "held: " + news(d.shown(), m)
	}
	if p := d.rows.state.Pace; p.Steps && m == &p.Held[0] {
		st = styleYou
	}
	if width(words)+3 <= p.room() {
		p.gap(2).text(st, words)
	}
}

// heldFor is the first message that is held for each session.
func heldFor(s *doctor.State) map[uint64]*model.Message {
	if s.Pace == nil || len(s.Pace.Held) == 0 {
		return nil
	}
	out := make(map[uint64]*model.Message, len(s.Pace.Held))
	for i := range s.Pace.Held {
		m := &s.Pace.Held[i]
		if out[m.Session] == nil {
			out[m.Session] = m
		}
	}
	return out
}
