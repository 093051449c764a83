package doctor

import "time"

// wording has the words of a finding. A rule replaces the names in braces.
type wording struct {
	severity            Severity
	wait                time.Duration
	title, harm, advice string
	references          []string
}

var (
	noAcknowledgement = wording{Critical, 0,
		"no leader: the first candidate has not acknowledged",
		"Clients find the leader by its acknowledgement, so they find none. The first candidate may hang in its leader procedure, or not know that it is the first.",
		"Read the log of the first candidate, {first}. If its procedure hangs, restart the candidate: the next one takes over.", nil}
	notFenced = wording{Critical, 0, noAcknowledgement.title,
		"It holds the lock and does not do a leader's work. It has to fence the previous leader first, and that may fail repeatedly.",
		"Read the log of its failover controller, {first}: it shows why the previous leader cannot be fenced.", nil}
	nobodyLeads = wording{Critical, 0, "no leader: nobody leads {system}", "Nobody does the leader's work.",
		"Read the log of a program that could lead: it shows why the program does not lead.", nil}
	nobodyCanLead = wording{Critical, 0, nobodyLeads.title, nobodyLeads.harm, "Start a program that can lead, or read the log of the one that should.", nil}
	electionOff   = wording{Warning, 0, nobodyLeads.title, nobodyLeads.harm, "Let the system elect again, or make a program the leader by hand.", nil}
	noProgramRuns = wording{Info, 0, "nobody leads, and no program of the system runs", "None if {system} was shut down.", "Start the system if it should run.", nil}
	noCandidates  = wording{Info, time.Minute, "nobody leads", "None if no program should run. Otherwise nobody does the leader's work.",
		"Start a program that can lead, if one should run.", []string{"ZooKeeper recipes: leader election"}}
	shutDown = wording{Info, 0, "nobody leads: the system was shut down", "None if that was intended.", noProgramRuns.advice, nil}

	leaderNoMember = wording{Critical, 0,
		"the leader {leader} is not a member of {system}",
		"Its program ended, or somebody else wrote the leader's znode. Nobody finds the leader, and its znode keeps the other members from electing a leader.",
		"Look at the program of {leader}. If it is dead, its znode is deleted when its session expires. If another name is meant, correct the leader's znode.", nil}
	leaderDown = wording{Critical, 0,
		"the leader {leader} reports that it is {state}",
		"It does not do a leader's work, and its znode keeps the other members from electing a leader.",
		"Read the log of {leader}. If it does not start again, stop its program: the next one takes over.", nil}
	epochJumped = wording{Warning, 0,
		"the epoch jumped from {from} to {to}",
		"Each new leader adds one. So some elected leaders did not last, or another program wrote the number, or older data was restored.",
		"Read the logs of the programs that could lead: which of them led at that time, and why not for longer?", nil}

	oneClient = wording{Info, ghostWait,
		"one client owns {candidates}: they end together",
		"They share one session: when it expires, all of them leave at once.",
		"Nothing needs to be done. Candidates that must not fail together need a client each.",
		[]string{"ZooKeeper Programmer's Guide: ephemeral nodes"}}
	oneSession = wording{Warning, ghostWait,
		"one session owns {candidates}",
		"The reply to a create was lost, and the client created again: only one of the znodes is used. When another of them becomes the lowest, nobody leads until the session ends.",
		"{remedy} Change the client: put a guid in the name, and look for that guid before each further create.",
		[]string{"samuel/go-zookeeper#229", "zk-ruby#51", "ZooKeeper recipes: recoverable errors and the GUID"}}

	otherAcknowledged = wording{Critical, ackGrace,
		"two leaders: the lowest candidate does not own the acknowledgement",
		"The session that acknowledged believes that it leads, and the lowest candidate may believe it too: two do the work of one leader.",
		"Stop the program that owns the acknowledgement's session. Give the leaders' writes a fencing token: the czxid of the leader's znode.",
		[]string{"CURATOR-620", "CURATOR-653", "CURATOR-696"}}
	severalBelieve = wording{Critical, beliefGrace,
		"two leaders: {candidates} of this process believe that they lead",
		"All of them do the work of one leader. ZooKeeper refuses the writes of an expired session, but cannot stop what an old leader does elsewhere.",
		"Make the resource refuse requests with an older fencing token (the czxid of the leader's znode).",
		[]string{"CURATOR-620", "CURATOR-653", "CURATOR-696"}}
	twoLibraries = wording{Critical, 0,
		"two leaders: {candidate} counts only {names}: it believes that it leads",
		"Clients of two libraries do not wait for each other: two do the work of one leader.",
		"Stop the programs of one library, or make them count all candidates: kazoo's Lock needs extra_lock_patterns=['[-_]'], Curator's InterProcessMutex a LockInternalsDriver that sorts by the number. Curator's LeaderLatch and kazoo's Election cannot.", nil}
	mayLeadToo = wording{Warning, 0,
		"{candidate} may lead too: by default it counts only {names}",
		"If clients of two libraries do not wait for each other, two do the work of one leader.", twoLibraries.advice, nil}

	ackBlocked = wording{Critical, ackGrace,
		"nobody can acknowledge: a persistent znode is in the way",
		"An acknowledgement must end with its leader. This znode stays, so the lowest candidate is elected but never leads.",
		"Delete {ack}.", []string{"SOLR-18301"}}
	ackMissing = wording{Warning, ackGrace,
		"the leader did not acknowledge",
		"The candidate is elected, but does not do a leader's work: its leader procedure failed or is slow, or it does not know that it leads.",
		"Read the log of the leader. If it does not recover, restart it: the next candidate takes over.", []string{"SOLR-18301"}}
	ackMissingOfThirdParty = wording{Info, ackGrace,
		"the first candidate has not acknowledged",
		"None if its program makes no acknowledgement: the recipe needs none. If it is a candidate of electop, it is elected but does not do a leader's work.",
		"Nothing, if its program makes no acknowledgement. If it is a candidate of electop, read its log.", []string{"SOLR-18301"}}
	ackOfNobody = wording{Warning, ackGrace,
		"acknowledged, but the queue is empty",
		"Clients that read the acknowledgement use a leader that was not elected.",
		"Find out whether a program leads without a candidate's znode. If none does, delete the acknowledgement.", []string{"SOLR-18301"}}
	ackOwnedByAnother = wording{Warning, ackGrace,
		"the acknowledgement names the leader and belongs to another session",
		"It does not end with the leader: when the leader's session ends, the next leader may not be able to acknowledge, and clients find the old one.",
		"Find the client of that session. If it is the leader's program, it must create the acknowledgement with the session of its candidate.", []string{"SOLR-18301"}}
	ackOfAnother = wording{Warning, ackGrace,
		"the acknowledgement names a znode that is not the leader's",
		"Clients that read the acknowledgement find the wrong leader and use the wrong fencing token.",
		"Make the acknowledgement ephemeral; each leader must create its own.", []string{"SOLR-18301"}}

	deletedInUse = wording{Warning, rejoinWait,
		"the election was deleted while candidates used it",
		"Their programs may not notice that they are no longer candidates: nobody leads, or a leader does not know the other candidates.",
		"Restart the programs of these sessions. Keep the parent persistent, and delete it only when no program uses it.", []string{"CURATOR-724"}}
	deletedWithCandidates = wording{Info, rejoinWait,
		"the election was deleted together with its candidates",
		"None if their sessions had ended. Otherwise there may be no leader, or one that does not know the other candidates.",
		deletedInUse.advice, []string{"CURATOR-724"}}

	noWatch = wording{Warning, 0,
		"a candidate has no watch",
		"It is not notified when its turn comes: then nobody leads until its session ends or it lists the children by itself.",
		"Restart the candidate. Then check how its code sets the watch: the predecessor may be deleted after the list is read, so the code must list again if the znode to watch does not exist.",
		[]string{"ZooKeeper recipes: leader election", "Helix#44", "ZooKeeper WriteLock"}}
	noWatchGuessed = wording{Warning, 0, noWatch.title, noWatch.harm,
		"If these are not candidates but members or jobs, nobody leads and nothing is wrong: electop treats them as candidates because their names fit. If they are candidates, check how their code learns of its turn.",
		noWatch.references}
	otherWatch = wording{Warning, 0,
		"a candidate does not watch its predecessor",
		"It is notified when it cannot lead, and lists all candidates for nothing.",
		"Each candidate must watch the largest number below its own. The recipe's page of ZooKeeper 3.3 wrongly names the smallest, which is the leader's.",
		[]string{"ZooKeeper recipes: leader election"}}
	laterWatch = wording{Warning, 0, otherWatch.title,
		"The watched znode is not before the candidate's own, so the candidate is not notified when its turn comes: then nobody leads.",
		otherWatch.advice, otherWatch.references}
	watchOne = wording{Warning, 0,
		"a herd: {candidates} watch the same znode",
		"When the znode is deleted, all of them are notified and list all candidates, but only one can lead: the load of a handoff grows with the square of their number.",
		"Each candidate must watch the largest number below its own. The recipe's page of ZooKeeper 3.3 wrongly names the smallest, the leader's; later pages are correct.",
		[]string{"ZooKeeper recipes: leader election", "ZooKeeper recipes: locks (herd effect)"}}
	manyWatch = wording{Warning, 0,
		"{sessions} without a candidate watch the leader's znode",
		"When the znode is deleted, all of them read at the same moment who leads, in addition to the load of the handoff.",
		"Find these programs by their addresses. Let them read who leads from an acknowledgement, or through fewer clients.",
		[]string{"ZooKeeper recipes: locks (herd effect)"}}
	herdByDesign = wording{Info, time.Second,
		"a herd by design: everybody watches the list of candidates",
		"Each join and each departure notifies all of them. With few candidates that costs little.",
		"Nothing to do while they are few: this system works that way.",
		[]string{"MESOS: src/zookeeper/group.cpp", "Pinot#15890", "ZooKeeper recipes: locks (herd effect)"}}
	cycle = wording{Critical, 0,
		"candidates wait for each other",
		"Each of them waits for another of them: none can continue until a session ends.",
		"End one of the sessions. Then fix the client: a reader must watch the nearest writer with a lower number; nobody may watch a higher number.",
		[]string{"kazoo#649", "kazoo#650"}}

	dropped = wording{Warning, 0,
		"a session follows the election but is no longer in the queue",
		"Its program may believe that it is a candidate; it will never lead.",
		"Restart the program. Then check what its code does when its own znode is deleted: it must create a new one.", []string{"CURATOR-346"}}
	observers = wording{Info, 0,
		"{sessions}",
		"None if they only observe. But a program that believes it is a candidate will never lead.",
		"If you do not know these programs, find them by their address.", []string{"CURATOR-346"}}

	silentLeader = wording{Warning, 0,
		"the leader is silent",
		"It does not do its work, or cannot know whether it still leads. Nobody takes over until its session expires. After that, a leader that was only paused still believes for a moment that it leads.",
		"If it is dead, wait until its session expires, or delete its znode if you are sure. If this happens often, look for long pauses (garbage collection, a suspended machine).",
		[]string{"CURATOR-206", "CURATOR-460"}}
	silentWaiting = wording{Warning, 0,
		"{candidates} silent",
		"A dead or stopped candidate does not take over: when it becomes the first, nobody leads until its session expires.",
		"If it is dead, wait until its session expires, or delete its znode if you are sure. Then start its program again.",
		[]string{"CURATOR-206", "CURATOR-460"}}
	leaderDeleted = wording{Info, 0,
		"a leader's znode was deleted while its session is alive: it may still believe that it leads",
		"None if the leader resigned. If another client deleted the znode, the leader's program may not notice, and acts beside its successor. Curator's LeaderLatch does not notice.",
		"Read the log of its program. If it did not resign, restart it. Find out who deletes znodes of this election.",
		[]string{"CURATOR-620", "ZooKeeper recipes: leader election"}}
	returnedLeader = wording{Warning, 0,
		"a leader whose session expired may be back and believe that it leads",
		"If its program did not stop leading, it acts beside its successor. What it believes is not visible.",
		"Look at what the program does. It must stop its work when its connection is suspended, and other resources must check the fencing token.",
		[]string{"CURATOR-620", "CURATOR-653"}}
	longHeld = wording{Info, 0,
		"the lock is held far longer than ever before",
		"If its program gave up waiting for the lock but left the znode, the lock stays held until the session ends.",
		"Check whether its program believes that it holds the lock. If it does not, delete the znode.", []string{"kazoo#429", "CURATOR-462"}}
	shortReigns = wording{Warning, 0,
		"the leader changes very often",
		"In each handoff nobody leads for some time, and leaders with short reigns get little done.",
		"Find out why the leaders leave: sessions that expire under load or in long pauses (raise the timeout), a leader procedure that fails, or a restart loop.",
		[]string{"ZooKeeper administrator's guide: maxSessionTimeout"}}
	resets = wording{Critical, livelockWait,
		"candidates keep resetting: nobody leads long enough",
		"Each reset deletes the znode that another candidate watches, and then the other candidate resets too. This may never end.",
		"Stop all candidates but one, then start the others one by one. Upgrade Curator if the issues name its version.", []string{"CURATOR-644", "CURATOR-645"}}

	sequence = wording{Info, 0,
		"{title}",
		"Servers from 3.6 on give number 2147483647 to all later znodes, and refuse names that exist; older servers continue with negative numbers, which sort before all others.",
		"Use another parent, or delete and recreate this one while the queue is empty: a new parent counts from 0.", []string{"kazoo#730", "ZOOKEEPER-3249"}}
	strangerInQueue = wording{Warning, ghostWait,
		"a child that is not a candidate is in the queue",
		"A client that reads only the names counts this child as a candidate. {waits}",
		"Delete it if nothing needs it. Keep other znodes out of this path.", []string{"CURATOR-43"}}
	strangers = wording{Info, ghostWait,
		"{children}",
		"These names cause no known harm, but a client that does not check names may fail on them.",
		"Keep other znodes out of an election's path.", []string{"CURATOR-43"}}

	split = wording{Critical, 0,
		"the ensemble is split: two servers report that they lead it",
		"Clients of one server do not see what clients of the other do. Each side elects its own leader.",
		"Compare the configurations of the servers (server.N, quorum sizes). Stop the side with the lower zxid.", []string{"CURATOR-653"}}
	rollover = wording{Warning, 0,
		"the ensemble's transaction numbers are about to roll over",
		"At that moment the ensemble elects a new leader: all clients lose their connections for some seconds.",
		"Restart the ensemble's leader when the load is low: the numbers then restart.", []string{"ZOOKEEPER-1277", "CURATOR-653"}}
	serversDisagree = wording{Critical, 0,
		"servers disagree on who is in the queue",
		"Candidates on different servers see different leaders: two lead.",
		"Restart the wrong server with an empty data directory, so that it copies everything from the ensemble's leader. Check whether the issue names its version.", []string{"ZOOKEEPER-3144"}}
)
