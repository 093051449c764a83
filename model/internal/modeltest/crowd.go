package modeltest

import (
	"fmt"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
)

// Crowd is an election in which one candidate leaves and one joins at each change.
type Crowd struct {
	J     *doctor.Journal
	At    time.Time
	Names []string
	First []znode.Znode // the children of the first read
	Next  uint32        // the sequence number of the next child
}

func NewCrowd(n int) *Crowd {
	c := &Crowd{J: doctor.NewJournal(model.Config{Path: "/e", AckPath: "/leader", AckExpected: true}), At: Start}
	for range n {
		c.First = append(c.First, c.znode())
	}
	c.J.Apply(&model.Connection{At: c.At, Link: model.Connected})
	c.J.Apply(&model.Read{At: c.At, Presence: model.Present, Full: true, New: c.First, Parent: c.Stat()})
	return c
}

func (c *Crowd) znode() znode.Znode {
	name := fmt.Sprintf("guid-n_%010d", c.Next)
	c.Next++
	c.Names = append(c.Names, name)
	return znode.Znode{Name: name, Session: uint64(c.Next), Czxid: int64(c.Next), Ctime: c.At, Data: znode.NewData([]byte("host"))}
}

func (c *Crowd) Stat() znode.Parent { return Stat(1, c.Next, int32(len(c.Names))) }

// Change makes change i, and returns its read.
func (c *Crowd) Change(i int) *model.Read {
	c.At = c.At.Add(time.Millisecond)
	gone := 0
	if i%10 != 0 {
		gone = i * 7919 % len(c.Names)
	}
	r := &model.Read{At: c.At, Notified: c.At, Presence: model.Present, Gone: []string{c.Names[gone]}}
	c.Names = append(c.Names[:gone], c.Names[gone+1:]...)
	r.New = []znode.Znode{c.znode()}
	r.Parent = c.Stat()
	return r
}
