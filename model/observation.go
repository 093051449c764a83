package model

import (
	"time"

	"electop/model/znode"
)

// Observation is something that was seen: the only way into a [Journal].
// The sum is closed: the pointer types of this file, and [session.Table].
type Observation interface {
	// When is the time of the observation by this program's clock.
	When() time.Time
}

// Presence says whether a znode could be read.
type Presence string

const (
	Present Presence = "present"
	Absent  Presence = "absent"
	Denied  Presence = "denied" // the ACL forbids it
)

// Read is one read of the children of the election: the list and the parent's
// stat from one reply, then one read for each new child. It is not atomic:
// a child gone in between is listed in New as [Znode.Unread].
//
// Of an election that is a single ephemeral znode (Single) it is one read of
// that znode.
type Read struct {
	At time.Time `json:"at"`
	// Notified is when the notification that caused the read came; zero if
	// none did.
	Notified time.Time `json:"notified,omitzero"`
	// Heard is when the last request before the notification was sent that was
	// answered before it came: the change is after that. Sent is when the list
	// was asked for, which At answered, and End when the last of the new children
	// was read. Zero: not known.
	Heard    time.Time    `json:"heard,omitzero"`
	Sent     time.Time    `json:"sent,omitzero"`
	End      time.Time    `json:"end,omitzero"`
	Presence Presence     `json:"presence"`
	Parent   znode.Parent `json:"parent,omitzero"`
	// Full says that New holds every child, because nothing was known of this
	// parent. Otherwise the children are as in the read before, less Gone,
	// plus New.
	Full bool          `json:"full,omitempty"`
	New  []znode.Znode `json:"new,omitempty"`
	Gone []string      `json:"gone,omitempty"`
	// Witnesses exist, of [dialect.Witnesses].
	Witnesses []string `json:"witnesses,omitempty"`
	// Gap says that changes before this read went unwatched (the connection
	// was lost), so that a fresh [Snapshot] event is due.
	Gap bool `json:"gap,omitempty"`
	// Single says that the election's path is the leader's own znode. New holds
	// it, or nothing if there is no leader; its name is the path, or the path's
	// last element. There are no Parent, Full and Gone, and changes between two
	// reads cannot be counted.
	Single bool `json:"single,omitempty"`
}

// Delta is one change of the children, which a persistent watch reported. Deltas follow
// a [Read] of the same parent, or each other, in the order of the changes.
type Delta struct {
	// At is when the change was known: for a created child, when that was read.
	At time.Time `json:"at"`
	// Notified is when the notification came. Heard is as in Read.
	Notified time.Time `json:"notified"`
	Heard    time.Time `json:"heard,omitzero"`
	// New is the child that was created, Gone the name of the one that was deleted.
	New  *znode.Znode `json:"new,omitempty"`
	Gone string       `json:"gone,omitempty"`
	// Parent is the parent's stat, if it was read after the changes before and
	// before those after. Then there may be neither New nor Gone.
	Parent *znode.Parent `json:"parent,omitempty"`
	// Witnesses are as in Read.
	Witnesses []string `json:"witnesses,omitempty"`
}

// Refresh is a later read of one known child.
type Refresh struct {
	At    time.Time   `json:"at"`
	Znode znode.Znode `json:"znode"`
}

// Ack is a read of the acknowledgement znode, by which a leader says that it
// ran its leader procedure.
type Ack struct {
	At       time.Time  `json:"at"`
	Notified time.Time  `json:"notified,omitzero"` // these as in Read
	Heard    time.Time  `json:"heard,omitzero"`
	Sent     time.Time  `json:"sent,omitzero"`
	Path     string     `json:"path,omitempty"` // "": the journal's
	Presence Presence   `json:"presence"`
	Session  uint64     `json:"session,omitempty"` // ephemeral owner
	Czxid    int64      `json:"czxid,omitempty"`
	Data     znode.Data `json:"data,omitzero"`
}

// Directory is a read of a directory beside the election, with its children: see
// [State.Around].
type Directory struct {
	At       time.Time    `json:"at"`
	Path     string       `json:"path"`
	Presence Presence     `json:"presence"`
	Parent   znode.Parent `json:"parent,omitzero"` // of the directory, in the reply with the names
	// Names are the children, sorted; none if there are more than [NamesMax].
	// Children were read: the first [ChildrenMax] at most.
	Names    []string      `json:"names,omitempty"`
	Children []znode.Znode `json:"children,omitempty"`
}

// Bounds of what is read of a directory beside an election.
const (
	NamesMax    = 1000
	ChildrenMax = 64
)

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
	Refused bool          `json:"refused,omitempty"` // the servers answer, and do not accept this client
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
	Recipe string    `json:"recipe"` // see [dialect.RecipeNamed]; an unknown one is ignored
	// Dialect, if set, is the system that it was recognised as by then, by
	// [Dialect.ID], or "none". Only [State.Observations] say so, before the first read.
	Dialect string `json:"dialect,omitempty"`
}

// Wake says what the deletion of a child of the election caused, as the server
// counted it. Only the embedded server reports it, in the order of the deletions,
// and before everything that was seen after the deletion. One of the same Znode and
// Zxid replaces the one before; the end of a session may delete several znodes with
// one zxid.
type Wake struct {
	At      time.Time `json:"at"`
	Deleted time.Time `json:"deleted"` // when the server deleted it
	Znode   string    `json:"znode"`   // its name in the election
	Zxid    int64     `json:"zxid"`    // of the deletion
	// Notified are the sessions that watched the znode itself and were notified.
	Notified []uint64 `json:"notified,omitempty"`
	// Requests counts their requests since, without pings. BytesIn are those
	// requests, BytesOut the notifications and the replies, with their prefixes.
	Requests int   `json:"requests,omitempty"`
	BytesIn  int64 `json:"bytes_in,omitempty"`
	BytesOut int64 `json:"bytes_out,omitempty"`
	// Settled says that these numbers are final.
	Settled bool `json:"settled,omitempty"`
}

// Pace is how much the embedded server delays its replies and notifications now,
// and what it holds back.
type Pace struct {
	At time.Time `json:"at"`
	// Delay is for how long each reply and notification is held, ns.
	Delay time.Duration `json:"delay,omitempty"`
	// Steps says that each is held until it is released.
	Steps bool `json:"steps,omitempty"`
	// Held are the first of them, the next to go first; Waiting is how many
	// there are.
	Held    []Message `json:"held,omitempty"`
	Waiting int       `json:"waiting,omitempty"`
	// Passed left since the last report, in that order, and Unlisted is
	// how many more there were before these.
	Passed   []Passed `json:"passed,omitempty"`
	Unlisted int      `json:"unlisted,omitempty"`
}

// MessagesMax bounds [Pace.Held] and [Pace.Passed].
const MessagesMax = 256

// Message is a reply or a notification on its way.
type Message struct {
	Session uint64 `json:"session"`
	// N counts the messages in the order in which they were made, up from 1; 0 in
	// recordings of older versions.
	N     int       `json:"n,omitempty"`
	Since time.Time `json:"since"` // when it was made; the request of a reply came then
	// Op is the request that it answers, as ZooKeeper's documentation calls it
	// ("getChildren"), and "notification" for a watch event.
	Op   string `json:"op"`
	Path string `json:"path,omitempty"` // that it is about, "" for none or several
	// Event is the type of a notification: "created", "deleted", "changed" or
	// "children".
	Event string `json:"event,omitempty"`
	Err   string `json:"err,omitempty"` // of a reply, "" for none
}

// Notification is [Message.Op] of a watch event.
const Notification = "notification"

// Passed is a message that is no longer held.
type Passed struct {
	Message
	Left time.Time `json:"left"`
	// Dropped says that its connection ended first: it was never sent.
	Dropped bool `json:"dropped,omitempty"`
}

// Rules says what the demo has its candidates and their workers do.
type Rules struct {
	At      time.Time `json:"at"`
	Workers bool      `json:"workers,omitempty"` // each leader has a worker that writes
	Fenced  bool      `json:"fenced,omitempty"`  // workers check the leader's znode with each write
	NoGuid  bool      `json:"no_guid,omitempty"` // new znodes have no guid in their name
	Chaos   string    `json:"chaos,omitempty"`   // "seed 42, 2/s": trouble is made at random
}

// Resource is something that a leader's worker writes to.
type Resource string

const (
	// Counter is a znode that all workers share.
	Counter Resource = "counter"
	// Tokens is a resource outside of ZooKeeper that takes each write with a
	// fencing token and refuses a lower one than the highest it has seen.
	Tokens Resource = "tokens"
)

// Write is one attempt of a leader's worker, after its outcome is known.
type Write struct {
	At       time.Time `json:"at"`
	Member   string    `json:"member"` // the worker's leader: a [Member.ID]
	Znode    string    `json:"znode"`  // of the leader, by name
	Token    int64     `json:"token"`  // its czxid
	Resource Resource  `json:"resource"`
	Fenced   bool      `json:"fenced,omitempty"`
	// Refused says that it was not carried out, and Reason why.
	Refused bool   `json:"refused,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Zxid    int64  `json:"zxid,omitempty"` // of the change of the counter
	Value   int64  `json:"value,omitempty"`
}

// Advance says that time passed, for what the journal only waits for (see
// [Journal.Held]), and for what the doctor waits for.
type Advance struct {
	At time.Time `json:"at"`
}

func (o *Read) When() time.Time       { return o.At }
func (o *Delta) When() time.Time      { return o.At }
func (o *Follow) When() time.Time     { return o.At }
func (o *Refresh) When() time.Time    { return o.At }
func (o *Ack) When() time.Time        { return o.At }
func (o *Directory) When() time.Time  { return o.At }
func (o *Connection) When() time.Time { return o.At }
func (o *Cast) When() time.Time       { return o.At }
func (o *Switch) When() time.Time     { return o.At }
func (o *Wake) When() time.Time       { return o.At }
func (o *Pace) When() time.Time       { return o.At }
func (o *Rules) When() time.Time      { return o.At }
func (o *Write) When() time.Time      { return o.At }
func (o *Advance) When() time.Time    { return o.At }

// A FollowedBy is how an observer learns of changes.
type FollowedBy string

const (
	// ByWatch is one persistent watch, whose notifications name each change.
	ByWatch FollowedBy = "watch"
	// ByReads is a read of all children for each notification that something changed.
	ByReads FollowedBy = "reads"
)

// A FollowReason is why an observer reads although it may use a persistent watch.
type FollowReason string

const (
	// FollowAsked: the user wants it so.
	FollowAsked FollowReason = "asked"
	// FollowUnsupported: the server has no addWatch (it is before ZooKeeper 3.6).
	FollowUnsupported FollowReason = "unsupported"
	// FollowRefused: the server refuses the watch.
	FollowRefused FollowReason = "refused"
	// FollowHidden: a child may not be read, and servers withhold its events.
	FollowHidden FollowReason = "hidden"
	// FollowMissed: the watch missed changes.
	FollowMissed FollowReason = "missed"
	// FollowFlooded: too many other changes below the election come with it.
	FollowFlooded FollowReason = "flooded"
)

// Follow says how changes are learnt of from now on.
type Follow struct {
	At  time.Time    `json:"at"`
	By  FollowedBy   `json:"by"`
	Why FollowReason `json:"why,omitempty"` // "" with ByWatch
}
