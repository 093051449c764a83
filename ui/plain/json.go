package plain

import (
	"time"
	"unicode/utf8"

	"electop/model"
)

// Format is the version of the JSON interface.
const Format = 1

// status is the object that `electop status --json` prints.
type status struct {
	Format       int         `json:"format"`
	Path         string      `json:"path"`
	Server       *string     `json:"server"`
	ObservedAt   *string     `json:"observed_at"`
	Parent       *parent     `json:"parent"`
	NextSequence *uint32     `json:"next_sequence"`
	Leader       *string     `json:"leader"`
	Candidates   []candidate `json:"candidates"`
	Ignored      []string    `json:"ignored"`
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
	data
	Czxid      *string `json:"czxid"`
	CreatedAt  *string `json:"created_at"`
	Role       string  `json:"role"` // leader or waiting
	Watches    *string `json:"watches"`
	WatchState string  `json:"watch_state"` // unknown: inferred from the recipe
}

type seq struct {
	Sequence *int64 `json:"sequence"`
}

// data is a znode's content: text, or base64 where it is none.
type data struct {
	Data       *string `json:"data"`
	DataBase64 []byte  `json:"data_base64,omitempty"`
	DataLength int     `json:"data_length,omitempty"` // set where data is cut
}

// Status returns the status object of a state.
func Status(s *model.State) any { return statusOf(s) }

func statusOf(s *model.State) status {
	out := status{
		Format:     Format,
		Path:       s.Path,
		Server:     text(s.Link.Server),
		ObservedAt: known(s.At),
		Candidates: make([]candidate, 0, len(s.Queue)),
		Ignored:    make([]string, 0, len(s.Ignored)),
	}
	if s.Phase == model.Live {
		out.Parent = &parent{model.Hex(uint64(s.Parent.Czxid)), s.Parent.Cversion, s.Parent.Children}
	}
	if s.NextSequenceKnown {
		out.NextSequence = &s.NextSequence
	}
	holders := s.Recipe.Holders(s.Queue)
	for i, c := range s.Queue {
		e := candidate{
			Znode:      model.Join(s.Path, c.Name),
			seq:        sequence(c),
			Session:    session(c),
			data:       content(c.Data, c.Unread),
			CreatedAt:  known(c.Ctime),
			Role:       "waiting",
			WatchState: "unknown",
		}
		if !c.Unread {
			e.Czxid = text(model.Hex(uint64(c.Czxid)))
		}
		if i < holders {
			e.Role = "leader"
		}
		if w, ok := s.Recipe.Watches(s.Queue, i); ok {
			e.Watches = text(model.Join(s.Path, s.Queue[w].Name))
		}
		out.Candidates = append(out.Candidates, e)
	}
	if l := s.Leader(); l != nil {
		out.Leader = text(model.Join(s.Path, l.Name))
	}
	for _, c := range s.Ignored {
		out.Ignored = append(out.Ignored, model.Join(s.Path, c.Name))
	}
	return out
}

type eventHead struct {
	N    uint64 `json:"n"`
	At   string `json:"at"`
	Type string `json:"type"`
}

type childEvent struct {
	eventHead
	Znode string `json:"znode"`
	seq
	Session *string `json:"session"`
	data
	Ignored bool `json:"ignored,omitempty"`
}

type handoffEvent struct {
	eventHead
	From       *string  `json:"from"`
	To         *string  `json:"to"`
	ToSession  *string  `json:"to_session"`
	ToData     *string  `json:"to_data"`
	ToBase64   []byte   `json:"to_data_base64,omitempty"`
	ToLength   int      `json:"to_data_length,omitempty"` // set where to_data is cut
	Fence      *string  `json:"fence"`
	Cause      string   `json:"cause"`
	SilentMS   *float64 `json:"silent_ms"`
	TakeoverMS *float64 `json:"takeover_ms"`
	VacantMS   *float64 `json:"vacant_ms"`
}

type missedEvent struct {
	eventHead
	Creates *int `json:"creates"`
	Deletes *int `json:"deletes"`
}

type connectionEvent struct {
	eventHead
	State   string  `json:"state"`
	Server  *string `json:"server"`
	Session *string `json:"session"`
}

type stateEvent struct {
	eventHead
	status
}

// Event returns the JSON object of an event in the election at path.
func Event(path string, e model.Event) any {
	head := func(kind string) eventHead { return eventHead{e.N, stamp(e.At), kind} }
	child := func(kind string, c *model.Candidate, ignored bool) any {
		return childEvent{head(kind), model.Join(path, c.Name), sequence(c), session(c), content(c.Data, c.Unread), ignored}
	}
	switch b := e.Body.(type) {
	case model.Snapshot:
		return stateEvent{head("state"), statusOf(b.State)}
	case model.Joined:
		return child("joined", b.Candidate, b.Ignored)
	case model.Left:
		return child("left", b.Candidate, b.Ignored)
	case model.Handoff:
		out := handoffEvent{
			eventHead: head("handoff"), From: znode(path, b.From), To: znode(path, b.To), Cause: string(b.Cause),
			SilentMS: millis(b.Silent), TakeoverMS: millis(b.Takeover), VacantMS: millis(b.Vacant),
		}
		if b.To != nil {
			d := content(b.To.Data, b.To.Unread)
			out.ToSession, out.ToData, out.ToBase64, out.ToLength = session(b.To), d.Data, d.DataBase64, d.DataLength
			if !b.To.Unread {
				out.Fence = text(model.Hex(uint64(b.Fence)))
			}
		}
		return out
	case model.Missed:
		out := missedEvent{eventHead: head("missed")}
		if b.Known {
			out.Creates, out.Deletes = &b.Creates, &b.Deletes
		}
		return out
	case model.LinkChanged:
		link := b.Link
		if link == model.Connecting { // anew: of a connection that was good
			link = model.Disconnected
		}
		out := connectionEvent{head("connection"), string(link), text(b.Server), nil}
		if b.Session != 0 {
			out.Session = text(model.Hex(b.Session))
		}
		return out
	}
	panic("plain: unknown event") // the sum is closed
}

func sequence(c *model.Candidate) seq {
	if !c.HasSequence {
		return seq{}
	}
	return seq{&c.Sequence}
}

func session(c *model.Candidate) *string {
	if c.Session == 0 {
		return nil
	}
	return text(model.Hex(c.Session))
}

func znode(path string, c *model.Candidate) *string {
	if c == nil {
		return nil
	}
	return text(model.Join(path, c.Name))
}

func content(d model.Data, unread bool) data {
	var out data
	if unread || d.Denied {
		return out
	}
	if d.Truncated() {
		out.DataLength = d.Length
	}
	if utf8.Valid(d.Bytes) {
		s := string(d.Bytes)
		out.Data = &s
	} else {
		out.DataBase64 = d.Bytes
	}
	return out
}

// text is nil for "", which stands for unknown.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// known is nil for the zero time, which stands for unknown.
func known(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return text(stamp(t))
}

// millis keeps microseconds: the clocks are no better.
func millis(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	ms := float64(d.Microseconds()) / 1000
	return &ms
}
