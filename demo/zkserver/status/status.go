// Package status makes the answers to the four-letter words and those of the
// AdminServer, in the layouts of Apache ZooKeeper 3.8, which tools take apart. It
// knows only what a [Source] returns of the server.
package status

import "time"

// version is what the server calls itself: the release whose behaviour it has.
const version = "3.8.0-embedded, built on 2022-02-25 08:49 UTC"

// HandshakeTimeout is how long a peer may take to send its first frame.
const HandshakeTimeout = 10 * time.Second

// A Source is a server. Its methods are called while it does nothing else, under its
// lock, and what they return is used only then.
type Source interface {
	Config() Config
	Totals() Totals
	Connections() []Conn // open ones, by age
	Sessions() []Session
	Owners() []int64 // sessions with ephemeral nodes, by id
	EphemeralsOf(session int64) []string

	// Watches are those on data and existence, as in Apache.
	Watches() (watchers, paths, total int)
	WatchedPaths() []string
	Watching(path string) []int64 // sessions, by id

	ResetStats()
	ResetConnStats()
}

// Config is how a server was set up.
type Config struct {
	Tick                                 time.Duration
	MinSessionTimeout, MaxSessionTimeout time.Duration
	MaxClientCnxns                       int
	ClientPort                           int // the lowest; 0 if there is none
}

// Totals are sums over a server's life, or since they were reset, and what it
// has now.
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
	AuthFailed, Rejected, Expired    int64
	BytesIn                          int64
}

// A Session is one that lives.
type Session struct {
	ID     int64
	Expiry time.Duration // since the server's start
}

// A Conn is an open connection.
type Conn struct {
	Remote  string // host:port
	Stats   *ConnStats
	Watched func() []string // paths
	// Session is 0 before there is one, and for a four-letter word.
	Session  int64
	Timeout  time.Duration // of the session
	Deadline time.Duration // when it is closed for silence, since the server's start
}
