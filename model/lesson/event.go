package lesson

// Event is what a condition waits for.
type Event string

const (
	// Of the queue.
	Joined  Event = "joined"  // a contender; Who: one of ours volunteered anew, or "you"
	Left    Event = "left"    // Who, one of ours for the Cause that is known of it
	Handoff Event = "handoff" // from Who to To, for a Cause
	// Elected: Who leads and did not acknowledge it in the time that handoffs are
	// given for that. Acknowledged: it did.
	Elected      Event = "elected"
	Acknowledged Event = "acknowledged"
	Ghosted      Event = "ghost"     // the session of Who owns two contenders
	AllStand     Event = "all stand" // all of ours do, know their place, and one leads

	// Of our own candidates.
	Frozen      Event = "frozen"
	Thawed      Event = "thawed"
	Killed      Event = "killed"
	Partitioned Event = "partitioned"
	SlowLead    Event = "slow lead"
	QuickLead   Event = "quick lead" // that was taken back
	NoGuid      Event = "no guid"
	Found       Event = "found"    // it found its znode by the name
	Believes    Event = "believes" // Belief
	Watches     Event = "watches"  // To
	Believers   Event = "believers"

	// Of the demo as a whole.
	Recipe      Event = "recipe"
	FenceOn     Event = "fence on"
	FenceOff    Event = "fence off"
	Slowed      Event = "slowed"
	FullSpeed   Event = "full speed"
	Woke        Event = "wake" // what the deletion of Who caused is counted to the end
	StaleWrite  Event = "stale write"
	FenceHeld   Event = "fence refused" // a worker's write, for its leader's znode is gone
	TokenHeld   Event = "token refused" // by the outside resource, for a higher one was seen
	Counted     Event = "counted"       // the servers told how many watches they hold
	Asked       Event = "asked"         // they told who watches what, while Who stands
	Verified    Event = "verified"      // they told that Who watches as it should; no Who: all do
	NotVerified Event = "not verified"  // they told, and Who stands but has no such watch
	Unwatched   Event = "unwatched"     // they told, and nobody watches Who but itself
)
