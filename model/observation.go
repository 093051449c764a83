package model

import "time"

// Observation is something that was seen: the only way into a [Journal].
// The sum is closed; its members are the pointer types of this file.
type Observation interface {
	// When is the time of the observation by this program's clock.
	When() time.Time
	observation()
}

// Presence says whether a znode could be read.
type Presence string

const (
	Present Presence = "present"
	Absent  Presence = "absent"
	Denied  Presence = "denied" // the ACL forbids it
)

// Read is one look at the children of the election: the list and the parent's
// stat from one reply, then one read for each new child. It is not atomic:
// a child gone in between is listed in New as [Znode.Unread].
//
// Of an election that is a single ephemeral znode (Single) it is one look at
// that znode.
type Read struct {
	At time.Time `json:"at"`
	// Notified is when the notification that caused the read came; zero if
	// none did.
	Notified time.Time `json:"notified,omitzero"`
	Presence Presence  `json:"presence"`
	Parent   Parent    `json:"parent,omitzero"`
	// Full says that New holds every child, because nothing was known of this
	// parent. Otherwise the children are those of the read before, less Gone,
	// plus New.
	Full bool     `json:"full,omitempty"`
	New  []Znode  `json:"new,omitempty"`
	Gone []string `json:"gone,omitempty"`
	// Gap says that changes before this read went unwatched (the connection
	// was lost), so that a fresh [Snapshot] event is due.
	Gap bool `json:"gap,omitempty"`
	// Single says that the election's path is the leader's own znode. New holds
	// it, or nothing where nobody leads; its name is the path, or the path's
	// last element. There are no Parent, Full and Gone, and changes between two
	// looks can not be counted.
	Single bool `json:"single,omitempty"`
}

// Refresh is a later read of one known child.
type Refresh struct {
	At    time.Time `json:"at"`
	Znode Znode     `json:"znode"`
}

// Ack is a look at the acknowledgement znode, by which a leader says that it
// ran its leader procedure.
type Ack struct {
	At       time.Time `json:"at"`
	Path     string    `json:"path,omitempty"` // "": that of the journal
	Presence Presence  `json:"presence"`
	Session  uint64    `json:"session,omitempty"` // ephemeral owner
	Czxid    int64     `json:"czxid,omitempty"`
	Data     Data      `json:"data,omitzero"`
}

// Link is the state of a connection to the cluster.
type Link string

const (
	Connecting   Link = "connecting"
	Connected    Link = "connected"
	Disconnected Link = "disconnected"
	Expired      Link = "expired" // the session is over; another will follow
)

// Connection is a change of the observing connection, or a newly measured
// round trip.
type Connection struct {
	At      time.Time     `json:"at"`
	Link    Link          `json:"link"`
	Server  string        `json:"server,omitempty"` // host:port
	Session uint64        `json:"session,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"` // negotiated, ns
	RTT     time.Duration `json:"rtt,omitempty"`     // ns; 0: not measured yet
	Err     string        `json:"err,omitempty"`     // why there is no connection
}

// Cast is the present state of one of our own candidates; Gone removes it.
type Cast struct {
	At     time.Time `json:"at"`
	Member Member    `json:"member"`
	Gone   bool      `json:"gone,omitempty"`
}

// Switch says that the candidates follow another recipe from now on.
type Switch struct {
	At     time.Time `json:"at"`
	Recipe string    `json:"recipe"` // see [RecipeNamed]; an unknown one is ignored
}

// Advance says that time passed, for what the journal only waits for (see
// [Journal.Deadline]).
type Advance struct {
	At time.Time `json:"at"`
}

func (o *Read) When() time.Time       { return o.At }
func (o *Refresh) When() time.Time    { return o.At }
func (o *Ack) When() time.Time        { return o.At }
func (o *Connection) When() time.Time { return o.At }
func (o *Cast) When() time.Time       { return o.At }
func (o *Switch) When() time.Time     { return o.At }
func (o *Advance) When() time.Time    { return o.At }

func (*Read) observation()       {}
func (*Refresh) observation()    {}
func (*Ack) observation()        {}
func (*Connection) observation() {}
func (*Cast) observation()       {}
func (*Switch) observation()     {}
func (*Advance) observation()    {}
