package status

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// adminRoot is where Apache's AdminServer has its commands.
const adminRoot = "/commands"

// An adminCommand is known by a name and by those of its four-letter word and
// of earlier releases.
type adminCommand struct {
	name    string
	aliases []string
	parts   Part // that the answer needs
	answer  func(*State) object
}

// adminCommands are those that electop, clients and monitoring ask for, in the order of
// Apache's index.
var adminCommands = []adminCommand{
	{"configuration", []string{"conf", "config"}, 0, adminConf},
	{"connections", []string{"cons"}, Connections, func(s *State) object { return adminConns(s, false) }},
	{"dump", nil, Sessions | Ephemerals, adminDump},
	{"environment", []string{"env", "envi"}, 0, adminEnv},
	{"monitor", []string{"mntr"}, 0, adminGauges},
	{"ruok", nil, 0, func(*State) object { return object{} }},
	{"server_stats", []string{"srvr"}, 0, adminStats},
	{"stats", []string{"stat"}, Connections, adminStat},
	{"watch_summary", []string{"wchs"}, 0, adminWatchSummary},
	{"watches_by_path", []string{"wchp"}, Watches, adminWatchesByPath},
}

// A Handler answers as the AdminServer of Apache does: /commands is an index,
// /commands/NAME the answer of a command, as JSON. It takes GET and HEAD requests
// and asks nobody who they are. As at Apache, an unknown command is answered with
// status 200 and an error in the JSON.
type Handler Source

// ServeHTTP implements http.Handler.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, adminRoot)
	switch {
	case !ok, name != "" && name[0] != '/':
		http.NotFound(w, r)
		return
	case len(name) <= 1:
		reply(w, "text/html; charset=utf-8", adminIndex())
		return
	}
	answer := h.answer(name[1:])
	reply(w, "application/json", asJSON(answer))
}

func reply(w http.ResponseWriter, kind string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body) // an error is the end of the connection, which it says itself
}

func adminIndex() []byte {
	var w bytes.Buffer
	for _, c := range adminCommands {
		fmt.Fprintf(&w, "<a href=\"%s/%s\">%[2]s</a>\n<br/>\n", adminRoot, c.name)
	}
	return w.Bytes()
}

// answer carries a command out.
func (h Handler) answer(name string) object {
	i := slices.IndexFunc(adminCommands, func(c adminCommand) bool {
		return c.name == name || slices.Contains(c.aliases, name)
	})
	if i < 0 {
		return object{"command": name, "error": "Unknown command: " + name}
	}
	c := adminCommands[i]
	state, serving := h(c.parts)
	if !serving {
		return object{"command": c.name, "error": "This ZooKeeper instance is not currently serving requests"}
	}
	answer := c.answer(&state)
	answer["command"], answer["error"] = c.name, nil
	return answer
}

func adminConf(s *State) object {
	cfg := &s.Config
	return object{
		"client_port":                cfg.ClientPort,
		"data_dir":                   "",
		"data_log_dir":               "",
		"tick_time":                  cfg.Tick.Milliseconds(),
		"max_client_cnxns":           cfg.MaxClientCnxns,
		"min_session_timeout":        cfg.MinSessionTimeout.Milliseconds(),
		"max_session_timeout":        cfg.MaxSessionTimeout.Milliseconds(),
		"server_id":                  0,
		"client_port_listen_backlog": -1,
	}
}

// adminEnv has the same content as the envi word.
func adminEnv(*State) object {
	return object{
		"zookeeper.version": version,
		"runtime.version":   runtime.Version(),
		"os.name":           runtime.GOOS,
		"os.arch":           runtime.GOARCH,
	}
}

func adminStats(s *State) object {
	sum := &s.Totals
	size := object{"last_buffer_size": sum.LastReply, "min_buffer_size": sum.LeastReply, "max_buffer_size": sum.MostReply}
	l := &sum.Latency
	return object{
		"version":   version,
		"read_only": false,
		"server_stats": object{
			"packets_sent":                 sum.Sent,
			"packets_received":             sum.Received,
			"fsync_threshold_exceed_count": 0,
			"client_response_stats":        size,
			"provider_null":                false,
			"data_dir_size":                0,
			"log_dir_size":                 0,
			"server_state":                 "standalone",
			"last_processed_zxid":          sum.Zxid,
			"outstanding_requests":         0,
			"avg_latency":                  json.Number(l.average()),
			"max_latency":                  l.longest.Milliseconds(),
			"min_latency":                  l.least.Milliseconds(),
			"num_alive_client_connections": sum.Connections,
			"uptime":                       sum.Uptime.Milliseconds(),
			"auth_failed_count":            sum.AuthFailed,
			"non_mtlsremote_conn_count":    0,
			"non_mtlslocal_conn_count":     0,
		},
		"client_response": size,
		"node_count":      sum.Nodes,
	}
}

func adminConns(s *State, brief bool) object {
	all := []object{}
	for _, c := range s.connections() {
		all = append(all, c.adminInfo(brief))
	}
	return object{"connections": all, "secure_connections": []object{}}
}

// adminInfo is what describe says, for programs.
func (c *Conn) adminInfo(brief bool) object {
	st := &c.Stats
	o := object{
		"remote_socket_address": c.Remote,
		"interest_ops":          1,
		"outstanding_requests":  0,
		"packets_received":      st.Received,
		"packets_sent":          st.Sent,
	}
	if brief {
		return o
	}
	timeout := HandshakeTimeout
	if c.Session != 0 {
		timeout = c.Timeout
	}
	var last any // null at first
	if st.lastOp != "" {
		last = st.lastOp
	}
	l := &st.latency
	maps.Copy(o, object{
		"session_id":         c.Session,
		"last_operation":     last,
		"established":        st.Established.UnixMilli(),
		"session_timeout":    timeout.Milliseconds(),
		"last_cxid":          int(st.lastXid),
		"last_zxid":          st.lastZxid,
		"last_response_time": st.lastReply.Milliseconds(),
		"last_latency":       st.lastLatency.Milliseconds(),
		"min_latency":        l.least.Milliseconds(),
		"avg_latency":        l.mean().Milliseconds(),
		"max_latency":        l.longest.Milliseconds(),
	})
	return o
}

// adminDump gives deadlines in milliseconds on the clock that
// last_response_time is on: since the server was made.
func adminDump(s *State) object {
	expiry, paths := make(map[int64][]int64), make(map[int64][]string)
	for _, sess := range s.Sessions {
		at := sess.Expiry.Milliseconds()
		expiry[at] = append(expiry[at], sess.ID)
	}
	for _, e := range s.Ephemerals {
		paths[e.Session] = append(paths[e.Session], e.Path)
	}
	return object{"expiry_time_to_session_ids": expiry, "session_id_to_ephemeral_paths": paths}
}

// As with the words, the watches are those on data and existence.

func adminWatchSummary(s *State) object {
	sum := &s.Totals
	return object{"num_connections": sum.Watchers, "num_paths": sum.Paths, "num_total_watches": sum.DataWatches}
}

func adminWatchesByPath(s *State) object {
	byPath := make(map[string][]int64)
	for _, w := range s.Watches {
		byPath[w.Path] = append(byPath[w.Path], w.Session)
	}
	return object{"path_to_session_ids": byPath}
}

// adminGauges returns the gauges of mntr.
func adminGauges(s *State) object {
	o := make(object)
	for _, g := range gauges(s) {
		o[g.key] = g.value
	}
	return o
}

// adminStat is adminStats with the connections.
func adminStat(s *State) object {
	o := adminStats(s)
	maps.Copy(o, adminConns(s, true))
	return o
}

// An object is a JSON object. Its fields are sorted; Apache's have no order either that a
// program may rely on.
type object map[string]any

// asJSON returns o with line breaks, because people read it too.
func asJSON(o object) []byte {
	var w bytes.Buffer
	e := json.NewEncoder(&w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	e.Encode(o) // a map of strings, numbers and lists cannot fail
	return w.Bytes()
}
