package command

import (
	"strings"

	"electop/model/session"
)

// parseWchp reads paths, each with the sessions that watch it below.
func parseWchp(b []byte) ([]session.Watch, error) {
	if !closed(b) {
		return nil, malformed("wchp: truncated")
	}
	var all []session.Watch
	for line := range lines(b) {
		switch sessionID, below := strings.CutPrefix(line, "\t"); {
		case below && len(all) > 0:
			id, err := parseSession(sessionID)
			if err != nil {
				return nil, err
			}
			last := &all[len(all)-1]
			last.Sessions = append(last.Sessions, id)
		case line[0] == '/':
			all = append(all, session.Watch{Path: line})
		default:
			return nil, malformed("wchp: %s", shown(line))
		}
	}
	return all, nil
}
