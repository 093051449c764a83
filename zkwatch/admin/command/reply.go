package command

import (
	"errors"
	"time"

	"electop/model/session"
)

// Status is the part of a server's state that costs it nothing to tell.
type Status struct {
	Version     string
	Mode        session.Mode
	Zxid        int64
	Connections int
}

// Identity tells servers apart.
type Identity struct {
	Number int // myid; 0 for a standalone server
	Port   int // for clients, without TLS; 0: not known
	Tick   time.Duration
	// Ports is how many ports there are for clients: 2 if there is one with TLS
	// and one without; 0: not known. Only the word conf says it.
	Ports int
}

// Connections is a list of a server's clients.
type Connections struct {
	List      []session.Client
	BothPorts bool // the list is of both ports, if the server has two
}

// Dump is which session owns which ephemeral znodes, and when sessions expire.
type Dump struct {
	Deadlines  []session.Deadline
	Ephemerals []session.Ephemeral // full paths
}

// What a server says instead of an answer. A parser's error is one of these, or
// that the reply is not the answer of a ZooKeeper server.
var (
	ErrNotServing = errors.New("the server is not serving requests (it has no quorum, or is starting)")
	ErrServerSays = errors.New("the AdminServer says")
	ErrTooLarge   = errors.New("the reply is too large")
)

// Counts are what a server counts.
type Counts struct {
	Watches int // those on children included
	// Expired is how many sessions it let expire since its start, nil if it does not
	// say (before ZooKeeper 3.6).
	Expired *int
}
