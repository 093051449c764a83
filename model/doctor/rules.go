package doctor

// rules is the table of what the doctor looks for. It is never written.
var rules = []rule{
	{id: "no-leader", check: noLeader},
	{id: "ghost-node", check: ghostNode},
	{id: "two-leaders", check: twoLeaders},
	{id: "reset-livelock", check: resetLivelock},
	{id: "parent-vanished", check: parentVanished, always: true},
	{id: "missing-watch", check: missingWatch},
	{id: "wrong-watch", check: wrongWatch},
	{id: "watch-cycle", check: watchCycle, sure: true, byTables: true},
	{id: "dropped-candidate", check: droppedCandidate, byTables: true},
	{id: "abandoned-attempt", check: abandonedAttempt},
	{id: "zombie-leader", check: zombieLeader},
	{id: "silent-candidate", check: silentCandidates},
	{id: "expired-leader", check: expiredLeader},
	{id: "deleted-leader", check: deletedLeader},
	{id: "sequence-limit", check: sequenceLimit, always: true, sure: true},
	{id: "ack-disagrees", check: ackDisagrees},
	{id: "leader-member", check: leaderMember},
	{id: "epoch-jump", check: epochJump},
	{id: "flapping", check: flapping},
	{id: "herd", check: herdWatch},
	{id: "ensemble-split", check: ensembleSplit, always: true, sure: true},
	{id: "zxid-rollover", check: zxidRollover, always: true, sure: true},
	{id: "ephemerals-differ", check: ephemeralsDiffer, always: true, sure: true, byTables: true},
	{id: "foreign-child", check: foreignChild},
}
