// Package command knows the commands that ZooKeeper's servers answer, and what
// the answers mean. It sends nothing.
//
// A server answers commands over HTTP in JSON (its AdminServer) and four-letter
// words at the port for clients in plain text. A [Question] is a command and the
// word for the same, each with the parser that makes the same type of answer:
//
//	question         HTTP             word   answer
//	ForStatus        server_stats     srvr   Status
//	ForIdentity      configuration    conf   Identity
//	ForCounts        monitor          mntr   Counts
//	ForDataWatches   watch_summary    wchs   int
//	ForConnections   connections      cons   Connections
//	ForDump          dump             dump   Dump
//	ForWatches       watches_by_path  wchp   []session.Watch
//
// The parsers expect replies from strangers. A reply is bounded before it is
// parsed ([Limit]). It must be complete, name the command that was sent, and
// have the fields of an answer in their types; otherwise it is an error. Text
// from a reply is bounded and safe to show; znode paths are as they were sent.
package command

import (
	"errors"
	"time"

	"electop/model/session"
)

// A Question is a command in both its forms.
type Question[T any] struct {
	Name  string // for messages
	HTTP  Form[T]
	Word  Form[T]
	Table bool // the answer can be large, and cost the server something
	// Always says to ask again even where the server has just refused.
	Always bool
}

// A Form is one command or word, and the parser of its answer.
type Form[T any] struct {
	Name  string
	Parse func([]byte) (T, error)
}

func ForStatus() Question[Status] {
	q := small("state", "server_stats", parseServerStats, "srvr", parseSrvr)
	q.Always = true
	return q
}

func ForIdentity() Question[Identity] {
	return small("configuration", "configuration", parseConfiguration, "conf", parseConf)
}

func ForCounts() Question[Counts] {
	return small("counts", "monitor", parseMonitor, "mntr", parseMntr)
}

// ForDataWatches asks for the number of watches on data and existence.
func ForDataWatches() Question[int] {
	return small("number of watches on data", "watch_summary", parseWatchSummary, "wchs", parseWchs)
}

func ForConnections() Question[Connections] {
	return table("connections", "connections", parseConnections, "cons", parseCons)
}

func ForDump() Question[Dump] {
	return table("sessions", "dump", parseJSONDump, "dump", parseDump)
}

func ForWatches() Question[[]session.Watch] {
	return table("watches", "watches_by_path", parseWatchesByPath, "wchp", parseWchp)
}

func small[T any](name, command string, parseJSON func([]byte) (T, error), word string, parseText func([]byte) (T, error)) Question[T] {
	return Question[T]{Name: name, HTTP: Form[T]{command, parseJSON}, Word: Form[T]{word, parseText}}
}

func table[T any](name, command string, parseJSON func([]byte) (T, error), word string, parseText func([]byte) (T, error)) Question[T] {
	q := small(name, command, parseJSON, word, parseText)
	q.Table = true
	return q
}

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
	// Ports is the number of ports for clients: 2 if there is one with TLS
	// and one without; 0: not known. Only the word conf reports it.
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

// Counts has the numbers that a server counts.
type Counts struct {
	Watches int // those on children included
	// Expired is the number of sessions that expired since its start, nil if it does not
	// report it (before ZooKeeper 3.6).
	Expired *int
}
