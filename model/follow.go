package model

import "time"

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
	// FollowMissed: the watch missed changes, again and again.
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

func (o *Follow) When() time.Time { return o.At }
