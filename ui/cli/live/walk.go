package live

import (
	"electop/model/dialect"
	"electop/model/znode"
	list "electop/ui/elections"
	"electop/ui/plain"
)

// walk is a search as the dashboard shows it.
func walk(d plain.Discovery, running bool, err error) list.Walk {
	w := list.Walk{Root: d.Root, Visited: d.Visited, Denied: d.Denied, Skipped: d.Skipped, Running: running, Stopped: d.Stopped}
	if err != nil {
		w.Err = znode.Safe(err.Error(), 0)
	}
	for _, found := range d.Elections {
		st := found.State
		if st.Dialect.Kind() == dialect.KindRegistry {
			continue // a list of members is no election
		}
		w.Found = append(w.Found, list.Found{Path: st.Path, State: st, Waiting: found.Visible()})
	}
	return w
}
