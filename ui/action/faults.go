package action

// Faults are those of the list, from the most natural end to what goes
// wrong least often.
func Faults() []Kind {
	return []Kind{Resign, Kill, Freeze, Partition, Expire, LoseReply, NoGuid, SlowLead}
}

// FaultWords say what a fault is, and what it shows.
func FaultWords(a Action) (is, shows string) {
	off := a.Arg == ArgOff || a.Arg == ArgThaw
	switch a.Kind {
	case Resign:
		return "it closes its session, and its znode goes with it", "The quickest handoff: nobody has to wait for a session to expire."
	case Kill:
		return "its connection is cut, with no goodbye", "Its znode lives as long as its session, so nobody leads until the session timeout has passed."
	case Freeze:
		if off {
			return "it goes on, and finds out what happened", "It must look at its lease and its session before it does anything as a leader."
		}
		return "a long pause, as of a garbage collector", "Its session expires and another leads, while it goes on believing that it does: two leaders, of whom one knows nothing."
	case Partition:
		if off {
			return "its network works again", "It connects, learns whether its session is still alive, and volunteers anew if it is not."
		}
		return "nothing passes to the servers or back", "It runs and has a clock, so it stops leading by itself before its session can expire: never two leaders awake."
	case Expire:
		return "the server ends its session now", "What comes after the session timeout, without the wait: its znode is deleted, and it hears of it when it asks."
	case LoseReply:
		return "the reply to its next create gets lost", "It volunteers anew. Its znode is there, and it does not know. The guid in the name lets it find its own; without one it creates another, and the first is a ghost."
	case NoGuid:
		if off {
			return "its next znodes have a guid again", "So it can find its own znode after a lost reply."
		}
		return "its next znodes have no guid", "To be followed by a lost reply: it cannot tell its own znode from the others', creates another, and leaves a ghost."
	case SlowLead:
		if off {
			return "it finishes its leader procedure", "It acknowledges, and only then leads."
		}
		return "its leader procedure does not end", "It is elected and has not acknowledged: whoever asks the queue who leads asks too early."
	}
	return "", ""
}
