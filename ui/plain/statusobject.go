package plain

import (
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// status is the object that `electop status --json` prints.
type status struct {
	Format       int         `json:"format"`
	Path         string      `json:"path"`
	System       *string     `json:"system"`
	Server       *string     `json:"server"`
	ObservedAt   *string     `json:"observed_at"`
	Parent       *parent     `json:"parent"`
	NextSequence *uint32     `json:"next_sequence"`
	Leader       *string     `json:"leader"`
	Ack          *string     `json:"ack"` // the acknowledgement znode, if it exists
	Candidates   []candidate `json:"candidates"`
	Ignored      []string    `json:"ignored"`
	Kind         string      `json:"kind"`    // election, lock, registry or unknown
	First        *queued     `json:"first"`   // who is first in the queue and does not lead, and why
	Members      []string    `json:"members"` // of a group, in which there are no candidates
	Leaderless   *leaderless `json:"leaderless"`
	Standbys     []string    `json:"standbys"` // who could take over and stands in no queue; null: not visible
	SystemEpoch  *string     `json:"system_epoch"`
	LeaderState  *string     `json:"leader_state"` // how far it leads
	Findings     []finding   `json:"findings"`
	LeaderSince  *[2]*string `json:"leader_since"` // the bounds of when it became the first
	Watchers     *watchers   `json:"leader_watchers"`
	// What the znodes beside the election say, where its system has such znodes.
	Programs []dialect.Program `json:"programs,omitempty"`
	LedLast  *model.LedLast    `json:"led_last,omitempty"`
	Backlog  *model.Backlog    `json:"backlog,omitempty"`
}

// watchers are the sessions that watch the leader's znode; the numbers are null where
// that is not known.
type watchers struct {
	Total      *int    `json:"total"`
	Candidates *int    `json:"candidates"`
	Others     *int    `json:"others"`
	Why        *string `json:"why"` // the numbers are not known, or may be larger
}

// watchersOf returns nil where there is no candidate.
func watchersOf(s *doctor.State) *watchers {
	w := s.LeaderWatchers()
	switch {
	case s.First() == nil:
		return nil
	case w == nil:
		return &watchers{Why: text(s.WatchersUnknown())}
	}
	total, others := w.Total(), len(w.Others)
	return &watchers{&total, &w.Candidates, &others, text(w.Why)}
}

type parent struct {
	Czxid    string `json:"czxid"`
	Cversion int32  `json:"cversion"`
	Children int32  `json:"children"`
}

type candidate struct {
	Znode string `json:"znode"`
	seq
	Session *string `json:"session"`
	Name    *string `json:"name"` // who it is, as far as its system's naming shows
	data
	Czxid      *string  `json:"czxid"`
	CreatedAt  *string  `json:"created_at"`
	Address    *string  `json:"address"` // host:port of the client
	Server     *string  `json:"server"`  // the member that it is connected to
	Role       string   `json:"role"`    // leader or waiting
	Watches    *string  `json:"watches"`
	WatchState string   `json:"watch_state"` // unknown: inferred from the recipe
	Watched    []string `json:"watched"`     // what the servers say it watches
	ExpiresMS  *float64 `json:"expires_within_ms"`
	Epoch      *int64   `json:"ensemble_epoch,omitempty"`
	Connected  *bool    `json:"connected"`          // false: address and server are the last known
	TimeoutMS  *float64 `json:"session_timeout_ms"` // null: no server listed its connection
	HeardMS    *float64 `json:"heard_within_ms"`    // null: no server said when its session expires
	SilentMS   *float64 `json:"silent_ms"`          // at least; null: it is not at risk
	Risk       *string  `json:"risk"`               // why it is at risk; null: it is not
}

// Status returns the status object of a state.
func Status(s *doctor.State) any { return statusOf(s) }

func statusOf(s *doctor.State) status {
	out := status{
		Format:      Format,
		Path:        s.Path,
		LeaderState: text(string(s.Lead())),
		System:      text(System(s)),
		Server:      text(s.Link.Server),
		ObservedAt:  known(s.At),
		Kind:        string(s.Dialect.Kind()),
		First:       firstOf(s),
		Leaderless:  leaderlessOf(s), Standbys: standbysOf(s), SystemEpoch: text(s.Epoch()), Watchers: watchersOf(s),
		Programs: s.Standbys().Programs, LedLast: s.LedLast(), Backlog: s.Backlog(),
		Candidates: make([]candidate, 0, s.Queue.Len()),
		Members:    []string{},
		Ignored:    make([]string, 0, len(s.Ignored)),
		Findings:   findingsOf(s.Findings),
	}
	if s.Phase == model.Live && s.Parent.Czxid != 0 { // an election that is a single znode has no parent
		out.Parent = &parent{znode.Hex(uint64(s.Parent.Czxid)), s.Parent.Cversion, s.Parent.Children}
	}
	if s.NextSequenceKnown {
		out.NextSequence = &s.NextSequence
	}
	if s.Ack.Presence == model.Present || s.Ack.Presence == model.Denied {
		out.Ack = text(s.Ack.Path)
	}
	holders := s.Holders()
	for i, c := range s.Queue.All() {
		if isGroup(s) {
			out.Members = append(out.Members, znode.Join(s.Path, c.Name))
			continue
		}
		out.Candidates = append(out.Candidates, candidateOf(s, i, holders))
	}
	if l := s.Leader(); l != nil {
		out.Leader = text(znode.Join(s.Path, l.Name))
		if r, ok := s.Reign(); ok {
			out.LeaderSince = &[2]*string{known(r.Earliest), known(r.Latest)}
		}
	}
	for _, c := range s.Ignored {
		out.Ignored = append(out.Ignored, znode.Join(s.Path, c.Name))
	}
	return out
}

func candidateOf(s *doctor.State, i, holders int) candidate {
	c := s.Queue.At(i)
	e := candidate{
		Znode:      znode.Join(s.Path, c.Name),
		seq:        sequence(c),
		Session:    sessionID(c),
		Name:       name(c),
		data:       content(c.Data, c.Unread),
		CreatedAt:  known(c.Ctime),
		Role:       "waiting",
		WatchState: string(doctor.Unverified),
		Watched:    []string{},
	}
	e.place(s, c, i)
	if !c.Unread {
		e.Czxid = text(znode.Hex(uint64(c.Czxid)))
	}
	if i < holders {
		e.Role = "leader"
	}
	if w, ok := s.Recipe.Watches(s.Queue, i); ok {
		e.Watches = text(znode.Join(s.Path, s.Queue.At(w).Name))
	}
	return e
}

// place fills in what the servers report about the contender at position i.
func (e *candidate) place(s *doctor.State, c *dialect.Candidate, i int) {
	edge := s.Edge(i)
	e.WatchState = string(edge.State)
	for _, name := range edge.Watched {
		e.Watched = append(e.Watched, znode.Join(s.Path, name))
	}
	x, listed := s.Client(c)
	if x.Conn != nil {
		e.Address, e.Server = text(x.Conn.Addr), text(x.Server)
	}
	if listed || s.Tracked.Absent(c.Session) {
		e.Connected = &listed
	}
	if timeout := s.Tracked.Timeout(c.Session); timeout > 0 {
		e.TimeoutMS = millis(&timeout)
	}
	if heard := s.Tracked.Heard(c.Session); !heard.IsZero() {
		e.HeardMS = within(s.At, heard)
	}
	if r := s.Risk(c); r != nil {
		e.ExpiresMS, e.Epoch = within(r.By, s.At), epoch(r)
		e.SilentMS, e.Risk = riskOf(s.Path, r, s.At).SilentMS, text(r.Evidence)
	}
}
