package doctor

import (
	"maps"
	"slices"
	"strings"

	"electop/model/session"
	"electop/model/znode"
)

type missingOn struct {
	e      session.Ephemeral
	server string
}

func ephemeralsDiffer(r *ruleRun) {
	k := &r.d.ephemerals
	if k.last == nil || k.base == nil {
		return
	}
	before := differences(k.base)
	var both []missingOn
	for m := range differences(k.last) {
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

func differences(t *session.Table) map[missingOn]bool {
	out, has := make(map[missingOn]bool), make(map[int64]map[session.Ephemeral]bool)
	all := slices.DeleteFunc(answered(t), func(s *session.Server) bool { return s.Sessions.State != session.Answered || s.Leftover || s.Zxid == 0 })
	for _, s := range all {
		if has[s.Zxid] == nil {
			has[s.Zxid] = make(map[session.Ephemeral]bool)
		}
		for _, e := range s.Ephemerals {
			has[s.Zxid][e] = true
		}
	}
	for _, s := range all {
		lacks := maps.Clone(has[s.Zxid])
		for _, e := range s.Ephemerals {
			delete(lacks, e)
		}
		for e := range lacks {
			out[missingOn{e, safe(s.Addr)}] = true
		}
	}
	return out
}
