package session

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/model/units"
	"electop/model/znode"
)

// Table has the answers of the ensemble's members about themselves in one round. It
// is the only source for who really watches what. Each member knows only its own
// connections and watches; sessions and ephemerals are the same on all members, and
// only the ensemble's leader knows deadlines.
//
// A journal gets only the part about its election: the watches on the election's
// path, its children and its acknowledgement; the connections and deadlines of the
// sessions that own or watch one of these, of those in [State.Sessions], of the
// observers, and the connections from the hosts in [State.Hosts]. The counts are of the whole server.
type Table struct {
	// At is when the round began and End when its last reply came, by this
	// program's clock. What happened after At may be in a reply or not.
	At  time.Time `json:"at"`
	End time.Time `json:"end"`
	// Whole says that Servers are all members of the ensemble that clients can
	// be connected to: the ensemble's own configuration was read, and each of
	// its members has an entry.
	Whole bool `json:"whole"`
	// Unwhole is why not.
	Unwhole string `json:"unwhole,omitempty"`
	// Every is how often connections and sessions are asked for; 0: only when
	// they were asked for.
	Every   time.Duration `json:"every,omitempty"`
	Servers []Server      `json:"servers"`
	// Anchors tie the servers' clocks to ours: sessions of this process, whose
	// deadlines are in the same reply as the others'.
	Anchors []Anchor `json:"anchors,omitempty"`
	// Cheap says that nobody demanded to be asked every time: connections and
	// sessions are asked for while that costs the servers little. Restraint is why
	// they are not, if it is not zero; then Every is 0.
	Cheap     bool      `json:"cheap,omitempty"`
	Restraint Restraint `json:"restraint,omitzero"`
	// Hosts are the clients' hosts of which all connections are listed: see
	// [HostOf].
	Hosts []string `json:"hosts,omitempty"`
}

// Anchor is a time by our clock after which the servers heard from a session of our own,
// and before they replied with deadlines.
type Anchor struct {
	Session uint64        `json:"session"`
	Sent    time.Time     `json:"sent"`
	Timeout time.Duration `json:"timeout"`
}

// TellsEveryConn reports whether what is in no member's list of connections is
// connected to none.
func (t *Table) TellsEveryConn() bool {
	for i := range t.Servers {
		if t.Servers[i].Connections.State != Answered || t.Servers[i].Leftover {
			return false
		}
	}
	return t.Whole && len(t.Servers) > 0
}

// Server has the answers of one member in a round.
type Server struct {
	Addr    string `json:"addr"`              // host:port for clients, as the connect string or the configuration has it
	Version string `json:"version,omitempty"` // "3.8.0"
	Mode    Mode   `json:"mode,omitempty"`
	Zxid    int64  `json:"zxid,omitempty"` // last processed
	// Basic is the cheap part: mode, zxid, version, counts.
	Basic Answer `json:"basic"`

	Connections Answer   `json:"connections"`
	Clients     []Client `json:"clients,omitempty"`
	// ConnectionCount is of the whole server.
	ConnectionCount int `json:"connection_count,omitempty"`

	Sessions Answer `json:"sessions"`
	// Deadlines are when sessions expire by the server's own monotonic clock,
	// rounded up to its tick; only the ensemble's leader (or a server that is
	// alone) has any.
	Deadlines []Deadline `json:"deadlines,omitempty"`
	// Tick is the server's tick time, 0 if not known (2 s is the default).
	Tick time.Duration `json:"tick,omitempty"`
	// Expired is how many sessions the server let expire since its start, before it
	// was asked for sessions; nil: it did not say. Only the ensemble's leader counts.
	Expired *int `json:"expired,omitempty"`
	// Ephemerals are the ephemeral znodes of the election on this member.
	Ephemerals []Ephemeral `json:"ephemerals,omitempty"`

	Watches Answer  `json:"watches"`
	Watched []Watch `json:"watched,omitempty"`
	// WatchCount is zk_watch_count, which counts child watches too; DataWatches
	// is the total of wchs, which does not. -1: not known.
	WatchCount  int `json:"watch_count"`
	DataWatches int `json:"data_watches"`
	// Leftover says that the lists are not complete, as there were more than
	// are kept.
	Leftover bool `json:"leftover,omitempty"`
}

// Mode is a member's role in the ensemble.
type Mode string

const (
	ModeUnknown    Mode = ""
	ModeLeader     Mode = "leader" // of the ensemble
	ModeFollower   Mode = "follower"
	ModeObserver   Mode = "observer"
	ModeStandalone Mode = "standalone"
)

// AnswerState is the result of a question to a server.
type AnswerState string

const (
	NotAsked AnswerState = ""         // not wanted in this round
	Answered AnswerState = "answered" // in full
	Refused  AnswerState = "refused"  // a setting forbids it; Hint says which setting allows it
	Failed   AnswerState = "failed"   // no answer, or none that makes sense
	TooLarge AnswerState = "too large"
)

// Answer is the result of one question to one server.
type Answer struct {
	State AnswerState `json:"state,omitempty"`
	Via   string      `json:"via,omitempty"`  // "http" or "4lw"
	At    time.Time   `json:"at,omitzero"`    // of the reply
	Why   string      `json:"why,omitempty"`  // for all but Answered; safe to show
	Hint  string      `json:"hint,omitempty"` // the server's setting that allows it
}

// Client is a client's connection as the server lists it.
type Client struct {
	Session     uint64        `json:"session"` // 0: none yet
	Addr        string        `json:"addr"`    // the client's host:port
	Timeout     time.Duration `json:"timeout"` // negotiated
	LastOp      string        `json:"last_op,omitempty"`
	Established time.Time     `json:"established,omitzero"` // by the server's clock
	// LastResponse is when the server last answered, on its own monotonic clock.
	LastResponse time.Duration `json:"last_response"`
	Received     int64         `json:"received"`
	Outstanding  int           `json:"outstanding,omitempty"`
}

// Deadline is when a session expires: on the ensemble leader's own monotonic
// clock (AdminServer), or by its wall clock in whole seconds (dump), if Wall
// is set.
type Deadline struct {
	Session uint64        `json:"session"`
	At      time.Duration `json:"at"` // since that clock's zero (the Unix epoch for wall)
	Wall    bool          `json:"wall,omitempty"`
}

// Ephemeral is an ephemeral znode as a member lists it.
type Ephemeral struct {
	Session uint64 `json:"session"`
	Path    string `json:"path"` // as this client sees it: without the chroot
}

// Watch lists the sessions with data or exists watches on a path. No server's table
// has child watches.
type Watch struct {
	Path     string   `json:"path"` // as this client sees it
	Sessions []uint64 `json:"sessions"`
}

// When is the end of the round: reads during the round come before it.
func (o *Table) When() time.Time { return o.End }

// Anchored reports whether it is a session of this process.
func (t *Table) Anchored(session uint64) bool {
	return slices.ContainsFunc(t.Anchors, func(a Anchor) bool { return a.Session == session })
}

// Believed returns the table with its claim to be whole taken back if the members
// list everybody's connections and this process's are not among
// them, or if they know of no session at all, though ours lives: an AdminServer
// of another ensemble may have answered, of which all contenders here seem to
// have neither connections nor watches. It may be a moment of reconnecting too,
// in which nothing is lost but one round.
func (t *Table) Believed() *Table {
	if !t.TellsEveryConn() {
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
		return t // where our sessions are was not asked
	}
	doubted := *t
	doubted.Whole = false
	doubted.Unwhole = "no server that answered lists electop's own connection: these servers may belong to another ensemble (check --admin-url)"
	return &doubted
}

// Incomplete says why the watch tables do not show all watches, "" if they do.
func (t *Table) Incomplete() string {
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Watches.State != Answered {
			return s.Unanswered("watches", s.Watches)
		}
		if s.Leftover {
			return znode.Safe(s.Addr, 0) + " has more watches than electop keeps"
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

// Unanswered says why a server's answer is missing, and how to get it.
func (s *Server) Unanswered(what string, a Answer) string {
	text := znode.Safe(s.Addr, 0)
	switch a.State {
	case NotAsked:
		text += " was not asked for " + what
	case Refused:
		text += " refuses to list its " + what
	case TooLarge:
		text += " has too many " + what + " to ask for them"
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

// MergedOver returns the last answer of each member to each question: the answers of
// the last round, and earlier ones to what it did not ask. A round on
// the cadence does not ask for watches, and that is no reason to forget them.
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
		kept := s.Connections.State == NotAsked && old.Connections.State != NotAsked ||
			s.Sessions.State == NotAsked && old.Sessions.State != NotAsked ||
			s.Watches.State == NotAsked && old.Watches.State != NotAsked
		if s.Basic.State == NotAsked {
			s.Basic, s.Mode, s.Zxid, s.Version = old.Basic, old.Mode, old.Zxid, old.Version
		}
		if s.Connections.State == NotAsked {
			s.Connections, s.Clients = old.Connections, old.Clients
		}
		if s.Sessions.State == NotAsked {
			s.Sessions, s.Deadlines, s.Ephemerals = old.Sessions, old.Deadlines, old.Ephemerals
		}
		if s.Watches.State == NotAsked {
			s.Watches, s.Watched = old.Watches, old.Watched
		}
		s.Leftover = s.Leftover || kept && old.Leftover
	}
	return &t
}

// Server returns what the member at addr said, nil for none.
func (t *Table) Server(addr string) *Server {
	for i := range t.Servers {
		if t.Servers[i].Addr == addr {
			return &t.Servers[i]
		}
	}
	return nil
}

// Conn has the connection of a session, and the member of the ensemble that listed it at
// that time.
type Conn struct {
	Conn   *Client
	Server string // safe to show
	At     time.Time
}

// HostOf returns the host of a client's address.
func HostOf(addr string) string {
	if i := strings.LastIndexByte(addr, ':'); i > 0 {
		return addr[:i]
	}
	return addr
}

// Conns indexes the connections of a table by session, nil if no server reported any.
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
			// A client that moved during the round is listed twice.
			if old, ok := out[conn.Session]; !ok || old.At.Before(at) {
				out[conn.Session] = Conn{conn, znode.Safe(s.Addr, 0), at}
			}
		}
	}
	return out
}

// Expirer returns the server whose deadlines count, nil if none reported any.
func (t *Table) Expirer() *Server {
	var found *Server
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Sessions.State != Answered || len(s.Deadlines) == 0 {
			continue
		}
		if found == nil || s.Mode == ModeLeader || s.Mode == ModeStandalone {
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

// By default servers are asked for connections and sessions only if all of them
// together have this many connections at most, and answer within this time.
const (
	CheapConnections = 2000
	CheapAnswer      = 100 * time.Millisecond
)

// Restraint is why servers are not asked for connections and sessions by default.
type Restraint struct {
	// Connections is how many connections the servers have together, if that is
	// more than [CheapConnections].
	Connections int `json:"connections,omitempty"`
	// Server took longer than [CheapAnswer], if Took is set. The servers are asked
	// again at Again.
	Server string        `json:"server,omitempty"`
	Took   time.Duration `json:"took,omitempty"`
	Again  time.Time     `json:"again,omitzero"`
}

// demand is the option that has the servers asked for connections and sessions.
const demand = "--admin-sessions 2s"

// Unasked says why the servers are not asked for connections and sessions regularly,
// and how to have them asked; "" if they are. A nil table is none.
func (t *Table) Unasked() string {
	switch {
	case t == nil:
		return "servers not asked (" + demand + ")" // it has to fit a narrow screen
	case t.Every > 0:
		return ""
	case t.Restraint == (Restraint{}):
		return "the servers are asked for connections and sessions only on request (v; " + demand + " regularly)"
	case t.Restraint.Connections > 0:
		return "the servers are not asked for connections and sessions by default, because they have " + strconv.Itoa(t.Restraint.Connections) +
			" connections, more than " + strconv.Itoa(CheapConnections) + " (v asks once, " + demand + " regularly)"
	}
	r := t.Restraint
	return "the servers are not asked for connections and sessions until " + units.Clock(r.Again) + ", because " + znode.Safe(r.Server, 0) + " took " +
		units.Took(r.Took) + ", more than " + units.Exact(CheapAnswer) + " (v asks once, " + demand + " regularly)"
}
