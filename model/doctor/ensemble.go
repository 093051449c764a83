package doctor

import (
	"fmt"
	"slices"
	"strings"

	"electop/model/session"
	"electop/model/znode"
)

// ensembleSplit finds two members that both lead the ensemble.
func ensembleSplit(r *report) {
	t := r.s.Table
	if t == nil {
		return
	}
	f := Finding{
		Severity:   Critical,
		Title:      "the ensemble is split: two servers say that they lead it",
		Harm:       "Clients of one server do not see what clients of the other do. Each side elects its own leader.",
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

// zxidRollover finds an ensemble that must soon elect a new leader because it has
// used up its transaction numbers.
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
		Evidence:   []string{fmt.Sprintf("%s is at zxid %s; the lower half ends at ffffffff", znode.Safe(top.Addr, 0), znode.Zxid(top.Zxid))},
		Harm:       "At that moment the ensemble elects a new leader: all clients lose their connections for some seconds.",
		Advice:     "Restart the ensemble's leader when the load is low: the numbers then restart.",
		References: []string{"ZOOKEEPER-1277", "CURATOR-653"},
	}, hold{})
}

// missingOn is an ephemeral znode that is missing on a server, but exists on
// another one at the same zxid.
type missingOn struct {
	e      session.Ephemeral
	server string
}

// ephemeralsDiffer finds servers that disagree on who is in the queue.
func ephemeralsDiffer(r *report) {
	h := &r.m.servers
	if h.last == nil || h.base == nil || r.in&onTable == 0 && !r.m.differ {
		return
	}
	before := differences(h.base)
	var both []missingOn
	for m := range differences(h.last) {
		if _, was := before[m]; was {
			both = append(both, m)
		}
	}
	r.m.differ = len(both) > 0
	if len(both) == 0 {
		return
	}
	slices.SortFunc(both, func(a, b missingOn) int {
		return strings.Compare(a.e.Path+"\x00"+a.server, b.e.Path+"\x00"+b.server)
	})
	f := Finding{
		Severity:   Critical,
		Title:      "servers disagree on who is in the queue",
		Harm:       "Candidates on different servers see different leaders: two lead.",
		Advice:     "Restart the wrong server with an empty data directory, so that it copies everything from the ensemble's leader. Check whether the issue names its version.",
		References: []string{"ZOOKEEPER-3144"},
	}
	for _, m := range both[:min(len(both), evidenceMax)] {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s of session %s is missing on %s, but exists on another server at the same zxid", znode.Safe(m.e.Path, 0), znode.Hex(m.e.Session), m.server))
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
