package doctor

import (
	"fmt"
	"slices"
	"strings"

	"electop/model/session"
	"electop/model/znode"
)

// serverHistory is the tables that rules about the ensemble compare: the last
// two that told of ephemerals, calm apart.
type serverHistory struct{ last, next, base *session.Table }

func (h *serverHistory) add(t *session.Table) {
	if !slices.ContainsFunc(t.Servers, func(s session.Server) bool { return s.Sessions.State == session.Answered }) {
		return
	}
	switch {
	case h.last != nil && t.At.Before(h.last.At):
		*h = serverHistory{next: t}
	case h.next == nil:
		h.next = t
	case t.At.Sub(h.next.At) >= calm:
		h.base, h.next = h.next, t
	}
	h.last = t
}

// ensembleSplit finds two members that both lead the ensemble.
func ensembleSplit(r *report) {
	t := r.s.Table
	if t == nil {
		return
	}
	f := Finding{
		Severity:   Critical,
		Title:      "the ensemble is split: two servers say that they lead it",
		Harm:       "Clients of the one do not see what clients of the other do. Both sides elect a leader of their own.",
		Advice:     "Compare the configurations of the servers (server.N, quorum sizes). Stop the side with the lower zxid.",
		References: []string{"CURATOR-653"},
	}
	n := 0
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Basic.State == session.Answered && s.Mode == session.ModeLeader {
			n++
			f.Evidence = append(f.Evidence, fmt.Sprintf("%s says that it leads, at zxid %s", znode.Safe(s.Addr, 0), znode.Zxid(s.Zxid)))
		}
	}
	if n >= 2 {
		// One round alone may fall into a change of the ensemble's leader.
		r.find("", f, hold{tables: 2})
	}
}

// rolloverNear is the lower half of a zxid at which the rest of it lasts three
// days of a thousand writes a second.
const rolloverNear = 0xf0000000

// zxidRollover finds an ensemble that is about to elect its leader anew, as its
// transactions have used up their numbers.
func zxidRollover(r *report) {
	t := r.s.Table
	if t == nil {
		return
	}
	var top *session.Server
	for i := range t.Servers {
		if s := &t.Servers[i]; s.Basic.State == session.Answered && (top == nil || uint64(s.Zxid) > uint64(top.Zxid)) {
			top = s
		}
	}
	if top == nil || uint32(top.Zxid) < rolloverNear {
		return
	}
	r.find("", Finding{
		Severity:   Warning,
		Title:      "the ensemble's transaction numbers are about to roll over",
		Evidence:   []string{fmt.Sprintf("%s is at zxid %s, of at most ffffffff in its lower half", znode.Safe(top.Addr, 0), znode.Zxid(top.Zxid))},
		Harm:       "Then the ensemble elects its leader anew: clients lose their connections for some seconds, all at once.",
		Advice:     "Restart the ensemble's leader at a quiet hour: the numbers begin anew.",
		References: []string{"ZOOKEEPER-1277", "CURATOR-653"},
	}, hold{})
}

// missingOn is an ephemeral znode that a server lacks and another one, as far on
// as it, has.
type missingOn struct {
	e      session.Ephemeral
	server string
}

// ephemeralsDiffer finds servers that do not agree on who stands.
func ephemeralsDiffer(r *report) {
	h := &r.d.servers
	if h.last == nil || h.base == nil || r.in&onTable == 0 && !r.d.differ {
		return
	}
	before := differences(h.base)
	var both []missingOn
	for m := range differences(h.last) {
		if _, was := before[m]; was {
			both = append(both, m)
		}
	}
	r.d.differ = len(both) > 0
	if len(both) == 0 {
		return
	}
	slices.SortFunc(both, func(a, b missingOn) int {
		return strings.Compare(a.e.Path+"\x00"+a.server, b.e.Path+"\x00"+b.server)
	})
	f := Finding{
		Severity:   Critical,
		Title:      "servers disagree on who stands",
		Harm:       "Candidates connected to one server see another leader than those of the other: two lead.",
		Advice:     "Restart the server that is wrong with an empty data directory, so that it takes everything from the ensemble's leader. See whether its version is one of those that the issue names.",
		References: []string{"ZOOKEEPER-3144"},
	}
	for _, m := range both[:min(len(both), evidenceMax)] {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s of session %s is not on %s, at the same zxid as where it is", znode.Safe(m.e.Path, 0), znode.Hex(m.e.Session), m.server))
		f.Znodes = append(f.Znodes, m.e.Path)
		f.Sessions = append(f.Sessions, m.e.Session)
	}
	f.Znodes = slices.Compact(f.Znodes)
	sortSessions(&f)
	r.find("", f, hold{})
}

// differences returns what some servers of a table lack that others at the same
// zxid have.
func differences(t *session.Table) map[missingOn]bool {
	out := make(map[missingOn]bool)
	at := make(map[int64][]*session.Server)
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Basic.State == session.Answered && s.Sessions.State == session.Answered && !s.Leftover && s.Zxid != 0 {
			at[s.Zxid] = append(at[s.Zxid], s)
		}
	}
	for _, servers := range at {
		if len(servers) < 2 {
			continue
		}
		has := make(map[session.Ephemeral]int)
		for _, s := range servers {
			seen := make(map[session.Ephemeral]bool, len(s.Ephemerals))
			for _, e := range s.Ephemerals {
				if !seen[e] {
					seen[e] = true
					has[e]++
				}
			}
		}
		for e, n := range has {
			if n == len(servers) {
				continue
			}
			for _, s := range servers {
				if !slices.Contains(s.Ephemerals, e) {
					out[missingOn{e, znode.Safe(s.Addr, 0)}] = true
				}
			}
		}
	}
	return out
}

func sortSessions(f *Finding) {
	slices.Sort(f.Sessions)
	f.Sessions = slices.Compact(f.Sessions)
}
