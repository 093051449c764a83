package search

import (
	"fmt"

	"electop/ui/plain"
	"electop/zkwatch/discover"
)

// Discovery is what was found so far, in the order in which it was found.
func (s *Search) Discovery() plain.Discovery {
	return plain.Discovery{Root: s.cfg.Root, Elections: s.found, Visited: s.at.Visited, Denied: s.at.Denied, Skipped: s.at.Skipped, Skips: skips(s.at), Stopped: s.at.Stopped}
}

// skips says what the search did not read.
func skips(at discover.Progress) []plain.Skip {
	var out []plain.Skip
	for _, s := range at.Skips {
		why := ""
		switch s.Why {
		case discover.TooLarge:
			why = fmt.Sprintf("its list of children does not fit in a reply of %d bytes; electop status %s reads it with more room", s.Limit, s.Path)
		case discover.Alike:
			why = "children without children, as those before them"
		case discover.BadName:
			why = "no client may ask for a znode of this name"
		}
		out = append(out, plain.Skip{Path: s.Path, Znodes: s.Znodes, Why: why})
	}
	return out
}
