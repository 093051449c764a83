package model

import (
	"reflect"

	"electop/model/dialect"
)

// What things take of the memory, roughly: of maps it is known only how many
// they hold. Strings count with what refers to them first.

// entryBytes is what a map needs for an entry besides key and value.
const entryBytes = 8

func size[T any]() int { return int(reflect.TypeFor[T]().Size()) }

// Memory is what a clone of the journal takes that is its own, roughly, in bytes.
func (j *Journal) Memory() int {
	n := size[Journal]()
	n += len(j.known) * (size[string]() + size[*dialect.Candidate]() + entryBytes)
	n += len(j.members) * (size[string]() + size[*Member]() + entryBytes)
	n += len(j.former) * (size[formerMember]() + 2*entryBytes)
	n += j.sessions.Memory() + j.waves.memory()
	n += len(j.past.reigns) * size[Reign]()
	n += (len(j.lanes.holds)*size[hold]() + len(j.lanes.turns)*size[*turn]() + (len(j.past.handoffs)+len(j.wakes.last))*size[Reign]()) / 4 // mostly shared
	return n
}

// Size returns how many children and members there are.
func (j *Journal) Size() int { return j.queue.Len() + len(j.rest) + len(j.members) }

// memory is what they take, roughly, in bytes.
func (w *waves) memory() int {
	n := len(w.times) * (size[uint64]() + size[int]() + entryBytes)
	for _, x := range w.last {
		n += size[Wave]() + len(x.Reactions)*size[Reaction]() + len(x.Counts)*size[WaveCount]()
	}
	return n
}
