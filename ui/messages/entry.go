package messages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/recipe"
	"electop/ui/rows"
	"electop/ui/wording"
)

// kind is what an entry of the ladder tells. What happens at the same time is in this
// order: a reply comes before the step that it allows, and that before the next request.
type kind int

const (
	missing kind = iota // messages that were not reported
	sent                // a reply, or a notification
	step                // of the recipe, taken by the candidate of the lane
	fault               // of the candidate of the lane
	request             // carried out by the server
	deleted             // a znode
	others              // messages of candidates that have no lane
)

// side is whose an entry is.
type side int

const (
	atServer side = iota
	left
	right
	elsewhere // a candidate that has no lane
)

// entry is a line of the ladder.
type entry struct {
	kind kind
	side side
	at   time.Time
	text string
	// Of a message that was sent: whether it is a notification, and why it did not
	// arrive, "" if nothing is known to have kept it.
	notifies bool
	lost     loss
	// n orders the messages of one moment, and is of others their number.
	n int
}

// loss is why a message did not arrive.
type loss string

const (
	arrived  loss = ""
	lostHere loss = "reply lost"
	cutOff   loss = "cut off" // its connection ended first
)

// before is how long before the first message its causes are: the deletion that a
// notification is of, the step that a request belongs to.
const before = 20 * time.Millisecond

// entries are what happened since the first message that is remembered, oldest first.
func entries(s *doctor.State, l, r *lane) []entry {
	whose := func(member string, session uint64) side {
		switch {
		case l.has(member, session):
			return left
		case r.has(member, session):
			return right
		}
		return elsewhere
	}
	var out []entry
	var began time.Time
	asked := func(m *model.Message, of side) {
		if began.IsZero() || m.Since.Before(began) {
			began = m.Since
		}
		if !wording.Notifies(m) {
			out = append(out, entry{kind: request, side: of, at: m.Since, text: asks(s, m), n: m.N})
		}
	}
	for i := range s.Exchanges {
		x := &s.Exchanges[i]
		of := whose(x.Member, x.Session)
		if x.Before > 0 {
			out = append(out, entry{kind: missing, at: x.Since, text: units.Count(x.Before, "message", "messages") + " not listed", n: x.N})
		}
		if x.Fast {
			out = append(out, entry{kind: missing, at: x.Since, text: "full speed until here: no messages", n: x.N})
		}
		asked(&x.Message, of)
		out = append(out, entry{kind: sent, side: of, at: x.Left, text: says(s, &x.Message), notifies: wording.Notifies(&x.Message), lost: lossOf(x), n: x.N})
	}
	if s.Pace != nil {
		for i := range s.Pace.Held {
			m := &s.Pace.Held[i]
			asked(m, whose(memberWith(s, m.Session), m.Session))
		}
	}
	if began.IsZero() {
		return nil
	}
	began = began.Add(-before)
	for i := range s.Steps {
		x := &s.Steps[i]
		if of := whose(x.Member, 0); of != elsewhere && !x.At.Before(began) {
			words := strings.TrimPrefix(recipe.StepWords(*x), znode.Safe(x.Name, rows.NameMax)+": ")
			out = append(out, entry{kind: step, side: of, at: x.At, text: words, n: int(x.N)})
		}
	}
	for _, w := range s.Wakes {
		if !w.Deleted.Before(began) {
			text := wording.ShortZnode(znode.Base(w.Znode))
			if c := w.Candidate; c != nil && len(c.Data.Bytes) > 0 {
				text += " of " + znode.Safe(c.Label(), 24)
			}
			out = append(out, entry{kind: deleted, at: w.Deleted, text: text + " deleted"})
		}
	}
	for _, of := range []struct {
		side
		*lane
	}{{left, l}, {right, r}} {
		if m := of.row.Member; m != nil && m.Fault != model.NoFault && !m.FaultAt.IsZero() {
			out = append(out, entry{kind: fault, side: of.side, at: m.FaultAt, text: znode.Safe(string(m.Fault), rows.NameMax)})
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.kind, b.kind), cmp.Compare(a.n, b.n))
	})
	return joined(out)
}

// joined makes one entry of messages in a row of candidates that have no lane.
func joined(all []entry) []entry {
	out := all[:0]
	for _, e := range all {
		if e.side == elsewhere {
			e = entry{kind: others, at: e.at, n: 1}
			if last := len(out) - 1; last >= 0 && out[last].kind == others {
				out[last].n++
				continue
			}
		}
		out = append(out, e)
	}
	for i := range out {
		if e := &out[i]; e.kind == others {
			e.text = units.Count(e.n, "message of another", "messages of others")
		}
	}
	return out
}

func lossOf(x *model.Exchange) loss {
	switch {
	case x.Dropped:
		return cutOff
	case x.Lost:
		return lostHere
	case x.Fault != model.NoFault:
		return loss(znode.Safe(string(x.Fault), rows.NameMax))
	}
	return arrived
}

// asks is a request, without what only its reply says.
func asks(s *doctor.State, m *model.Message) string {
	op := znode.Safe(m.Op, 16)
	name := znode.Base(m.Path)
	_, numbered := znode.Sequence(name)
	switch {
	case m.Path == "", m.Op == "getChildren", m.Op == "closeSession":
		return op
	case m.Path == s.Ack.Path:
		return op + " ack"
	case m.Op == "create" && numbered:
		return op + " n_"
	}
	return op + " " + wording.ShortZnode(name)
}

// says is a reply or a notification.
func says(s *doctor.State, m *model.Message) string {
	name := znode.Base(m.Path)
	_, numbered := znode.Sequence(name)
	switch {
	case wording.Notifies(m):
		return wording.News(s, m)
	case m.Err != "":
		return znode.Safe(m.Err, 24)
	case m.Op == "getChildren":
		return "C"
	case m.Op == "create" && numbered:
		return wording.ShortZnode(name)
	case m.Op == "getData":
		return "data"
	}
	return "ok"
}

// memberWith is the ID of our member that has the session, "" for none.
func memberWith(s *doctor.State, session uint64) string {
	if m := s.MemberWith(session); m != nil {
		return m.ID
	}
	return ""
}

// heldFor is a held message with its client's name.
func heldFor(s *doctor.State, m *model.Message) string {
	name := "session " + wording.ShortSession(m.Session)
	if x := s.MemberWith(m.Session); x != nil {
		name = znode.Safe(x.Name, 16)
	}
	return name + ": " + waits(s, m)
}

// waits is a held message: what a reply says is not known yet.
func waits(s *doctor.State, m *model.Message) string {
	if wording.Notifies(m) {
		return wording.News(s, m)
	}
	return "reply to " + znode.Safe(m.Op, 16)
}

// more counts what is held besides what is shown.
func more(n int) string { return "and " + strconv.Itoa(n) + " more held" }
