package model

import (
	"cmp"
	"slices"
	"time"

	"electop/model/znode"
)

// Baseline returns observations that bring a new journal to what s shows of the
// election now, for a recording that begins in the middle. What happened before
// (handoffs, reigns, totals) is not in it; since when a child was seen is the
// time of the last read. watched is when the servers were last asked for watches,
// zero for never. Since when sessions are silent is not in it.
//
// Time travel takes [Journal.Clone] instead, which has all of it. A clone as text
// would be twenty times as long as a baseline (1.2 MB for 50 candidates after half
// an hour), and its 48 types a file format; and after a baseline in the middle the
// handoffs before it are gone.
func (s *State) Baseline(watched, watchedEnd time.Time) []Observation {
	b := &baseline{State: s, watched: watched, watchedEnd: watchedEnd}
	if !s.DownSince.IsZero() {
		// Its details are no longer known, only that there was a connection.
		b.add(&Connection{At: s.DownSince, Link: Connected, Server: s.Link.Server, Session: s.Link.Session})
	} else {
		b.link()
	}
	b.naming()
	if s.Follow != nil {
		b.add(s.Follow)
	}
	b.children()
	b.wakes()
	b.ack()
	for _, d := range s.Directories {
		b.add(d)
	}
	b.members()
	if s.Work.Rules != (Rules{}) {
		rules := s.Work.Rules
		b.add(&rules)
	}
	for _, t := range s.Work.Last { // which say where the counter and the tokens are
		b.add(t.Write)
	}
	if s.Pace != nil {
		b.add(s.Pace)
	}
	b.dues()
	b.tables()
	if s.Phase == Forbidden {
		b.add(&Read{At: s.At, Presence: Denied})
	}
	if !s.DownSince.IsZero() {
		b.add(&Connection{At: s.DownSince, Link: Disconnected, Server: s.Link.Server, Session: s.Link.Session})
		b.link()
	}
	if !s.At.IsZero() {
		b.add(&Advance{At: s.At})
	}
	return b.out
}

type baseline struct {
	*State
	watched, watchedEnd time.Time
	out                 []Observation
}

func (b *baseline) add(o Observation) { b.out = append(b.out, o) }

func (b *baseline) link() {
	link := b.Link
	if !link.At.IsZero() { // zero: nothing is known of it yet
		b.add(&link)
	}
}

// naming adds which system's election it is, and the recipe unless it is the
// dialect's own.
func (b *baseline) naming() {
	at := b.At
	switch {
	case b.Dialect == nil:
		b.add(&Switch{At: at, Recipe: b.Recipe.Name(), Dialect: noDialect})
	case b.Dialect.Recipe == b.Recipe:
		b.add(&Switch{At: at, Dialect: b.Dialect.ID})
	default:
		b.add(&Switch{At: at, Recipe: b.Recipe.Name(), Dialect: b.Dialect.ID})
	}
}

// children adds one read that shows all children.
func (b *baseline) children() {
	if b.ReadAt.IsZero() {
		return
	}
	r := &Read{At: b.ReadAt, Sent: b.listSent, Presence: Present, Parent: b.Parent, Full: true}
	for _, c := range b.Queue.All() {
		r.New = append(r.New, c.Znode)
	}
	for _, c := range b.Ignored {
		r.New = append(r.New, c.Znode)
	}
	switch {
	case b.Single:
		r.Full, r.Parent, r.Single = false, znode.Parent{}, true
		if len(r.New) == 0 {
			r.Presence = Absent
		}
	case !b.ParentRead:
		r.Presence, r.Full = Absent, false
	}
	b.add(r)
}

// wakes adds the deletions that no read shows yet, and those whose numbers are not
// final.
func (b *baseline) wakes() {
	for _, w := range b.Wakes {
		if !w.Settled || w.Zxid > b.Parent.Pzxid {
			b.add(&w.Wake)
		}
	}
}

func (b *baseline) ack() {
	for i := range b.acks {
		z := &b.acks[i]
		if z.At.IsZero() {
			continue
		}
		a := &Ack{At: z.At, Sent: z.sent, Path: z.Path, Presence: z.Presence, Session: z.Session, Data: z.Data}
		if z.Znode != "" && !z.ByData {
			a.Data = znode.NewData(AckData(z.Znode, z.Fence))
		}
		b.add(a)
	}
}

// members adds the former members first: their znodes may still exist.
func (b *baseline) members() {
	present := make(map[*Member]bool, len(b.Members))
	for _, m := range b.Members {
		present[m] = true
	}
	var gone []*Member
	for _, m := range b.bySession {
		if !present[m] {
			gone = append(gone, m)
		}
	}
	slices.SortFunc(gone, func(x, y *Member) int { return cmp.Compare(x.Session, y.Session) })
	for _, m := range gone {
		b.add(&Cast{At: b.At, Member: *m})
		b.add(&Cast{At: b.At, Member: *m, Gone: true})
	}
	for _, m := range b.Members {
		b.add(&Cast{At: b.At, Member: *m})
	}
}

// dues adds the deadlines of sessions, each with its time.
func (b *baseline) dues() {
	var all []Due
	for _, d := range b.Dues {
		all = append(all, d)
	}
	slices.SortFunc(all, func(x, y Due) int { return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Session, y.Session)) })
	for i, d := range all {
		if last := len(b.out) - 1; i > 0 && d.At.Equal(all[i-1].At) {
			o := b.out[last].(*Deadlines)
			o.Sessions = append(o.Sessions, d.Deadline)
			continue
		}
		b.add(&Deadlines{At: d.At, Sessions: []Deadline{d.Deadline}})
	}
}

// tables adds the last table, and before it one with the answers that the last did
// not ask for, at the time when the servers were asked for watches.
func (b *baseline) tables() {
	if b.Table == nil {
		return
	}
	for i := range b.Answers.Servers {
		told, last := &b.Answers.Servers[i], b.Table.Server(b.Answers.Servers[i].Addr)
		if last == nil || last.Basic.State == told.Basic.State && last.Connections.State == told.Connections.State &&
			last.Sessions.State == told.Sessions.State && last.Watches.State == told.Watches.State {
			continue
		}
		before := *b.Answers
		if !b.watched.IsZero() {
			before.At, before.End = b.watched, b.watchedEnd
		}
		b.add(&before)
		break
	}
	b.add(b.Table)
}

// endBaseline ends an observation of a baseline. What it showed is no event, and
// nothing that happened while it was put together counts.
func (j *Journal) endBaseline() {
	j.baseline--
	j.events.release(nil, nil)
	j.events.restart(j.cfg.Events)
	if j.baseline > 0 {
		return
	}
	j.past.forget()
	j.ack.since = timeBounds{} // no handoff is left to be acknowledged
	j.totals.Totals, j.link.reconnects = Totals{}, 0
	j.steps, j.wakes.last, j.wakes.kept, j.waves, j.exchanges = nil, nil, nil, waves{}, exchanges{}
	j.lanes.forget(j.at)
	j.work.Counter, j.work.Tokens, j.work.Last = Tries{}, Tries{}, nil
	j.tenure.Properties = Properties{Believers: j.tenure.Believers, VacantSince: j.tenure.VacantSince}
}
