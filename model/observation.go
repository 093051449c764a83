package model

import (
	"slices"
	"time"

	"electop/model/znode"
)

// Observation is one input of a [Journal]: a pointer to a type of this file, or to [session.Table].
type Observation interface {
	// When returns the time of the observation on this program's clock.
	When() time.Time
}

// Presence is the result of an attempt to read a znode.
type Presence string

const (
	Present Presence = "present"
	Absent  Presence = "absent"
	Denied  Presence = "denied" // the ACL forbids the read
)

// Read is one read of the election's children: the list with the parent's stat, then each new child. A child that
// no longer existed is Unread. Of a queue's new items after the first [dialect.FirstItems], only the names are read.
type Read struct {
	At time.Time `json:"at"` // of the reply with the list
	// Notified is the time of the notification that caused the read; zero for none.
	Notified time.Time `json:"notified,omitzero"`
	// AppliedAfter is when the observer sent the last request whose reply came before the notification.
	// Sent is when the list was requested, End when the last new child was read. Zero means unknown.
	AppliedAfter time.Time    `json:"heard,omitzero"`
	Sent         time.Time    `json:"sent,omitzero"`
	End          time.Time    `json:"end,omitzero"`
	Presence     Presence     `json:"presence"`
	Parent       znode.Parent `json:"parent,omitzero"`
	// Full reports whether New has all children. If not, New and Gone are the changes since the
	// previous Read or Delta.
	Full bool          `json:"full,omitempty"`
	New  []znode.Znode `json:"new,omitempty"`
	Gone []string      `json:"gone,omitempty"`
	// Data is the parent's own data, if the parent has no children.
	Data znode.Data `json:"data,omitzero"`
	// Markers are the paths of [dialect.Markers] that exist. The JSON name comes from older recordings.
	Markers []string `json:"witnesses,omitempty"`
	// Gap reports whether changes before this read were not watched. A [Snapshot] event follows.
	Gap bool `json:"gap,omitempty"`
	// Single reports whether the election's path is the leader's own znode. If so, New has that
	// znode or nothing, and Parent, Full and Gone are not used.
	Single bool `json:"single,omitempty"`
}

// Delta is one change of the children, from a persistent watch. Deltas follow a [Read] of
// the same parent, in the order of the changes.
type Delta struct {
	// At is when the observer had the notification and, if a child was created, had read the child.
	At           time.Time `json:"at"`
	Notified     time.Time `json:"notified"` // Notified, AppliedAfter and Markers are as in Read
	AppliedAfter time.Time `json:"heard,omitzero"`
	// New is a created child. Gone is the name of a deleted child.
	New  *znode.Znode `json:"new,omitempty"`
	Gone string       `json:"gone,omitempty"`
	// Parent is the parent's stat, if the stat was read after this change. If Parent is set, New and
	// Gone may both be missing.
	Parent  *znode.Parent `json:"parent,omitempty"`
	Markers []string      `json:"witnesses,omitempty"`
}

// Refresh is a later read of one known child.
type Refresh struct {
	At    time.Time   `json:"at"`
	Znode znode.Znode `json:"znode"`
}

// Ack is a read of a znode of [State.Followed], usually of the acknowledgement.
type Ack struct {
	At           time.Time  `json:"at"`
	Notified     time.Time  `json:"notified,omitzero"` // Notified, AppliedAfter and Sent are as in Read
	AppliedAfter time.Time  `json:"heard,omitzero"`
	Sent         time.Time  `json:"sent,omitzero"`
	Path         string     `json:"path,omitempty"` // "": the first of [State.AckPaths]
	Presence     Presence   `json:"presence"`
	Session      uint64     `json:"session,omitempty"` // the ephemeral owner
	Czxid        int64      `json:"czxid,omitempty"`
	Data         znode.Data `json:"data,omitzero"`
}

// Directory is a read of a directory of [State.Around] or [State.Counted].
type Directory struct {
	At       time.Time    `json:"at"`
	Path     string       `json:"path"`
	Presence Presence     `json:"presence"`
	Parent   znode.Parent `json:"parent,omitzero"` // of the directory
	// Names are the sorted names of the children. Names is not set for [State.Counted], or if there are more
	// than [NamesMax] children. Children has the znodes of the first [ChildrenMax] Names, without deleted znodes.
	Names    []string      `json:"names,omitempty"`
	Children []znode.Znode `json:"children,omitempty"`
}

// Bounds of a [Directory].
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
	Expired      Link = "expired" // the session expired; another session will follow
)

// Connection is a change of the observer's connection, or a newly measured round trip.
type Connection struct {
	At      time.Time     `json:"at"`
	Link    Link          `json:"link"`
	Server  string        `json:"server,omitempty"` // host:port
	Session uint64        `json:"session,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"` // negotiated, ns
	RTT     time.Duration `json:"rtt,omitempty"`     // ns; 0: not measured yet
	Err     string        `json:"err,omitempty"`     // why there is no connection
	Refused bool          `json:"refused,omitempty"` // the servers answer, but refuse this client
}

// Cast is a report about a member, usually by the member itself; Gone removes the member.
type Cast struct {
	At     time.Time `json:"at"`
	Member Member    `json:"member"`
	Gone   bool      `json:"gone,omitempty"`
}

// Switch is a change of the recipe that the candidates use.
type Switch struct {
	At     time.Time `json:"at"`
	Recipe string    `json:"recipe"` // see [dialect.RecipeNamed]; an unknown recipe is ignored
	// Dialect is the ID of the recognised dialect, "none", or not set. Only [State.Observations] sets
	// it, before the first read.
	Dialect string `json:"dialect,omitempty"`
}

// DeletionReport is the embedded server's report about the deletion of a child. The first reports of deletions have
// the order of the deletions, and come before any observation that shows the deletion. A later DeletionReport with
// the same Znode and Zxid replaces the earlier DeletionReport.
type DeletionReport struct {
	At      time.Time `json:"at"`
	Deleted time.Time `json:"deleted"` // when the server deleted the child
	Znode   string    `json:"znode"`   // the name of the child
	Zxid    int64     `json:"zxid"`    // of the deletion
	// Notified are the notified sessions that watched the znode itself. The server omits the znode's owner.
	Notified []uint64 `json:"notified,omitempty"`
	// Requests counts the later requests of these sessions, without pings and lease renewals. BytesIn is
	// the size of the requests, BytesOut the size of the notifications and replies.
	Requests int   `json:"requests,omitempty"`
	BytesIn  int64 `json:"bytes_in,omitempty"`
	BytesOut int64 `json:"bytes_out,omitempty"`
	Settled  bool  `json:"settled,omitempty"` // Requests, BytesIn and BytesOut are final
}

// Pace is the embedded server's present delay of replies and notifications.
type Pace struct {
	At    time.Time     `json:"at"`
	Delay time.Duration `json:"delay,omitempty"` // how long each message is held, ns
	Steps bool          `json:"steps,omitempty"` // each message is held until the user releases it
	// Held are the first held messages, in sending order. Waiting counts all held messages.
	Held    []Message `json:"held,omitempty"`
	Waiting int       `json:"waiting,omitempty"`
	// Passed are the last messages that left since the previous report, in order. Unlisted counts
	// the messages that left between the previous report and these.
	Passed   []Passed `json:"passed,omitempty"`
	Unlisted int      `json:"unlisted,omitempty"`
}

// Slowed reports whether the server delays or holds messages. p may be nil.
func (p *Pace) Slowed() bool { return p != nil && (p.Steps || p.Delay > 0) }

// Holds reports whether one of p.Held is for the session. p may be nil.
func (p *Pace) Holds(session uint64) bool {
	return p != nil && slices.ContainsFunc(p.Held, func(m Message) bool { return m.Session == session })
}

// MessagesMax bounds [Pace.Held] and [Pace.Passed].
const MessagesMax = 256

// Message is a reply or a notification of the embedded server.
type Message struct {
	Session uint64 `json:"session"`
	// N numbers the held messages from 1 in the order in which the server made them; 0 in older recordings.
	N     int       `json:"n,omitempty"`
	Since time.Time `json:"since"` // when the server made the message
	// Op is the answered request ("getChildren"), or "notification" for a watch event.
	Op    string `json:"op"`
	Path  string `json:"path,omitempty"`  // the message's znode, "" for none or several
	Event string `json:"event,omitempty"` // of a notification: "created", "deleted", "changed" or "children"
	Err   string `json:"err,omitempty"`   // of a reply, "" for none
}

// Notification is [Message.Op] of a watch event.
const Notification = "notification"

// Passed is a message that is no longer held.
type Passed struct {
	Message
	Left    time.Time `json:"left"`
	Dropped bool      `json:"dropped,omitempty"` // the connection ended before the message was sent
}

// Rules has the demo's settings for its candidates and their workers.
type Rules struct {
	At      time.Time `json:"at"`
	Workers bool      `json:"workers,omitempty"` // each leader has a worker that writes
	Fenced  bool      `json:"fenced,omitempty"`  // workers check the leader's znode with each write
	NoGuid  bool      `json:"no_guid,omitempty"` // new znodes have no guid in their name
	Chaos   string    `json:"chaos,omitempty"`   // "seed 42, 2/s": random faults
}

// Resource is something that a leader's worker writes to.
type Resource string

const (
	// Counter is a znode that all workers write.
	Counter Resource = "counter"
	// Tokens is a resource outside of ZooKeeper. It refuses a write whose fencing token is lower
	// than the highest so far.
	Tokens Resource = "tokens"
)

// Write is one attempt of a leader's worker to write, with the outcome.
type Write struct {
	At       time.Time `json:"at"`
	Member   string    `json:"member"` // the worker's leader: a [Member.ID]
	Znode    string    `json:"znode"`  // the name of the leader's znode
	Token    int64     `json:"token"`  // the czxid of Znode
	Resource Resource  `json:"resource"`
	Fenced   bool      `json:"fenced,omitempty"`
	Refused  bool      `json:"refused,omitempty"`
	Reason   string    `json:"reason,omitempty"` // of the refusal
	Zxid     int64     `json:"zxid,omitempty"`   // of the change of the counter
	Value    int64     `json:"value,omitempty"`  // the written value
}

// Advance reports that time passed, for example until [Journal.Held].
type Advance struct {
	At time.Time `json:"at"`
}

func (o *Read) When() time.Time           { return o.At }
func (o *Delta) When() time.Time          { return o.At }
func (o *Follow) When() time.Time         { return o.At }
func (o *Refresh) When() time.Time        { return o.At }
func (o *Ack) When() time.Time            { return o.At }
func (o *Directory) When() time.Time      { return o.At }
func (o *Connection) When() time.Time     { return o.At }
func (o *Cast) When() time.Time           { return o.At }
func (o *Switch) When() time.Time         { return o.At }
func (o *DeletionReport) When() time.Time { return o.At }
func (o *Pace) When() time.Time           { return o.At }
func (o *Rules) When() time.Time          { return o.At }
func (o *Write) When() time.Time          { return o.At }
func (o *Advance) When() time.Time        { return o.At }

// FollowedBy is the way in which an observer follows changes.
type FollowedBy string

const (
	ByWatch FollowedBy = "watch" // one persistent watch, whose notifications name each change
	ByReads FollowedBy = "reads" // a read of all children for each notification that something changed
)

// FollowReason is the reason why an observer does not use a persistent watch.
type FollowReason string

const (
	FollowByChoice    FollowReason = "asked"       // the user wants reads
	FollowUnsupported FollowReason = "unsupported" // the server has no addWatch, like ZooKeeper before 3.6
	FollowRefused     FollowReason = "refused"     // the server refuses the watch
	FollowHidden      FollowReason = "hidden"      // a child's ACL forbids reads, so the servers may withhold the child's events
	FollowMissed      FollowReason = "missed"      // the watch missed changes
	FollowFlooded     FollowReason = "flooded"     // too many events are not about a created or deleted child
)

// Follow reports how the observer follows changes from now on.
type Follow struct {
	At  time.Time    `json:"at"`
	By  FollowedBy   `json:"by"`
	Why FollowReason `json:"why,omitempty"` // "" with ByWatch
}
