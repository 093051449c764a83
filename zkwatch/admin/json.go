package admin

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"electop/model/session"
	"electop/model/znode"
)

// The functions below parse the replies of an AdminServer of Apache ZooKeeper 3.5 to 3.9.

type envelope struct {
	Command *string `json:"command"`
	Error   *string `json:"error"`
}

func (e *envelope) head() *envelope { return e }

func unpack(b []byte, command string, v interface{ head() *envelope }) error {
	if err := json.Unmarshal(b, v); err != nil {
		return malformed("%s: %s", command, znode.Safe(err.Error(), 100))
	}
	e := v.head()
	switch {
	case e.Command == nil:
		return malformed("%s: the answer names no command", command)
	case *e.Command != command:
		return malformed("%s: the answer is to %s", command, shown(*e.Command))
	case e.Error == nil:
		return nil
	case strings.Contains(*e.Error, "not currently serving"):
		return errNotServing
	}
	return fmt.Errorf("%s: %w: %s", command, errAdminServer, znode.Safe(*e.Error, 100))
}

type jsonSession uint64

func (s *jsonSession) UnmarshalJSON(b []byte) error {
	id, err := parseNumber(strings.Trim(string(b), `"`)) // a number in quotes has no escapes
	*s = jsonSession(id)
	return err
}

type jsonTime time.Duration

func (t *jsonTime) UnmarshalJSON(b []byte) error {
	d, err := parseMilliseconds(string(b))
	*t = jsonTime(d)
	return err
}

func parseServerStats(b []byte) (status, error) {
	var v struct {
		envelope
		Version string `json:"version"`
		Stats   struct {
			State       string `json:"server_state"`
			Zxid        int64  `json:"last_processed_zxid"`
			Connections int    `json:"num_alive_client_connections"`
		} `json:"server_stats"`
	}
	err := unpack(b, "server_stats", &v)
	if err == nil && (v.Version == "" || v.Stats.State == "") {
		err = malformed("server_stats: no version or no state")
	}
	return status{shortVersion(v.Version), modeNamed(v.Stats.State), v.Stats.Zxid, max(v.Stats.Connections, 0)}, err
}

func parseMonitor(b []byte) (counts, error) {
	var v struct {
		envelope
		Watches int  `json:"watch_count"`
		Expired *int `json:"stale_sessions_expired"`
	}
	v.Watches = -1
	err := unpack(b, "monitor", &v)
	if err == nil && (v.Watches < 0 || v.Expired != nil && *v.Expired < 0) {
		err = malformed("monitor: no valid counts")
	}
	return counts{v.Watches, v.Expired}, err
}

func parseWatchSummary(b []byte) (int, error) {
	var v struct {
		envelope
		Total int `json:"num_total_watches"`
	}
	v.Total = -1
	err := unpack(b, "watch_summary", &v)
	if err == nil && v.Total < 0 {
		err = malformed("watch_summary: no number of watches")
	}
	return v.Total, err
}

func parseConfiguration(b []byte) (identity, error) {
	var v struct {
		envelope
		ID   *int     `json:"server_id"`
		Port int      `json:"client_port"`
		Tick jsonTime `json:"tick_time"`
	}
	if err := unpack(b, "configuration", &v); err != nil {
		return identity{}, err
	}
	if v.ID == nil {
		return identity{}, malformed("configuration: no server_id")
	}
	return identity{number: *v.ID, port: v.Port, tick: time.Duration(v.Tick)}.checked(), nil
}

func parseJSONDump(b []byte) (d dump, err error) {
	var v struct {
		envelope
		Expiry     map[string][]jsonSession `json:"expiry_time_to_session_ids"`
		Ephemerals map[string][]string      `json:"session_id_to_ephemeral_paths"`
	}
	if err := unpack(b, "dump", &v); err != nil {
		return d, err
	}
	if v.Expiry == nil || v.Ephemerals == nil {
		return d, malformed("dump: no expiry_time_to_session_ids or no session_id_to_ephemeral_paths")
	}
	for key, list := range v.Expiry {
		at, err := parseMilliseconds(key)
		if err != nil {
			return d, err
		}
		for _, s := range list {
			d.deadlines = append(d.deadlines, session.Deadline{Session: uint64(s), At: at})
		}
	}
	for key, paths := range v.Ephemerals {
		id, err := parseNumber(key)
		if err != nil {
			return d, err
		}
		for _, path := range paths {
			if !strings.HasPrefix(path, "/") {
				return d, malformed("dump: path %s", shown(path))
			}
			d.ephemerals = append(d.ephemerals, session.Ephemeral{Session: id, Path: path})
		}
	}
	return d, nil
}

type jsonConn struct {
	Addr         string      `json:"remote_socket_address"`
	Session      jsonSession `json:"session_id"`
	Timeout      jsonTime    `json:"session_timeout"`
	LastOp       string      `json:"last_operation"`
	Established  jsonTime    `json:"established"`
	LastResponse jsonTime    `json:"last_response_time"`
	Received     int64       `json:"packets_received"`
	Outstanding  int         `json:"outstanding_requests"`
}

func parseConnections(b []byte) (all connections, err error) {
	var v struct {
		envelope
		Plain  []jsonConn `json:"connections"`
		Secure []jsonConn `json:"secure_connections"`
	}
	if err := unpack(b, "connections", &v); err != nil {
		return all, err
	}
	if v.Plain == nil {
		return all, malformed("connections: no list")
	}
	all.bothPorts = v.Secure != nil
	for _, list := range [][]jsonConn{v.Plain, v.Secure} {
		for i := range list {
			if c := &list[i]; c.Addr != "" { // a closed connection has no address
				all.list = append(all.list, session.Client{
					Session: uint64(c.Session), Addr: clientAddr(c.Addr), Timeout: time.Duration(c.Timeout), LastOp: lastOp(c.LastOp),
					Established: unixTime(time.Duration(c.Established)), LastResponse: time.Duration(c.LastResponse),
					Received: c.Received, Outstanding: c.Outstanding,
				})
			}
		}
	}
	return all, nil
}

func parseWatchesByPath(b []byte) ([]session.Watch, error) {
	var v struct {
		envelope
		Paths map[string][]jsonSession `json:"path_to_session_ids"`
	}
	if err := unpack(b, "watches_by_path", &v); err != nil {
		return nil, err
	}
	if v.Paths == nil {
		return nil, malformed("watches_by_path: no table")
	}
	all := make([]session.Watch, 0, len(v.Paths))
	for path, list := range v.Paths {
		if !strings.HasPrefix(path, "/") {
			return nil, malformed("watches_by_path: path %s", shown(path))
		}
		ids := make([]uint64, len(list))
		for i, s := range list {
			ids[i] = uint64(s)
		}
		all = append(all, session.Watch{Path: path, Sessions: ids})
	}
	return all, nil
}
