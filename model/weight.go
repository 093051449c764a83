package model

import "reflect"

// What things take of the memory, roughly: of maps it is known only how many
// they hold. Strings count with what refers to them first.

// entryBytes is what a map needs for an entry besides key and value.
const entryBytes = 8

func size[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// weight is what a clone of the journal takes that is its own.
func (j *Journal) weight() int {
	d := &j.doctor
	n := size[Journal]()
	n += len(j.known)*(size[string]()+size[*Candidate]()+entryBytes) + (len(j.queue)+len(j.rest))*size[*Candidate]()
	n += len(j.members) * (size[string]() + size[*Member]() + entryBytes)
	n += len(j.departed) * (size[departed]() + 2*entryBytes)
	n += len(d.heard)*(size[hearing]()+2*entryBytes) + len(d.suspects)*(size[suspect]()+3*entryBytes)
	n += len(d.risks) * (size[ID]() + 2*entryBytes)
	n += len(d.owners.former)*(size[former]()+2*entryBytes) + len(d.owners.ring)*8
	n += (len(j.state.Handoffs) + len(j.state.Reigns) + len(j.state.Wakes)) * size[Reign]() / 4 // mostly shared
	return n
}

// weigh is what an observation takes, with its index.
func weigh(o Observation) int {
	const each = 64
	switch o := o.(type) {
	case *Read:
		n := each + size[Read]() + len(o.Gone)*size[string]()
		for i := range o.New {
			n += o.New[i].weight() + size[Candidate]()
		}
		for _, name := range o.Gone {
			n += len(name)
		}
		return n
	case *Refresh:
		return each + o.Znode.weight() + size[Candidate]()
	case *Ack:
		return each + size[Ack]() + len(o.Data.Bytes)
	case *Connection:
		return each + size[Connection]() + len(o.Server) + len(o.Err)
	case *Cast:
		m := &o.Member
		return each + 2*size[Cast]() + len(m.ID) + len(m.Name) + len(m.Znode) + len(m.Watches) + len(m.Detail)
	case *Wake:
		return each + size[Woken]() + len(o.Znode) + len(o.Notified)*8
	case *Pace:
		n := each + size[Pace]()
		for i := range o.Held {
			n += size[Message]() + len(o.Held[i].Path) + len(o.Held[i].Op)
		}
		return n
	case *Write:
		return each + size[Write]() + len(o.Member) + len(o.Znode) + len(o.Reason)
	case *ServerTable:
		n := each + size[ServerTable]() + len(o.Anchors)*size[Anchor]()
		for i := range o.Servers {
			n += o.Servers[i].weight()
		}
		return 2 * n // with the doctor's indexes of it
	}
	return 2 * each
}

func (z *Znode) weight() int { return size[Znode]() + len(z.Name) + len(z.Data.Bytes) }

func (s *Server) weight() int {
	n := size[Server]() + len(s.Deadlines)*size[Deadline]()
	for i := range s.Clients {
		n += size[ServerConn]() + len(s.Clients[i].Addr) + len(s.Clients[i].LastOp)
	}
	for i := range s.Ephemerals {
		n += size[Ephemeral]() + len(s.Ephemerals[i].Path)
	}
	for i := range s.Watched {
		n += size[Watch]() + len(s.Watched[i].Path) + len(s.Watched[i].Sessions)*8
	}
	return n
}
