package phrase

import (
	"slices"

	"electop/model"
	"electop/model/doctor"
)

// None is the cell of reasons by which there is no leader.
const None = "none"

// reasons has the words for each reason why nobody is said to lead. It is never written.
var reasons = map[model.NoLeader][]choice{
	model.NoCandidate: {
		{shutDown, Entry{"no leader: the system was shut down", "", None, doctor.Warning}},
		{vacant, Entry{"no leader since {since}; {could}", "", None, doctor.Critical}},
		{noChildren, Entry{"no election seen: the znode is persistent and has no children", "", None, ""}},
		{(*doctor.State).ElectionUnseen, Entry{"no election seen: {ignored}", "", None, ""}},
		{isSingle, Entry{"nobody {leads}: the znode does not exist", "", None, doctor.Warning}},
		{nil, Entry{"nobody {leads}: there is no candidate", "", None, doctor.Warning}},
	},
	model.Membership: {{nil, Entry{"no election: {members} of a group", "", "members", ""}}},
	model.UnknownKind: {
		{isSingle, Entry{"unknown whether this is an election: only the name of {first}'s znode shows it", "owns the znode", "unknown", ""}},
		{nil, Entry{"unknown whether this is an election: {children} of an unknown kind, {first} has the lowest number",
			"lowest number", "unknown", ""}},
	},
	model.NotAcknowledged: {
		{nil, Entry{"no leader: {first} is first and has not acknowledged", "first, not acknowledged", None, doctor.Critical}},
	},
	model.OtherAcknowledged: {
		{nil, Entry{"unknown who leads: {first} is first, and session {session} acknowledged", "first, another acknowledged", "unknown", doctor.Critical}},
	},
	model.GhostFirst: {
		{nil, Entry{"nobody {leads}: first is {node}, a ghost of {ghost}", "first, a ghost: nobody {leads}", None, doctor.Critical}},
	},
	model.GhostPossible: {
		{nil, Entry{"unknown who {leads}: first is {node}, which may be a ghost of {ghost}", "first, may be a ghost", "unknown", doctor.Critical}},
	},
	model.WatchesLower: {
		{nil, Entry{"unknown who leads: {first} waits for {lower}, which is not of its kind", "waits for {lower number}", "unknown", doctor.Critical}},
	},
	model.MixedClients: {
		{(*doctor.State).Twofold, Entry{"two lead: {first} is first, and {other}, of another library, does not wait for it",
			"another leads too", "two lead", doctor.Critical}},
		{nil, Entry{"unknown who leads: {first} is first, and {other}, of another library, may not wait for it",
			"another may lead too", "unknown", doctor.Critical}},
	},
	model.Unsupported: {{nil, Entry{"unknown who leads: electop does not know how {system} elects", "lowest number", "unknown", ""}}},
	model.Blocked: {
		{nil, Entry{"unknown who leads: {first} may wait for {blocker}, which is no candidate: clients that read only names do",
			"may wait for {blocker}", "unknown", doctor.Critical}},
	},
}

func vacant(s *doctor.State) bool {
	_, ok := s.Vacancy()
	return ok && s.Dialect != nil && s.Dialect.Vacancy() > 0
}

func shutDown(s *doctor.State) bool   { return vacant(s) && s.Standbys().ShutDown }
func noChildren(s *doctor.State) bool { return s.ElectionUnseen() && len(s.Ignored) == 0 }
func isSingle(s *doctor.State) bool   { return s.Single }

// NoLeader returns the words for why nobody is said to lead, none if somebody does.
func NoLeader(s *doctor.State) Entry {
	why := s.NoLeader()
	if why == "" || reasons[why] != nil {
		return choose(s, reasons[why])
	}
	return Entry{"unknown who leads: " + string(why), string(why), "unknown", doctor.Critical}
}

// Standing returns the words for what the contender at a position is if nobody is said to
// lead: the row of the first one, or of one that may lead beside it.
func Standing(s *doctor.State, position int) Entry {
	switch e := NoLeader(s); {
	case position == 0:
		return e
	case e.Sentence == "" || position < 0:
	default:
		if c, _ := s.Blind(); c == nil || s.Queue.At(position) != c {
			break
		}
		if e.Row = "may lead too"; s.Twofold() {
			e.Row = "leads too"
		}
		return e
	}
	return Entry{}
}

// Trouble returns how grave it is that nobody is said to lead, that candidates are at risk
// or that there are findings: the gravest of these, "" for none. Use it wherever elections
// are listed.
func Trouble(s *doctor.State) doctor.Severity {
	all := slices.Clone(s.Findings)
	if s.Phase != model.Unseen && s.Phase != model.Forbidden {
		all = append(all, &doctor.Finding{Severity: NoLeader(s).Severity})
	}
	for _, r := range s.Risks {
		f := &doctor.Finding{Severity: doctor.Warning}
		if r.Leader {
			f.Severity = doctor.Critical
		}
		all = append(all, f)
	}
	return doctor.Worst(all)
}

// NothingFound says that the doctor found nothing. well is false if nobody leads, or if a
// suspicion that decides has not been observed for long enough.
func NothingFound(s *doctor.State) (text string, well bool) {
	if NoLeader(s).Severity != "" {
		return "No other finding in what was checked.", false
	}
	if slices.ContainsFunc(s.Pending, doctor.Pending.Decides) {
		return "Nothing found yet: not observed for long enough.", false
	}
	return "Nothing found in what was checked.", true
}
