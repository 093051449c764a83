package zkserver

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// adminRoot is where Apache's AdminServer has its commands.
const adminRoot = "/commands"

// An adminCommand is known by a name and by those of its four-letter word and
// of earlier releases. Its answer is made under s.mu and must not refer to
// what the lock guards.
type adminCommand struct {
	name    string
	aliases []string
	answer  func(*Server) object
}

// adminCommands are in the order of Apache's index. Those of its commands that
// are missing tell of a Java virtual machine (system_properties), of what is
// on a disk (last_snapshot) or of a debugging aid (get_trace_mask,
// set_trace_mask).
var adminCommands = []adminCommand{
	{"configuration", []string{"conf", "config"}, (*Server).adminConf},
	{"connection_stat_reset", []string{"crst"}, func(s *Server) object { s.resetConnStats(); return nil }},
	{"connections", []string{"cons"}, func(s *Server) object { return s.adminConns(false) }},
	{"dirs", nil, func(*Server) object { return object{{"datadir_size", 0}, {"logdir_size", 0}} }},
	{"dump", nil, (*Server).adminDump},
	{"environment", []string{"env", "envi"}, (*Server).adminEnv},
	{"hash", nil, func(*Server) object { return object{{"digests", []string(nil)}} }},
	{"initial_configuration", []string{"icfg"}, (*Server).adminInitialConf},
	{"is_read_only", []string{"isro"}, func(*Server) object { return object{{"read_only", false}} }},
	// A standalone server's answer, Apache's too.
	{"leader", []string{"lead"}, func(*Server) object { return object{{"error", "server is not initialized"}} }},
	{"monitor", []string{"mntr"}, (*Server).gauges},
	{"observer_connection_stat_reset", []string{"orst"}, func(*Server) object { return nil }},
	{"observers", []string{"obsr"}, func(*Server) object {
		return object{{"synced_observers", 0}, {"observers", []object(nil)}}
	}},
	{"ruok", nil, func(*Server) object { return nil }},
	{"server_stats", []string{"srvr"}, (*Server).adminStats},
	{"stat_reset", []string{"srst"}, func(s *Server) object { s.resetStats(); return nil }},
	{"stats", []string{"stat"}, func(s *Server) object { return append(s.adminStats(), s.adminConns(true)...) }},
	{"voting_view", nil, func(*Server) object { return object{{"current_config", object{}}} }},
	{"watch_summary", []string{"wchs"}, (*Server).adminWatchSummary},
	{"watches", []string{"wchc"}, (*Server).adminWatches},
	{"watches_by_path", []string{"wchp"}, (*Server).adminWatchesByPath},
	{"zabstate", nil, func(*Server) object { return object{{"voting", false}, {"zabstate", ""}} }},
}

// AdminHandler answers as the AdminServer of Apache does: /commands is an
// index, /commands/NAME the answer of a command, as JSON. It takes GET and HEAD
// requests and asks nobody who they are. As at Apache, an unknown command is
// answered with status 200 and an error in the JSON. Whoever serves the handler
// sets the timeouts and the bounds; [Server.ServeAdmin] does.
func (s *Server) AdminHandler() http.Handler { return http.HandlerFunc(s.admin) }

func (s *Server) admin(w http.ResponseWriter, r *http.Request) {
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
	answer := s.adminAnswer(name[1:])
	reply(w, "application/json", appendJSON(nil, answer, 0))
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

// adminAnswer carries a command out.
func (s *Server) adminAnswer(name string) object {
	i := slices.IndexFunc(adminCommands, func(c adminCommand) bool {
		return c.name == name || slices.Contains(c.aliases, name)
	})
	if i < 0 {
		return object{{"command", name}, {"error", "Unknown command: " + name}}
	}
	c := adminCommands[i]
	var answer object
	closed := false
	s.locked(func() {
		if closed = s.closed || s.down; !closed {
			answer = c.answer(s)
		}
	})
	if closed {
		return object{{"command", c.name}, {"error", "This ZooKeeper instance is not currently serving requests"}}
	}
	failed := slices.ContainsFunc(answer, func(f field) bool { return f.key == "error" })
	if answer = append(answer, field{"command", c.name}); !failed {
		answer = append(answer, field{"error", nil})
	}
	return answer
}

// clientPort is the lowest port that clients are accepted on, 0 if there is
// none.
func (s *Server) clientPort() int {
	port := 0
	for l := range s.listeners {
		if _, ok := l.(*adminListener); ok {
			continue
		}
		if a, ok := l.Addr().(*net.TCPAddr); ok && (port == 0 || a.Port < port) {
			port = a.Port
		}
	}
	return port
}

func (s *Server) adminConf() object {
	return object{
		{"client_port", s.clientPort()},
		{"data_dir", ""},
		{"data_log_dir", ""},
		{"tick_time", s.opts.Tick.Milliseconds()},
		{"max_client_cnxns", s.opts.MaxClientCnxns},
		{"min_session_timeout", s.opts.MinSessionTimeout.Milliseconds()},
		{"max_session_timeout", s.opts.MaxSessionTimeout.Milliseconds()},
		{"server_id", 0},
		{"client_port_listen_backlog", -1},
	}
}

// adminInitialConf is the zoo.cfg that an Apache server would need.
func (s *Server) adminInitialConf() object {
	return object{{"initial_configuration", fmt.Sprintf(
		"tickTime=%d\nminSessionTimeout=%d\nmaxSessionTimeout=%d\nclientPort=%d\nmaxClientCnxns=%d\n",
		s.opts.Tick.Milliseconds(), s.opts.MinSessionTimeout.Milliseconds(),
		s.opts.MaxSessionTimeout.Milliseconds(), s.clientPort(), s.opts.MaxClientCnxns)}}
}

// adminEnv tells no more than the envi word.
func (s *Server) adminEnv() object {
	return object{
		{"zookeeper.version", version},
		{"runtime.version", runtime.Version()},
		{"os.name", runtime.GOOS},
		{"os.arch", runtime.GOARCH},
	}
}

func (s *Server) adminStats() object {
	received, sent := s.packets()
	last, least, most := s.replySizes()
	size := object{{"last_buffer_size", last}, {"min_buffer_size", least}, {"max_buffer_size", most}}
	l := &s.latency
	return object{
		{"version", version},
		{"read_only", false},
		{"server_stats", object{
			{"packets_sent", sent},
			{"packets_received", received},
			{"fsync_threshold_exceed_count", 0},
			{"client_response_stats", size},
			{"provider_null", false},
			{"data_dir_size", 0},
			{"log_dir_size", 0},
			{"server_state", "standalone"},
			{"last_processed_zxid", s.zxid},
			{"outstanding_requests", 0},
			{"avg_latency", number(average(l))},
			{"max_latency", l.longest.Milliseconds()},
			{"min_latency", l.least.Milliseconds()},
			{"num_alive_client_connections", s.alive},
			{"uptime", s.elapsed().Milliseconds()},
			{"auth_failed_count", s.counters.authFailed.Load()},
			{"non_mtlsremote_conn_count", 0},
			{"non_mtlslocal_conn_count", 0},
		}},
		{"client_response", size},
		{"node_count", s.nodeCount()},
	}
}

func (s *Server) adminConns(brief bool) object {
	var all []object
	for _, c := range s.byAddress() {
		all = append(all, c.adminInfo(brief))
	}
	return object{{"connections", all}, {"secure_connections", []object(nil)}}
}

// adminInfo is what describe says, for programs.
func (c *conn) adminInfo(brief bool) object {
	st := &c.stats
	o := object{
		{"remote_socket_address", c.remote},
		{"interest_ops", 1},
		{"outstanding_requests", 0},
		{"packets_received", st.received},
		{"packets_sent", st.sent},
	}
	if brief {
		return o
	}
	id, timeout := int64(0), handshakeTimeout
	if c.sess != nil {
		id, timeout = c.sess.id, c.sess.timeout
	}
	var last any // null at first
	if st.lastOp != "" {
		last = st.lastOp
	}
	l := &st.latency
	avg := l.total / time.Duration(max(l.count, 1))
	return append(o, object{
		{"session_id", id},
		{"last_operation", last},
		{"established", st.established.UnixMilli()},
		{"session_timeout", timeout.Milliseconds()},
		{"last_cxid", int(st.lastXid)},
		{"last_zxid", st.lastZxid},
		{"last_response_time", st.lastReply.Milliseconds()},
		{"last_latency", st.lastLatency.Milliseconds()},
		{"min_latency", l.least.Milliseconds()},
		{"avg_latency", avg.Milliseconds()},
		{"max_latency", l.longest.Milliseconds()},
	}...)
}

// adminDump gives deadlines in milliseconds on the clock that
// last_response_time is on: since the server was made.
func (s *Server) adminDump() object {
	sets := make(map[int64][]int64)
	for _, sess := range s.sessions.byID {
		at := s.expiry(sess).Milliseconds()
		sets[at] = append(sets[at], sess.id)
	}
	expiry, paths := object{}, object{}
	for _, at := range slices.Sorted(maps.Keys(sets)) {
		slices.Sort(sets[at])
		expiry = append(expiry, field{strconv.FormatInt(at, 10), sets[at]})
	}
	for _, id := range slices.Sorted(maps.Keys(s.tree.ephemerals)) {
		paths = append(paths, field{strconv.FormatInt(id, 10), s.tree.ephemeralsOf(id)})
	}
	return object{{"expiry_time_to_session_ids", expiry}, {"session_id_to_ephemeral_paths", paths}}
}

// As with the words, the watches are those on data and existence.

func (s *Server) adminWatchSummary() object {
	t := &s.watches.data
	return object{{"num_connections", t.conns}, {"num_paths", len(t.paths)}, {"num_total_watches", t.total}}
}

func (s *Server) adminWatches() object {
	bySession := object{}
	for _, c := range s.byAddress() {
		if len(c.data) > 0 {
			bySession = append(bySession, field{strconv.FormatInt(c.sess.id, 10), slices.Sorted(maps.Keys(c.data))})
		}
	}
	return object{{"session_id_to_watched_paths", bySession}}
}

func (s *Server) adminWatchesByPath() object {
	byPath := object{}
	for _, path := range slices.Sorted(maps.Keys(s.watches.data.paths)) {
		var ids []int64
		for c := range s.watches.data.paths[path] {
			ids = append(ids, c.sess.id)
		}
		slices.Sort(ids)
		byPath = append(byPath, field{path, ids})
	}
	return object{{"path_to_session_ids", byPath}}
}
