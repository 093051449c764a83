package command

import (
	"strings"

	"electop/model/session"
)

func parseJSONDump(b []byte) (Dump, error) {
	var v struct {
		envelope
		Expiry     *map[string][]jsonSession `json:"expiry_time_to_session_ids"`
		Ephemerals *map[string][]string      `json:"session_id_to_ephemeral_paths"`
	}
	if err := unpack(b, "dump", &v); err != nil {
		return Dump{}, err
	}
	if v.Expiry == nil || v.Ephemerals == nil {
		return Dump{}, malformed("dump: no sessions or no ephemerals")
	}
	var d Dump
	for key, list := range *v.Expiry {
		at, err := parseMilliseconds(key)
		if err != nil {
			return Dump{}, err
		}
		for _, s := range list {
			d.Deadlines = append(d.Deadlines, session.Deadline{Session: uint64(s), At: at})
		}
	}
	for key, paths := range *v.Ephemerals {
		id, err := parseSession(key)
		if err != nil {
			return Dump{}, err
		}
		for _, path := range paths {
			if !strings.HasPrefix(path, "/") {
				return Dump{}, malformed("dump: path %s", shown(path))
			}
			d.Ephemerals = append(d.Ephemerals, session.Ephemeral{Session: id, Path: path})
		}
	}
	return d, nil
}
