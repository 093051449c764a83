// Package messages draws the messages between the embedded server and its clients. The server
// reports messages while it is slowed. The panel is a sequence diagram, called ladder: time goes down,
// and the server's lifeline is between the candidates' lifelines.
//
// An arrow to the server is a request that the server carried out. An arrow from the server is a
// reply or a notification. If a message did not arrive when it was sent, the reason
// replaces the arrow's head. Held messages are below the arrows.
package messages

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/leadership"
	"electop/ui/term"
	"electop/ui/wording"
)

// Panel is the panel of messages, with its scroll position.
type Panel struct {
	Shown
	place   term.Rect
	lanes   []lane // from left to right
	entries []entry
	held    int // lines for held messages, or for a line about the pace
	page    int // lines for entries
	back    int // entries below the ones in view
}

// Shown has what the panel shows.
type Shown struct {
	State    *doctor.State
	Focused  bool
	Selected model.Row // this candidate has a lane; the zero row stands for the first candidate
}

// Settle sets what to show and where.
func (v *Panel) Settle(x Shown, r term.Rect) {
	if x.State != v.State || x.Selected != v.Selected || r.W != v.place.W { // otherwise the entries are the same
		v.lanes = lanes(x.State, x.Selected, max(2, min(4, (r.Inner().W-2-stampRoom)/laneRoom)))
		v.entries = entries(x.State, v.lanes)
	}
	v.Shown, v.place = x, r
	inside := r.Inner().H - headLines
	v.held = 1 // for a line about the pace
	if p := x.State.Pace; p != nil && len(p.Held) > 0 {
		v.held = max(1, min(len(p.Held)+1, inside/3))
	}
	v.page = max(1, inside-v.held)
	v.back = min(v.back, v.most())
}

func (v *Panel) most() int { return max(0, len(v.entries)-v.page) }

// Move scrolls the entries.
func (v *Panel) Move(do input.Command) {
	v.back = v.most() - input.Moved(do, v.most()-v.back, v.most(), v.page)
}

func (v *Panel) inView() []entry {
	end := len(v.entries) - v.back
	return v.entries[max(0, end-v.page):end]
}

// lane is a column for the messages of one candidate. The zero lane has no candidate.
type lane struct {
	row     model.Row
	member  string // [model.Member.ID], "" for a third-party candidate
	session uint64
}

func laneOf(r model.Row) lane {
	l := lane{row: r}
	if r.Candidate != nil {
		l.session = r.Candidate.Session
	}
	if r.Member != nil {
		l.member = r.Member.ID
		if l.session == 0 {
			l.session = r.Member.Session
		}
	}
	return l
}

func (l *lane) has(member string, session uint64) bool {
	return l.member != "" && member == l.member || l.session != 0 && session == l.session
}

func (l *lane) style() term.Style {
	m := l.row.Member
	switch {
	case m != nil && m.Fault != model.NoFault, l.row.Candidate == nil:
		return term.Trouble
	case l.row.Position == 0:
		return term.Lead
	}
	return term.Strong
}

// lanes returns the lane of the selected candidate and at most n-1 others.
func lanes(s *doctor.State, selected model.Row, n int) []lane {
	if selected.Ref() == (model.Ref{}) {
		selected = at(s, 0).row
	}
	own, other := laneOf(selected), partner(s, selected)
	if other == (lane{}) || !other.hasMessages(s) {
		if l := newest(s, &own); l != (lane{}) {
			other = l
		}
	}
	all := []lane{own, other}
	for _, silent := range []bool{false, true} {
		for i := 0; i < min(s.Queue.Len(), candidateMax) && len(all) < n; i++ {
			l := at(s, i)
			if !slices.ContainsFunc(all, func(x lane) bool { return x.has(l.member, l.session) }) && (silent || l.hasMessages(s)) {
				all = append(all, l)
			}
		}
	}
	place := func(l lane) int {
		if l.row.Candidate == nil {
			return s.Queue.Len()
		}
		return l.row.Position
	}
	slices.SortStableFunc(all, func(a, b lane) int { return cmp.Compare(place(a), place(b)) })
	return all
}

func partner(s *doctor.State, r model.Row) lane {
	i := r.Position
	if r.Candidate == nil || i < 0 || i >= s.Queue.Len() {
		return at(s, 0)
	}
	for j := i + 1; j < s.Queue.Len() && j <= i+candidateMax; j++ {
		if to, ok := s.Recipe.Watches(s.Queue, j); ok && to == i {
			return at(s, j)
		}
	}
	if to, ok := s.Recipe.Watches(s.Queue, i); ok && to != i {
		return at(s, to)
	}
	return lane{}
}

func receivers(s *doctor.State) iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		if s.Pace != nil {
			for _, m := range slices.Backward(s.Pace.Held) {
				if !yield(memberWith(s, m.Session), m.Session) {
					return
				}
			}
		}
		for _, x := range slices.Backward(s.Exchanges) {
			if !yield(x.Member, x.Session) {
				return
			}
		}
	}
}

func (l *lane) hasMessages(s *doctor.State) bool {
	for member, session := range receivers(s) {
		if l.has(member, session) {
			return true
		}
	}
	return false
}

func newest(s *doctor.State, but *lane) lane {
	for member, session := range receivers(s) {
		if but.has(member, session) {
			continue
		}
		for i, c := range s.Queue.All() {
			if c.Session == session && session != 0 {
				return at(s, i)
			}
		}
		for _, m := range s.WithoutZnode() {
			if m.ID == member || m.Session == session && session != 0 {
				return laneOf(model.Row{Member: m, Position: -1})
			}
		}
	}
	return lane{}
}

const candidateMax = 100 // bounds a search for candidates; a reader can be far behind the writer that it watches

func at(s *doctor.State, i int) lane {
	if i < 0 || i >= s.Queue.Len() {
		return lane{}
	}
	return laneOf(model.Row{Candidate: s.Queue.At(i), Member: s.Member(s.Queue.At(i)), Position: i})
}

func (l *lane) name() string { return znode.Safe(l.row.Name(), znode.NameMax) }

// kind is the kind of an entry. The function entries sorts entries of the same time by kind.
type kind int

const (
	missing kind = iota // a gap in the messages
	sent                // a reply or a notification: the server sent it, or dropped it when the connection ended
	step                // a step of the recipe, taken by the candidate of the lane
	fault               // a fault of the candidate of the lane
	request             // a request that the server carried out
	deleted
	others // messages of clients that have no lane
)

// side is the index of a lane, or one of the constants below.
type side int

const (
	elsewhere side = -1 // a client that has no lane
	atServer  side = -2
)

func sideOf(all []lane, member string, session uint64) side {
	return side(slices.IndexFunc(all, func(l lane) bool { return l.has(member, session) }))
}

type entry struct {
	kind kind
	side side
	at   time.Time
	text string

	notifies bool // for kind sent: the message is a notification
	lost     loss
	n        int // order among entries of this kind and time; for kind others: number of messages
}

// loss is the reason why a message did not arrive when it was sent: a constant below, or a [model.Fault].
type loss string

const (
	arrived   loss = "" // no loss is known
	replyLost loss = "reply lost"
	cutOff    loss = "cut off" // the connection ended before the message was sent
)

const before = 20 * time.Millisecond // steps and deletions are shown from this long before the first message

// entries returns the entries in the order of their times. Without messages it returns nil.
func entries(s *doctor.State, lanes []lane) []entry {
	var out []entry
	var began time.Time
	addRequest := func(m *model.Message, of side) {
		if began.IsZero() || m.Since.Before(began) {
			began = m.Since
		}
		if !wording.Notifies(m) {
			out = append(out, entry{kind: request, side: of, at: m.Since, text: requestText(s, m), n: m.N})
		}
	}
	for i := range s.Exchanges {
		x := &s.Exchanges[i]
		of := sideOf(lanes, x.Member, x.Session)
		if x.Before > 0 {
			out = append(out, entry{kind: missing, side: atServer, at: x.Since, text: units.Count(x.Before, "message", "messages") + " not listed", n: x.N})
		}
		if x.Fast {
			out = append(out, entry{kind: missing, side: atServer, at: x.Since, text: "full speed until here: not listed", n: x.N})
		}
		addRequest(&x.Message, of)
		out = append(out, entry{
			kind: sent, side: of, at: x.Left, text: sentText(s, &x.Message), notifies: wording.Notifies(&x.Message), lost: lossOf(x), n: x.N,
		})
	}
	if s.Pace != nil {
		for i := range s.Pace.Held {
			m := &s.Pace.Held[i]
			addRequest(m, sideOf(lanes, memberWith(s, m.Session), m.Session))
		}
	}
	if began.IsZero() {
		return nil
	}
	began = began.Add(-before)
	for i := range s.Steps {
		x := &s.Steps[i]
		if of := sideOf(lanes, x.Member, 0); of != elsewhere && !x.At.Before(began) {
			words := strings.TrimPrefix(leadership.StepWords(s, *x), znode.Safe(x.Name, znode.NameMax)+": ")
			out = append(out, entry{kind: step, side: of, at: x.At, text: words, n: int(x.N)})
		}
	}
	for _, w := range s.Deletions {
		if !w.Deleted.Before(began) {
			text := wording.ShortZnode(znode.Base(w.Znode))
			if c := w.Candidate; c != nil && len(c.Data.Bytes) > 0 {
				text += " of " + znode.Safe(c.Label(), 24)
			}
			out = append(out, entry{kind: deleted, side: atServer, at: w.Deleted, text: text + " deleted"})
		}
	}
	for i, of := range lanes {
		if m := of.row.Member; m != nil && m.Fault != model.NoFault && !m.FaultAt.IsZero() {
			out = append(out, entry{kind: fault, side: side(i), at: m.FaultAt, text: znode.Safe(string(m.Fault), znode.NameMax)})
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.kind, b.kind), cmp.Compare(a.n, b.n))
	})
	return mergeOthers(out)
}

func mergeOthers(all []entry) []entry {
	out := all[:0]
	for _, e := range all {
		if e.side == elsewhere {
			e = entry{kind: others, side: atServer, at: e.at, n: 1}
			if last := len(out) - 1; last >= 0 && out[last].kind == others {
				out[last].n++
				continue
			}
		}
		out = append(out, e)
	}
	for i := range out {
		if e := &out[i]; e.kind == others {
			e.text = units.Count(e.n, "message of another client", "messages of other clients")
		}
	}
	return out
}

func lossOf(x *model.Exchange) loss {
	switch {
	case x.Dropped:
		return cutOff
	case x.Lost:
		return replyLost
	case x.Fault != model.NoFault:
		return loss(znode.Safe(string(x.Fault), znode.NameMax))
	}
	return arrived
}

func requestText(s *doctor.State, m *model.Message) string {
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

func sentText(s *doctor.State, m *model.Message) string {
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

func memberWith(s *doctor.State, session uint64) string {
	if m := s.MemberWith(session); m != nil {
		return m.ID
	}
	return ""
}

func heldText(s *doctor.State, m *model.Message, named bool) string {
	text := "reply to " + znode.Safe(m.Op, 16)
	if wording.Notifies(m) {
		text = wording.News(s, m)
	}
	if !named {
		return text
	}
	name := "session " + wording.ShortSession(m.Session)
	if x := s.MemberWith(m.Session); x != nil {
		name = znode.Safe(x.Name, 16)
	}
	return name + ": " + text
}
