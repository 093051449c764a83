package command

import (
	"strings"

	"electop/model/session"
)

func parseWatchesByPath(b []byte) ([]session.Watch, error) {
	var v struct {
		envelope
		Paths *map[string][]jsonSession `json:"path_to_session_ids"`
	}
	if err := unpack(b, "watches_by_path", &v); err != nil {
		return nil, err
	}
	if v.Paths == nil {
		return nil, malformed("watches_by_path: no table")
	}
	all := make([]session.Watch, 0, len(*v.Paths))
	for path, list := range *v.Paths {
		if !strings.HasPrefix(path, "/") {
			return nil, malformed("watches_by_path: path %s", shown(path))
		}
		all = append(all, session.Watch{Path: path, Sessions: sessions(list)})
	}
	return all, nil
}
