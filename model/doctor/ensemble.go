package doctor

import (
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
	var leading []*session.Server
	for i := range t.Servers {
		if s := &t.Servers[i]; s.Basic.State == session.Answered && s.Mode == session.ModeLeader {
			leading = append(leading, s)
		}
	}
	if len(leading) < 2 {
		return
	}
	f := r.find(split, "")
	f.tables = 2 // one round alone may fall into a change of the ensemble's leader
	for _, s := range leading {
		f.because("%s says that it leads, at zxid %s", safe(s.Addr), znode.Zxid(s.Zxid))
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
	if top != nil && uint32(top.Zxid) >= rolloverNear {
		r.find(rollover, "").because("%s is at zxid %s; the lower half ends at ffffffff", safe(top.Addr), znode.Zxid(top.Zxid))
	}
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
	if h.last == nil || h.base == nil {
		return
	}
	before := differences(h.base)
	var both []missingOn
	for m := range differences(h.last) {
		if _, was := before[m]; was {
			both = append(both, m)
		}
	}
	if len(both) == 0 {
		return
	}
	slices.SortFunc(both, func(a, b missingOn) int {
		return strings.Compare(a.e.Path+"\x00"+a.server, b.e.Path+"\x00"+b.server)
	})
	f := r.find(serversDisagree, "")
	for _, m := range both {
		f.because("%s of session %s is missing on %s, but exists on another server at the same zxid", safe(m.e.Path), znode.Hex(m.e.Session), m.server)
		f.Znodes = append(f.Znodes, m.e.Path)
		f.Sessions = append(f.Sessions, m.e.Session)
	}
	f.Znodes = slices.Compact(f.Znodes)
	f.sortSessions()
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
					out[missingOn{e, safe(s.Addr)}] = true
				}
			}
		}
	}
	return out
}
