package history

import (
	"reflect"

	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

func size[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// memoryOf returns the memory of an observation, with its index and what is remembered of
// a child that left.
func memoryOf(o model.Observation) int {
	const each, left = 160, 400
	switch o := o.(type) {
	case *model.Read:
		n := each + size[model.Read]() + len(o.Gone)*(size[string]()+left)
		for i := range o.New {
			n += znodeBytes(&o.New[i]) + size[dialect.Candidate]()
		}
		for _, name := range o.Gone {
			n += len(name)
		}
		return n
	case *model.Delta:
		n := each + size[model.Delta]() + len(o.Gone) + min(1, len(o.Gone))*left
		if o.New != nil {
			n += znodeBytes(o.New) + size[dialect.Candidate]()
		}
		return n
	case *model.Follow:
		return each + size[model.Follow]()
	case *model.Refresh:
		return each + znodeBytes(&o.Znode) + size[dialect.Candidate]()
	case *model.Ack:
		return each + size[model.Ack]() + len(o.Data.Bytes)
	case *model.Connection:
		return each + size[model.Connection]() + len(o.Server) + len(o.Err)
	case *model.Cast:
		m := &o.Member
		return each + 2*size[model.Cast]() + len(m.ID) + len(m.Name) + len(m.Znode) + len(m.Watches) + len(m.StepOn.Name) + len(m.Reason) + len(m.StepOn.Children)*32
	case *model.Wake:
		return each + size[model.Woken]() + len(o.Znode) + len(o.Notified)*8
	case *model.Pace:
		n := each + size[model.Pace]()
		for i := range o.Held {
			n += size[model.Message]() + len(o.Held[i].Path) + len(o.Held[i].Op)
		}
		for i := range o.Passed {
			n += size[model.Exchange]() + len(o.Passed[i].Path) + len(o.Passed[i].Op)
		}
		return n
	case *model.Write:
		return each + size[model.Write]() + len(o.Member) + len(o.Znode) + len(o.Reason)
	case *session.Table:
		n := each + size[session.Table]() + len(o.Anchors)*size[session.Anchor]()
		for i := range o.Servers {
			n += serverBytes(&o.Servers[i])
		}
		return 2 * n // with the doctor's indexes of it
	}
	return 2 * each
}

func znodeBytes(z *znode.Znode) int { return size[znode.Znode]() + len(z.Name) + len(z.Data.Bytes) }

func serverBytes(s *session.Server) int {
	n := size[session.Server]() + len(s.Deadlines)*size[session.Deadline]()
	for i := range s.Clients {
		n += size[session.Client]() + len(s.Clients[i].Addr) + len(s.Clients[i].LastOp)
	}
	for i := range s.Ephemerals {
		n += size[session.Ephemeral]() + len(s.Ephemerals[i].Path)
	}
	for i := range s.Watched {
		n += size[session.Watch]() + len(s.Watched[i].Path) + len(s.Watched[i].Sessions)*8
	}
	return n
}
