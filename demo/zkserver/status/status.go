// Package status makes the answers to the four-letter words and those of the
// AdminServer, in the layouts of Apache ZooKeeper 3.8, which tools take apart. It
// knows only the [State] that a [Source] copies of the server.
package status

import "time"

// version is what the server calls itself: the release whose behaviour it has.
const version = "3.8.0-embedded, built on 2022-02-25 08:49 UTC"

// HandshakeTimeout is how long a peer may take to send its first frame.
const HandshakeTimeout = 10 * time.Second

// A Source is a server. It copies the state of one moment, with the parts that are
// asked for, or reports that it serves nobody now. The answers are made of the copy,
// when the server goes on: large ones take longer than any client should wait.
type Source func(Part) (state State, serving bool)

// A Part of a server's state that can be large. It is a set.
type Part uint8

const (
	Connections Part = 1 << iota
	Sessions
	Ephemerals
	Watches
)

// State is what a server is at one moment. Lists are in no particular order, and
// empty unless asked for.
type State struct {
	Config      Config
	Totals      Totals
	Connections []Conn // open ones
	Sessions    []Session
	Ephemerals  []Ephemeral
	Watches     []Watch
}

// Config is how a server was set up.
type Config struct {
	Tick                                 time.Duration
	MinSessionTimeout, MaxSessionTimeout time.Duration
	MaxClientCnxns                       int
	ClientPort                           int // the lowest; 0 if there is none
}

// Totals are sums over a server's life, and what it has now.
type Totals struct {
	Start          time.Time
	Uptime         time.Duration
	Received, Sent int64 // packets
	Latency        Latency
	// Sizes of replies and events, in bytes; all are -1 until there is one.
	LastReply, LeastReply, MostReply int64
	Zxid                             int64
	Nodes                            int // as Apache counts them: the root twice
	Ephemerals                       int
	DataSize                         int64
	Connections, Sessions, Watches   int
	// Watchers, Paths and DataWatches are of the watches on data and existence.
	Watchers, Paths, DataWatches  int
	AuthFailed, Rejected, Expired int64
	BytesIn                       int64
}

// A Session is one that lives.
type Session struct {
	ID     int64
	Expiry time.Duration // since the server's start
}

// An Ephemeral is an ephemeral znode.
type Ephemeral struct {
	Session int64
	Path    string
	Zxid    int64 // of its creation
}

// A Watch is one on data or existence: Apache shows no others.
type Watch struct {
	Path    string
	Session int64
}

// A Conn is an open connection.
type Conn struct {
	Remote string // host:port
	Stats  ConnStats
	// Session is 0 before there is one, and for a four-letter word.
	Session  int64
	Timeout  time.Duration // of the session
	Deadline time.Duration // when it is closed for silence, since the server's start
}
