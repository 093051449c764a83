// Package action is what the user can want done to an election. Each action is
// one value of [Table]: its key and where that works, its names and texts, and
// what the key would do now. The table of keys, the footer, the help, the list of
// faults, the status line and the documentation read it. A [Situation] says what a key
// would do at a moment, or why it cannot.
//
// To add an action, add a value to the table. Where it touches the server, it is
// one more value in the [Acts] of the dashboard (package ui/cli/dashboard).
package action

// Kind is what an [Action] does.
type Kind string

const (
	Spawn    Kind = "spawn"    // one more candidate
	Kill     Kind = "kill"     // cut its connection, no goodbye
	Freeze   Kind = "freeze"   // freeze, or thaw: ArgOn, ArgOff
	Resign   Kind = "resign"   // close its session
	Campaign Kind = "campaign" // enter the election or leave it: ArgOn, ArgOff
	Herd     Kind = "herd"     // everybody watches the leader, or not: ArgOn, ArgOff
	Refresh  Kind = "refresh"  // read a candidate's data again: Arg is its znode's path
	Pause    Kind = "pause"    // replays only: stop or continue the playback
	Verify   Kind = "verify"   // ask the servers now who watches what; done once that has begun
	Discover Kind = "discover" // look for elections; done once that has begun: its result comes with a later state
	Open     Kind = "open"     // watch one more election: Target is its path
	Listing  Kind = "listing"  // the list of elections is on the screen, or is not any more: ArgOn, ArgOff

	// Faults, to see what happens. Where Arg is not said to be on or off, it is
	// done once.
	Partition Kind = "partition"  // cut a candidate's network, or heal it: ArgOn, ArgOff
	LoseReply Kind = "lose reply" // it rejoins, and the reply to its create is lost
	NoGuid    Kind = "no guid"    // its next znodes have no guid in their name: ArgOn, ArgOff
	Expire    Kind = "expire"     // its session expires now
	SlowLead  Kind = "slow lead"  // its leader procedure does not end: ArgOn, ArgOff

	// Of the demo as a whole.
	Slow    Kind = "slow"    // how slowly the server speaks: ArgSlower, ArgFaster
	Step    Kind = "step"    // let one protocol step go, and hold the next ones
	Workers Kind = "workers" // leaders have workers that write: ArgOn, ArgGuard, ArgOff
)

// What [Action.Arg] says where a key has two meanings.
const (
	ArgOn     = "on"
	ArgOff    = "off"
	ArgGuard  = "guard" // workers check the leader's znode with each write
	ArgSlower = "slower"
	ArgFaster = "faster"
)

// Action is something the user wants done outside the dashboard.
type Action struct {
	Kind Kind
	// Election is the path of the election that was on the screen.
	Election string
	// Target is the ID of one of our own members, else the full path of a
	// znode, or "" where the kind needs none.
	Target string
	Arg    string
}

// Did is the error of an action that went well and has something to say about it.
type Did string

// Error implements error.
func (d Did) Error() string { return string(d) }

// Unless is what a key does that turns something on, or off if it is on.
func Unless(on bool) string {
	if on {
		return ArgOff
	}
	return ArgOn
}
