package action

import (
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
)

func onOff(on func(s *doctor.State, m *model.Member) bool) func(*doctor.State, *model.Member) string {
	return func(s *doctor.State, m *model.Member) string { return Toggle(on(s, m)) }
}

// Table has all actions, in the order of the help. It is read-only.
var Table = []Def{
	{
		Kind: Spawn, Key: "s", Where: OnMain, Label: "spawn", Foot: 1, Drop: 1, Changes: true,
		Help:  "add a candidate",
		Words: Words{Done: "a candidate was added"},
	},
	{
		Kind: Kill, Key: "x", Where: OnMain | OnFaults, Label: "kill", Foot: 2, Drop: 1, Changes: true, Harms: true, OfCandidate: true,
		Help: "cut the connection without closing the session",
		Words: Words{
			Is:    "its connection is cut; its session is not closed",
			Shows: "Its znode stays until its session expires. If it leads, no other candidate can lead until then.",
			Done:  "{name} is killed: its connection is cut, its session is not closed",
		},
	},
	{
		Kind: Freeze, Key: "f", Where: OnMain | OnFaults, Label: "freeze", Foot: 3, Drop: 1, Changes: true, Harms: true, OfCandidate: true,
		Help: "pause the selected candidate; thaw it",
		Next: onOff(func(_ *doctor.State, m *model.Member) bool { return m.Fault == model.Frozen }),
		Words: Words{
			Is:    "a long pause, as in garbage collection",
			Shows: "Its session expires. A frozen leader still believes that it leads when another candidate leads: two leaders, one of them wrong.",
			Done:  "{name} is frozen: it reads, writes and decides nothing",
		},
		Undo: Words{
			Verb:  "thaw",
			Is:    "it runs again, and learns what happened",
			Shows: "It must check its lease and its session before it does anything as a leader.",
			Done:  "{name} is thawed and learns what happened meanwhile",
		},
	},
	{
		Kind: Resign, Key: "d", Where: OnMain | OnFaults, Label: "resign", Foot: 4, Drop: 1, Changes: true, OfCandidate: true,
		Help: "close the session of the selected candidate",
		Words: Words{
			Is:    "it leaves on purpose",
			Shows: "It closes its session, and its znode is deleted with it. The quickest handoff: nobody has to wait for a session to expire.",
			Done:  "{name} resigns",
		},
	},
	{
		Kind: Campaign, Key: "c", Where: OnMain, Label: "campaign", Foot: 5, Drop: 2, Changes: true,
		Help:  "become a candidate, or withdraw",
		Next:  onOff(campaigning),
		Words: Words{Done: "electop is a candidate now"},
		Undo:  Words{Verb: "withdraw", Done: "electop withdrew from the election"},
	},
	{
		Kind: Herd, Key: "h", Where: OnMain, Label: "herd", Foot: 6, Drop: 1, Changes: true,
		Help:  "candidates watch the leader, or their predecessors",
		Next:  onOff(func(s *doctor.State, _ *model.Member) bool { return s.Recipe.Name() == dialect.Herd().Name() }),
		Words: Words{Cant: "change the recipe", Done: "herd: from now on electop's candidates watch the leader"},
		Undo:  Words{Verb: "predecessor", Cant: "change the recipe", Done: "from now on electop's candidates watch their predecessors"},
	},
	{
		Kind: Slow, Arg: ArgSlower, Key: "[", Where: OnMain, Label: "slower", Shown: "[ ]", Foot: 10, Drop: 3, Changes: true, Demo: true, Matters: slowed,
		Help:  "delay messages more, and finally hold them",
		Words: Words{Verb: "slower", Cant: "slow the server down", Done: "slower"},
	},
	{
		Kind: Slow, Arg: ArgFaster, Key: "]", Where: OnMain, Label: "faster", Changes: true,
		Help:  "delay messages less, or not at all",
		Words: Words{Verb: "faster", Cant: "speed the server up", Done: "faster"},
	},
	{
		Kind: Step, Key: ".", Where: OnMain, Label: "step", Foot: 7, Changes: true, Demo: true, Matters: slowed,
		Help:  "release the next message, or skip a wait",
		Words: Words{Verb: "one protocol step", Cant: "go one step", Done: "one protocol step"},
	},
	{
		Kind: Workers, Key: "w", Where: OnMain, Label: "workers", Foot: 10, Drop: 3, Changes: true, Demo: true,
		Matters: func(s *doctor.State) bool { return s.Work.Rules.Workers },
		Help:    "leaders' workers: on, on with a guard, off",
		Next: func(s *doctor.State, _ *model.Member) string {
			switch r := &s.Work.Rules; {
			case !r.Workers:
				return ArgOn
			case !r.Fenced:
				return ArgGuard
			}
			return ArgOff
		},
		Words: Words{Cant: "add workers", Done: "from now on each leader has a worker that writes to a shared counter"},
		Undo:  Words{Verb: "no workers", Cant: "stop the workers", Done: "the workers stop"},
	},
	{Kind: Workers, Arg: ArgGuard, Words: Words{Verb: "guard", Cant: "guard the writes", Done: "guard on: a write is done only if the leader's znode exists"}},
	{
		Kind: Verify, Key: "v", Where: OnMain, Label: "verify", Foot: 10, Drop: 3,
		Help:  "query the servers now: who watches what",
		Words: Words{Begun: "querying the servers: who watches what"},
	},
	{
		Kind: Discover, Key: "r", Where: OnElections, Label: "search again", Foot: 2,
		Help:  "search the cluster for elections again",
		Words: Words{Verb: "search for elections", Begun: "searching for elections"},
	},
	{Kind: Refresh, OfCandidate: true, Words: Words{Verb: "read again"}},
	{Kind: Pause},
	{Kind: Open},
	{Kind: Listing},
	{
		Kind: Partition, Changes: true, Harms: true, OfCandidate: true,
		Next: onOff(func(_ *doctor.State, m *model.Member) bool { return m.Fault == model.Partitioned }),
		Words: Words{
			Is:    "nothing passes to the servers or back",
			Shows: "It runs and has a clock, so it stops leading before its session can expire, if clocks run at about the same rate.",
			Done:  "{name} is cut off: nothing passes between it and the servers, but it runs",
		},
		Undo: Words{
			Verb:  "heal",
			Is:    "its network works again",
			Shows: "It connects, learns whether its session is still alive, and rejoins if the session expired.",
			Done:  "{name} reaches the servers again and learns what happened meanwhile",
		},
	},
	{
		Kind: Expire, Changes: true, Harms: true, OfCandidate: true,
		Words: Words{
			Is:    "the server ends its session now",
			Shows: "The same as after the session timeout, but without the wait: its znode is deleted, and the candidate learns that when it connects again.",
			Done:  "the session of {name} expires now, and its znode is deleted",
		},
	},
	{
		Kind: LoseReply, Changes: true, Harms: true, OfCandidate: true,
		Words: Words{
			Cant:  "lose its reply",
			Is:    "the reply to its next create gets lost",
			Shows: "It rejoins and does not know that its znode exists. The guid in the name lets it find its own znode; without a guid it creates another znode, and the first is a ghost.",
			Done:  "{name} rejoins, and the reply to its create gets lost",
		},
	},
	{
		Kind: NoGuid, Changes: true, Harms: true, OfCandidate: true,
		Next: onOff(func(_ *doctor.State, m *model.Member) bool { return m.NoGuid }),
		Words: Words{
			Cant:  "omit the guid",
			Is:    "its next znodes have no guid",
			Shows: "If a reply is then lost, the candidate cannot find its own znode among the others, creates another, and leaves a ghost.",
			Done:  "the next znode of {name} has no guid in its name: a lost reply makes a ghost",
		},
		Undo: Words{
			Verb:  "guid again",
			Cant:  "restore the guid",
			Is:    "its next znodes have a guid again",
			Shows: "So it can find its own znode after a lost reply.",
			Done:  "the next znode of {name} has a guid again: {name} can find it after a lost reply",
		},
	},
	{
		Kind: SlowLead, Changes: true, Harms: true, OfCandidate: true,
		Next: onOff(func(_ *doctor.State, m *model.Member) bool { return m.SlowLead }),
		Words: Words{
			Cant:  "delay its leader procedure",
			Is:    "its leader procedure does not end",
			Shows: "It is elected and has not acknowledged. A program that reads only the queue to find the leader acts too early.",
			Done:  "from now on the leader procedure of {name} does not end",
		},
		Undo: Words{
			Verb:  "finish lead",
			Is:    "it finishes its leader procedure",
			Shows: "It acknowledges, and only then leads.",
			Done:  "{name} can finish its leader procedure",
		},
	},
}

func slowed(s *doctor.State) bool { return s.Pace.Slowed() }

func campaigning(s *doctor.State, _ *model.Member) bool {
	for _, m := range s.Members {
		if m.You && m.Belief != model.Resigned && m.Belief != model.Lost && m.Ending == model.NoEnding {
			return true
		}
	}
	return false
}
