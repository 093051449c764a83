package command

import (
	"encoding/json"
	"fmt"
	"strings"

	"electop/model/session"
	"electop/model/znode"
)

// The answers of an AdminServer, as Apache ZooKeeper 3.5 to 3.9 give them.

// envelope has the fields that every answer has besides its own.
type envelope struct {
	Command *string `json:"command"`
	Error   *string `json:"error"`
}

func (e *envelope) head() *envelope { return e }

// unpack parses an answer into v, which embeds an envelope.
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
		return ErrNotServing
	}
	return fmt.Errorf("%s: %w: %s", command, ErrServerSays, znode.Safe(*e.Error, 100))
}

// A jsonSession is a session id as a signed number, or as text.
type jsonSession uint64

func (s *jsonSession) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		b = b[1 : len(b)-1] // a number needs no escapes
	}
	id, err := parseSession(string(b))
	*s = jsonSession(id)
	return err
}

func sessions(list []jsonSession) []uint64 {
	ids := make([]uint64, len(list))
	for i, s := range list {
		ids[i] = uint64(s)
	}
	return ids
}

func parseServerStats(b []byte) (Status, error) {
	var v struct {
		envelope
		Version string `json:"version"`
		Stats   *struct {
			State       string `json:"server_state"`
			Zxid        int64  `json:"last_processed_zxid"`
			Connections int    `json:"num_alive_client_connections"`
		} `json:"server_stats"`
	}
	if err := unpack(b, "server_stats", &v); err != nil {
		return Status{}, err
	}
	if v.Version == "" || v.Stats == nil || v.Stats.State == "" {
		return Status{}, malformed("server_stats: no version or no state")
	}
	return Status{
		Version:     shortVersion(v.Version),
		Mode:        modeNamed(v.Stats.State),
		Zxid:        v.Stats.Zxid,
		Connections: max(v.Stats.Connections, 0),
	}, nil
}

func parseMonitor(b []byte) (Counts, error) {
	var v struct {
		envelope
		Watches *int `json:"watch_count"`
		Expired *int `json:"stale_sessions_expired"`
	}
	if err := unpack(b, "monitor", &v); err != nil {
		return Counts{}, err
	}
	if v.Watches == nil || *v.Watches < 0 || v.Expired != nil && *v.Expired < 0 {
		return Counts{}, malformed("monitor: no counts")
	}
	return Counts{*v.Watches, v.Expired}, nil
}

// parseWatchSummary returns the number of watches on data and existence.
func parseWatchSummary(b []byte) (int, error) {
	var v struct {
		envelope
		Total *int `json:"num_total_watches"`
	}
	if err := unpack(b, "watch_summary", &v); err != nil {
		return 0, err
	}
	if v.Total == nil || *v.Total < 0 {
		return 0, malformed("watch_summary: no number of watches")
	}
	return *v.Total, nil
}

func parseConfiguration(b []byte) (Identity, error) {
	var v struct {
		envelope
		ID   *int  `json:"server_id"`
		Port int   `json:"client_port"`
		Tick int64 `json:"tick_time"`
	}
	if err := unpack(b, "configuration", &v); err != nil {
		return Identity{}, err
	}
	if v.ID == nil {
		return Identity{}, malformed("configuration: no server_id")
	}
	tick, err := milliseconds(v.Tick)
	return Identity{Number: *v.ID, Port: v.Port, Tick: tick}.checked(), err
}

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

type jsonConn struct {
	Addr         string      `json:"remote_socket_address"`
	Session      jsonSession `json:"session_id"`
	Timeout      int64       `json:"session_timeout"`
	LastOp       string      `json:"last_operation"`
	Established  int64       `json:"established"`
	LastResponse int64       `json:"last_response_time"`
	Received     int64       `json:"packets_received"`
	Outstanding  int         `json:"outstanding_requests"`
}

func (v *jsonConn) conn() (session.Client, error) {
	timeout, err := milliseconds(v.Timeout)
	if err != nil {
		return session.Client{}, err
	}
	established, err := milliseconds(v.Established)
	if err != nil {
		return session.Client{}, err
	}
	response, err := milliseconds(v.LastResponse)
	return session.Client{
		Session: uint64(v.Session), Addr: clientAddr(v.Addr), Timeout: timeout, LastOp: lastOp(v.LastOp),
		Established: since1970(established), LastResponse: response, Received: v.Received, Outstanding: v.Outstanding,
	}, err
}

// parseConnections reads the connections to both ports of the server, if its
// release lists both.
func parseConnections(b []byte) (Connections, error) {
	var v struct {
		envelope
		Plain  *[]jsonConn `json:"connections"`
		Secure *[]jsonConn `json:"secure_connections"`
	}
	if err := unpack(b, "connections", &v); err != nil {
		return Connections{}, err
	}
	if v.Plain == nil {
		return Connections{}, malformed("connections: no list")
	}
	all := Connections{BothPorts: v.Secure != nil}
	for _, list := range []*[]jsonConn{v.Plain, v.Secure} {
		if list == nil {
			continue
		}
		for i := range *list {
			c, err := (*list)[i].conn()
			if err != nil {
				return Connections{}, err
			}
			if c.Addr != "" { // otherwise it was closed meanwhile
				all.List = append(all.List, c)
			}
		}
	}
	return all, nil
}

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
