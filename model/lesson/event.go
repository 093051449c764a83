package lesson

// Event is what a condition waits for.
type Event string

const (
	// Of the queue.
	Joined  Event = "joined"  // a new contender; Who: one of ours that rejoined, or "you"
	Left    Event = "left"    // Who, one of ours for the Cause that is known of it
	Handoff Event = "handoff" // from Who to To, for a Cause
	// Elected: Who leads, but did not acknowledge within the time that a handoff
	// allows. Acknowledged: it did.
	Elected      Event = "elected"
	Acknowledged Event = "acknowledged"
	Ghosted      Event = "ghost"       // the session of Who owns two contenders
	AllSettled   Event = "all settled" // all of ours are in the queue and know their place, and one leads

	// Of our own candidates.
	Frozen      Event = "frozen"
	Thawed      Event = "thawed"
	Killed      Event = "killed"
	Partitioned Event = "partitioned"
	SlowLead    Event = "slow lead"
	QuickLead   Event = "quick lead" // the end of slow lead
	NoGuid      Event = "no guid"
	Found       Event = "found"    // it found its znode by the name
	Believes    Event = "believes" // Belief
	Watches     Event = "watches"  // To
	Believers   Event = "believers"

	// Of the demo as a whole.
	Recipe      Event = "recipe"
	GuardOn     Event = "guard on"
	GuardOff    Event = "guard off"
	Slowed      Event = "slowed"
	FullSpeed   Event = "full speed"
	Woke        Event = "wake" // what the deletion of Who caused is counted to the end
	StaleWrite  Event = "stale write"
	GuardHeld   Event = "guard refused" // a worker's write, because its leader's znode is gone
	TokenHeld   Event = "token refused" // by the outside resource, which saw a higher token
	Counted     Event = "counted"       // the servers reported how many watches they hold
	Asked       Event = "asked"         // they reported who watches what, while Who is in the queue
	Verified    Event = "verified"      // they reported the expected watch of Who; no Who: of all candidates
	NotVerified Event = "not verified"  // they reported, and Who is in the queue without that watch
	Unwatched   Event = "unwatched"     // they reported, and only Who watches its own znode
)
