package doctor

// rules is the table of what the doctor looks for. It is never written.
var rules = []rule{
	{"ghost-node", ghostNode},
	{"two-leaders", twoLeaders},
	{"reset-livelock", resetLivelock},
	{"parent-vanished", parentVanished},
	{"missing-watch", missingWatch},
	{"wrong-watch", wrongWatch},
	{"watch-cycle", watchCycle},
	{"dropped-candidate", droppedCandidate},
	{"abandoned-attempt", abandonedAttempt},
	{"zombie-leader", zombieLeader},
	{"sequence-limit", sequenceLimit},
	{"ack-disagrees", ackDisagrees},
	{"flapping", flapping},
	{"herd", herdWatch},
	{"ensemble-split", ensembleSplit},
	{"zxid-rollover", zxidRollover},
	{"ephemerals-differ", ephemeralsDiffer},
	{"foreign-child", foreignChild},
}
