package model

import "time"

// connection is the observing connection.
type connection struct {
	Connection
	reconnects int
	downSince  time.Time // zero while connected
	said       LinkChanged
}

// change takes in a change. lost says that the connection was lost, even if it is
// back by now with another session. The event is nil where there is no news.
func (c *connection) change(o *Connection) (lost bool, news EventBody) {
	old := c.Connection
	c.Connection = *o
	other := o.Link == Connected && old.Link == Connected && old.Session != 0 && o.Session != old.Session
	switch {
	case other:
		lost = true
		c.reconnects++
	case old.Link == Connected && o.Link != Connected:
		lost = true
		c.downSince = wall(o.At)
	case old.Link != Connected && o.Link == Connected:
		if !c.downSince.IsZero() {
			c.reconnects++
		}
		c.downSince = time.Time{}
	}
	// Attempts to connect are news only where the connection was good before.
	// While it is down, the server that is tried next is no news either.
	say := LinkChanged{o.Link, o.Server, o.Session}
	again := o.Link != Connected && o.Link == c.said.Link && o.Session == c.said.Session
	if say == c.said || again || o.Link == Connecting && c.said.Link != Connected {
		return lost, nil
	}
	c.said = say
	return lost, say
}
