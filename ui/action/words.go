package action

import "electop/model/dialect"

// Verb is what an action is called in a sentence.
func Verb(a Action) string {
	switch {
	case a.Arg == ArgThaw, a.Arg == ArgWithdraw:
		return a.Arg
	case a.Kind == Herd && a.Arg == dialect.Election().Name():
		return "predecessor"
	case a.Kind == Slow:
		return a.Arg
	case a.Kind == Partition && a.Arg == ArgOff:
		return "heal"
	case a.Kind == NoGuid && a.Arg == ArgOff:
		return "guid again"
	case a.Kind == SlowLead && a.Arg == ArgOff:
		return "lead on"
	case (a.Kind == Workers || a.Kind == Fence) && a.Arg == ArgOff:
		return "no " + string(a.Kind)
	case a.Kind == Step:
		return "one protocol step"
	case a.Kind == Refresh:
		return "read again"
	case a.Kind == Discover:
		return "look for elections"
	}
	return string(a.Kind)
}

// Done says that a was done to the candidate of that name, "" for what says so
// itself.
func Done(a Action, name string) string {
	switch a.Kind {
	case Spawn:
		return "one more candidate volunteers"
	case Kill:
		return name + " is killed: its connection is cut, with no goodbye"
	case Freeze:
		if a.Arg == ArgThaw {
			return name + " is thawed and finds out what happened meanwhile"
		}
		return name + " is frozen: it reads, writes and decides nothing"
	case Resign:
		return name + " resigns"
	case Campaign:
		if a.Arg == ArgWithdraw {
			return "this program withdraws from the election"
		}
		return "this program stands for election"
	case Herd:
		if a.Arg == dialect.Herd().Name() {
			return "herd: from now on everybody watches the leader"
		}
		return "from now on everybody watches its predecessor"
	case Partition:
		return name + map[string]string{
			ArgOn:  " is cut off: nothing passes between it and the servers, and it runs on",
			ArgOff: " reaches the servers again and finds out what happened meanwhile",
		}[a.Arg]
	case LoseReply:
		return name + " volunteers anew, and the reply to its create gets lost"
	case NoGuid:
		return map[string]string{
			ArgOn:  "the next znode of " + name + " has no guid in its name: a lost reply makes a ghost",
			ArgOff: "the next znode of " + name + " has a guid again, by which it finds it after a lost reply",
		}[a.Arg]
	case Expire:
		return "the session of " + name + " expires now, and its znode goes with it"
	case SlowLead:
		return map[string]string{
			ArgOn:  name + " will not finish its leader procedure: elected, not acknowledged",
			ArgOff: name + " finishes its leader procedure",
		}[a.Arg]
	case Slow:
		return map[string]string{ArgSlower: "the server speaks more slowly", ArgFaster: "the server speaks faster"}[a.Arg]
	case Step:
		return "one protocol step"
	case Workers:
		return map[string]string{
			ArgOn:  "leaders have workers from now on, which write to a shared counter",
			ArgOff: "the workers stop",
		}[a.Arg]
	case Fence:
		return map[string]string{
			ArgOn:  "fence on: a write is done only if the leader's znode is there",
			ArgOff: "fence off: each write is a plain set",
		}[a.Arg]
	}
	return ""
}
