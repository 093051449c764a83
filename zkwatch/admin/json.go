package admin

import (
	"errors"
	"fmt"
	"strings"

	"electop/model"
)

// The answers of an AdminServer, as Apache ZooKeeper 3.5 to 3.9 give them.

// envelope is what every answer has besides its own fields.
type envelope struct {
	Command *string `json:"command"`
	Error   *string `json:"error"`
}

func (e *envelope) head() *envelope { return e }

// unpack takes an answer apart into v, which embeds an envelope.
func unpack(b []byte, command string, v interface{ head() *envelope }) error {
	if err := model.Unmarshal(b, v); errors.Is(err, model.ErrDense) {
		return fmt.Errorf("%w: %s: %w", errTooLarge, command, err)
	} else if err != nil {
		return malformed("%s: %s", command, model.Safe(err.Error(), 100))
	}
	e := v.head()
	switch {
	case e.Command == nil:
		return malformed("%s: no command is named", command)
	case *e.Command != command:
		return malformed("%s: the answer is that of %s", command, shown(*e.Command))
	case e.Error == nil:
		return nil
	case strings.Contains(*e.Error, "not currently serving"):
		return errNotServing
	}
	return fmt.Errorf("%s: %w: %s", command, errServerSays, model.Safe(*e.Error, 100))
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

func parseServerStats(b []byte) (basics, error) {
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
		return basics{}, err
	}
	if v.Version == "" || v.Stats == nil || v.Stats.State == "" {
		return basics{}, malformed("server_stats: no version or no state")
	}
	return basics{
		version:     shortVersion(v.Version),
		mode:        modeNamed(v.Stats.State),
		zxid:        v.Stats.Zxid,
		connections: max(v.Stats.Connections, 0),
	}, nil
}

func parseMonitor(b []byte) (int, error) {
	var v struct {
		envelope
		Watches *int `json:"watch_count"`
	}
	if err := unpack(b, "monitor", &v); err != nil {
		return 0, err
	}
	if v.Watches == nil || *v.Watches < 0 {
		return 0, malformed("monitor: no count of watches")
	}
	return *v.Watches, nil
}

func parseWatchSummary(b []byte) (int, error) {
	var v struct {
		envelope
		Total *int `json:"num_total_watches"`
	}
	if err := unpack(b, "watch_summary", &v); err != nil {
		return 0, err
	}
	if v.Total == nil || *v.Total < 0 {
		return 0, malformed("watch_summary: no total")
	}
	return *v.Total, nil
}

func parseConfiguration(b []byte) (identity, error) {
	var v struct {
		envelope
		ID   *int  `json:"server_id"`
		Port int   `json:"client_port"`
		Tick int64 `json:"tick_time"`
	}
	if err := unpack(b, "configuration", &v); err != nil {
		return identity{}, err
	}
	if v.ID == nil {
		return identity{}, malformed("configuration: no server_id")
	}
	tick, err := milliseconds(v.Tick)
	return identity{id: *v.ID, port: v.Port, tick: tick}.checked(), err
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

func (v *jsonConn) conn() (model.ServerConn, error) {
	timeout, err := milliseconds(v.Timeout)
	if err != nil {
		return model.ServerConn{}, err
	}
	established, err := milliseconds(v.Established)
	if err != nil {
		return model.ServerConn{}, err
	}
	response, err := milliseconds(v.LastResponse)
	return model.ServerConn{
		Session: uint64(v.Session), Addr: clientAddr(v.Addr), Timeout: timeout, LastOp: lastOp(v.LastOp),
		Established: since1970(established), LastResponse: response, Received: v.Received, Outstanding: v.Outstanding,
	}, err
}

// parseConnections reads the connections to both ports of the server's, if the
// release lists them.
func parseConnections(b []byte) (clients, error) {
	var v struct {
		envelope
		Plain  *[]jsonConn `json:"connections"`
		Secure *[]jsonConn `json:"secure_connections"`
	}
	if err := unpack(b, "connections", &v); err != nil {
		return clients{}, err
	}
	if v.Plain == nil {
		return clients{}, malformed("connections: there is no list")
	}
	all := clients{both: v.Secure != nil}
	for _, list := range []*[]jsonConn{v.Plain, v.Secure} {
		if list == nil {
			continue
		}
		for i := range *list {
			c, err := (*list)[i].conn()
			if err != nil {
				return clients{}, err
			}
			all.conns = append(all.conns, c)
		}
	}
	return all, nil
}

func parseJSONDump(b []byte) (dump, error) {
	var v struct {
		envelope
		Expiry     *map[string][]jsonSession `json:"expiry_time_to_session_ids"`
		Ephemerals *map[string][]string      `json:"session_id_to_ephemeral_paths"`
	}
	if err := unpack(b, "dump", &v); err != nil {
		return dump{}, err
	}
	if v.Expiry == nil || v.Ephemerals == nil {
		return dump{}, malformed("dump: no sessions or no ephemerals")
	}
	var d dump
	for key, list := range *v.Expiry {
		at, err := parseMilliseconds(key)
		if err != nil {
			return dump{}, err
		}
		for _, s := range list {
			d.deadlines = append(d.deadlines, model.Deadline{Session: uint64(s), At: at})
		}
	}
	for key, paths := range *v.Ephemerals {
		id, err := parseSession(key)
		if err != nil {
			return dump{}, err
		}
		for _, path := range paths {
			if !strings.HasPrefix(path, "/") {
				return dump{}, malformed("dump: path %s", shown(path))
			}
			d.ephemerals = append(d.ephemerals, model.Ephemeral{Session: id, Path: path})
		}
	}
	return d, nil
}

func parseWatchesByPath(b []byte) ([]model.Watch, error) {
	var v struct {
		envelope
		Paths *map[string][]jsonSession `json:"path_to_session_ids"`
	}
	if err := unpack(b, "watches_by_path", &v); err != nil {
		return nil, err
	}
	if v.Paths == nil {
		return nil, malformed("watches_by_path: there is no table")
	}
	all := make([]model.Watch, 0, len(*v.Paths))
	for path, list := range *v.Paths {
		if !strings.HasPrefix(path, "/") {
			return nil, malformed("watches_by_path: path %s", shown(path))
		}
		all = append(all, model.Watch{Path: path, Sessions: sessions(list)})
	}
	return all, nil
}

func parseWatches(b []byte) ([]model.Watch, error) {
	var v struct {
		envelope
		Sessions *map[string][]string `json:"session_id_to_watched_paths"`
	}
	if err := unpack(b, "watches", &v); err != nil {
		return nil, err
	}
	if v.Sessions == nil {
		return nil, malformed("watches: there is no table")
	}
	var all byPath
	for key, paths := range *v.Sessions {
		id, err := parseSession(key)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if !strings.HasPrefix(path, "/") {
				return nil, malformed("watches: path %s", shown(path))
			}
			all.add(path, id)
		}
	}
	return all.watches, nil
}
