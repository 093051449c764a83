package session

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/model/units"
	"electop/model/znode"
)

// Table has the answers of the ensemble's members in one round of requests. Each member lists only
// its own connections and watches. Ephemerals are the same on all members. Only the ensemble's
// leader, or a standalone server, has the deadlines of sessions with ephemerals.
//
// A journal gets only the part of a table about its election. The counts cover the whole server.
type Table struct {
	// At is the beginning of the round, End the time of the last reply, both on this program's clock.
	At  time.Time `json:"at"`
	End time.Time `json:"end"`
	// Whole reports whether Servers are all members that clients can connect to, according to the
	// ensemble's own configuration. Unwhole is the reason if they are not.
	Whole   bool   `json:"whole"`
	Unwhole string `json:"unwhole,omitempty"`
	// Every is the interval between requests for connections and sessions; 0: no regular requests now, see Restraint.
	Every   time.Duration `json:"every,omitempty"`
	Servers []Server      `json:"servers"`
	// Anchors are sessions of this process. Their deadlines relate the servers' clocks to ours.
	Anchors []Anchor `json:"anchors,omitempty"`
	// Cheap reports whether electop requests connections and sessions only while that costs the servers little.
	Cheap     bool      `json:"cheap,omitempty"`
	Restraint Restraint `json:"restraint,omitzero"`
	// Hosts are hosts of clients, see [HostOf]. The table has all their connections with a session.
	Hosts []string `json:"hosts,omitempty"`
}

// Anchor is a session of this process. The servers received its last sign of life after Sent (on our
// clock), and before they replied with deadlines.
type Anchor struct {
	Session uint64        `json:"session"`
	Sent    time.Time     `json:"sent"`
	Timeout time.Duration `json:"timeout"`
}

// ListsEveryConn reports whether all members listed all connections. If so, a session of the election
// that no member listed has no connection.
func (t *Table) ListsEveryConn() bool {
	for i := range t.Servers {
		if t.Servers[i].Connections.State != Answered || t.Servers[i].Leftover {
			return false
		}
	}
	return t.Whole && len(t.Servers) > 0
}

// Server has the answers of one member in a round.
type Server struct {
	Addr    string `json:"addr"`              // host:port for clients, from the connect string or the configuration
	Version string `json:"version,omitempty"` // "3.8.0"
	Mode    Mode   `json:"mode,omitempty"`
	Zxid    int64  `json:"zxid,omitempty"` // last processed zxid
	// Basic is the answer about mode, zxid, version and ConnectionCount.
	Basic Answer `json:"basic"`

	Connections     Answer   `json:"connections"`
	Clients         []Client `json:"clients,omitempty"`
	ConnectionCount int      `json:"connection_count,omitempty"`

	Sessions Answer `json:"sessions"`
	// Deadlines are the times at which sessions expire, rounded up to the server's tick.
	Deadlines []Deadline    `json:"deadlines,omitempty"`
	Tick      time.Duration `json:"tick,omitempty"` // 0: not known
	// Expired is how many sessions the server expired from its start to this round; nil: not reported.
	Expired    *int        `json:"expired,omitempty"`
	Ephemerals []Ephemeral `json:"ephemerals,omitempty"` // of the election

	Watches Answer  `json:"watches"`
	Watched []Watch `json:"watched,omitempty"`
	// WatchCount is zk_watch_count, which includes child watches. DataWatches is the total
	// of wchs, which excludes child watches. -1: not known.
	WatchCount  int  `json:"watch_count"`
	DataWatches int  `json:"data_watches"`
	Leftover    bool `json:"leftover,omitempty"` // a list was longer than electop keeps, and is cut
}

// Mode is a member's role in the ensemble.
type Mode string

const (
	ModeUnknown    Mode = ""
	ModeLeader     Mode = "leader"
	ModeFollower   Mode = "follower"
	ModeObserver   Mode = "observer"
	ModeStandalone Mode = "standalone"
)

// AnswerState is the result of a request to a server.
type AnswerState string

const (
	NotRequested AnswerState = ""
	Answered     AnswerState = "answered"
	Refused      AnswerState = "refused" // a setting forbids the answer; see Hint
	Failed       AnswerState = "failed"  // no answer, or an answer that cannot be read
	TooLarge     AnswerState = "too large"
)

// Answer is the result of one request to one server.
type Answer struct {
	State AnswerState `json:"state,omitempty"`
	Via   string      `json:"via,omitempty"`  // "http" or "4lw"
	At    time.Time   `json:"at,omitzero"`    // of the reply
	Why   string      `json:"why,omitempty"`  // the reason if State is not Answered; safe to show
	Hint  string      `json:"hint,omitempty"` // the server's setting that allows the answer
}

// Client is a client's connection as the server lists it.
type Client struct {
	Session     uint64        `json:"session"` // 0: none yet
	Addr        string        `json:"addr"`    // the client's host:port
	Timeout     time.Duration `json:"timeout"` // negotiated
	LastOp      string        `json:"last_op,omitempty"`
	Established time.Time     `json:"established,omitzero"` // on the server's clock
	// LastResponse is the time of the server's last answer, on the server's monotonic clock.
	LastResponse time.Duration `json:"last_response"`
	Received     int64         `json:"received"`
	Outstanding  int           `json:"outstanding,omitempty"`
}

// Deadline is the time at which a session expires, on the ensemble leader's monotonic clock or, if
// Wall is set, on the leader's wall clock in whole seconds.
type Deadline struct {
	Session uint64        `json:"session"`
	At      time.Duration `json:"at"` // since the clock's zero (the Unix epoch of a wall clock)
	Wall    bool          `json:"wall,omitempty"`
}

type Ephemeral struct {
	Session uint64 `json:"session"`
	Path    string `json:"path"` // without the chroot
}

// Watch lists the sessions that watch a path. Servers do not list child watches.
type Watch struct {
	Path     string   `json:"path"` // without the chroot
	Sessions []uint64 `json:"sessions"`
}

// When returns the end of the round.
func (o *Table) When() time.Time { return o.End }

// Anchored reports whether the session is one of the anchors.
func (t *Table) Anchored(session uint64) bool {
	return slices.ContainsFunc(t.Anchors, func(a Anchor) bool { return a.Session == session })
}

// Checked returns t, or a copy without Whole if the servers may belong to another ensemble.
func (t *Table) Checked() *Table {
	if !t.ListsEveryConn() {
		return t
	}
	knows, sessions := false, false
	for i := range t.Servers {
		s := &t.Servers[i]
		sessions = sessions || s.Sessions.State == Answered
		knows = knows || len(s.Deadlines)+len(s.Clients) > 0
		for k := range s.Clients {
			if t.Anchored(s.Clients[k].Session) {
				return t
			}
		}
	}
	if len(t.Anchors) == 0 && (knows || !sessions) {
		return t // this process has no session that the lists must have
	}
	doubted := *t
	doubted.Whole = false
	doubted.Unwhole = "no server that answered lists electop's own connection: these servers may belong to another ensemble (check --admin-url)"
	return &doubted
}

// Incomplete returns why the watch tables do not show all watches, "" if they do.
func (t *Table) Incomplete() string {
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Watches.State != Answered {
			return s.Unanswered("watches", s.Watches)
		}
		if s.Leftover {
			return znode.Safe(s.Addr, 0) + " lists more entries than electop keeps"
		}
	}
	if !t.Whole {
		if t.Unwhole != "" {
			return "not all members are known: " + znode.Safe(t.Unwhole, 0)
		}
		return "not all members of the ensemble are known"
	}
	return ""
}

// Unanswered describes why a server's answer is missing, and how to get it.
func (s *Server) Unanswered(what string, a Answer) string {
	text := znode.Safe(s.Addr, 0)
	switch a.State {
	case NotRequested:
		text += " was not queried for " + what
	case Refused:
		text += " refuses to list its " + what
	case TooLarge:
		text += " has too many " + what + " to request them"
	default:
		text += " did not list its " + what
	}
	if a.Why != "" {
		text += ": " + znode.Safe(a.Why, 0)
	}
	if a.Hint != "" {
		text += " (" + znode.Safe(a.Hint, 0) + " would allow it)"
	}
	return text
}

// MergedOver returns last, with before's answers to the requests that last did not make.
func (last *Table) MergedOver(before *Table) *Table {
	if before == nil {
		return last
	}
	t := *last
	t.Servers = append([]Server(nil), last.Servers...)
	for i := range t.Servers {
		s := &t.Servers[i]
		old := before.Server(s.Addr)
		if old == nil {
			continue
		}
		kept := s.Connections.State == NotRequested && old.Connections.State != NotRequested ||
			s.Sessions.State == NotRequested && old.Sessions.State != NotRequested ||
			s.Watches.State == NotRequested && old.Watches.State != NotRequested
		if s.Basic.State == NotRequested {
			s.Basic, s.Mode, s.Zxid, s.Version = old.Basic, old.Mode, old.Zxid, old.Version
		}
		if s.Connections.State == NotRequested {
			s.Connections, s.Clients = old.Connections, old.Clients
		}
		if s.Sessions.State == NotRequested {
			s.Sessions, s.Deadlines, s.Ephemerals = old.Sessions, old.Deadlines, old.Ephemerals
		}
		if s.Watches.State == NotRequested {
			s.Watches, s.Watched = old.Watches, old.Watched
		}
		s.Leftover = s.Leftover || kept && old.Leftover
	}
	return &t
}

// Server returns the answers of the member at addr, nil for none.
func (t *Table) Server(addr string) *Server {
	for i := range t.Servers {
		if t.Servers[i].Addr == addr {
			return &t.Servers[i]
		}
	}
	return nil
}

// Conn is a connection in the answer of a member of the ensemble.
type Conn struct {
	Conn   *Client
	Server string // the member; safe to show
	At     time.Time
}

// HostOf returns the host of a client's address.
func HostOf(addr string) string {
	if i := strings.LastIndexByte(addr, ':'); i > 0 {
		return addr[:i]
	}
	return addr
}

// Conns returns the connections of a table by session, nil if no server listed connections.
func (t *Table) Conns() map[uint64]Conn {
	var out map[uint64]Conn
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Connections.State != Answered {
			continue
		}
		if out == nil {
			out = make(map[uint64]Conn)
		}
		at := s.Connections.At.Round(0)
		if at.IsZero() {
			at = t.End.Round(0)
		}
		for k := range s.Clients {
			conn := &s.Clients[k]
			if conn.Session == 0 {
				continue
			}
			// Two servers may list a client that moved during the round. The later list counts.
			if old, ok := out[conn.Session]; !ok || old.At.Before(at) {
				out[conn.Session] = Conn{conn, znode.Safe(s.Addr, 0), at}
			}
		}
	}
	return out
}

// Expirer returns a server that listed deadlines, preferably a standalone server or the leader with the latest epoch; nil for none.
func (t *Table) Expirer() *Server {
	var found *Server
	leads := func(s *Server) bool { return s.Mode == ModeLeader || s.Mode == ModeStandalone }
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Sessions.State != Answered || len(s.Deadlines) == 0 {
			continue
		}
		if found == nil || leads(s) && (!leads(found) || s.Zxid>>32 > found.Zxid>>32) {
			found = s
		}
	}
	return found
}

// Later returns the later one of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// CheapConnections bounds the connections of all servers together, and CheapAnswer the time of an
// answer. Beyond these bounds, electop does not request connections and sessions by default.
const (
	CheapConnections = 2000
	CheapAnswer      = 100 * time.Millisecond
)

// Restraint is the reason why electop does not request connections and sessions by default.
type Restraint struct {
	// Connections is the number of connections of all servers, if that is more than
	// [CheapConnections].
	Connections int `json:"connections,omitempty"`
	// Took is how long Server needed to answer, if that is longer than [CheapAnswer], otherwise 0.
	// Again is the time of the next request.
	Server string        `json:"server,omitempty"`
	Took   time.Duration `json:"took,omitempty"`
	Again  time.Time     `json:"again,omitzero"`
}

const regularFlag = "--admin-sessions 2s"

// Unrequested returns why electop does not request connections and sessions regularly, and which flag
// changes that; "" if electop does.
func (t *Table) Unrequested() string {
	switch {
	case t == nil:
		return "servers not queried (" + regularFlag + ")" // short, for a narrow screen
	case t.Every > 0:
		return ""
	case t.Restraint == (Restraint{}):
		return "the servers are queried for connections and sessions only on request (v queries once, " + regularFlag + " regularly)"
	case t.Restraint.Connections > 0:
		return "the servers are not queried for connections and sessions by default, because they have " + strconv.Itoa(t.Restraint.Connections) +
			" connections, more than " + strconv.Itoa(CheapConnections) + " (v queries once, " + regularFlag + " regularly)"
	}
	r := t.Restraint
	return "the servers are not queried for connections and sessions until " + units.Clock(r.Again) + ", because " + znode.Safe(r.Server, 0) + " took " +
		units.Took(r.Took) + ", more than " + units.Exact(CheapAnswer) + " (v queries once, " + regularFlag + " regularly)"
}
