package status

import (
	"bytes"
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
// of earlier releases. Its answer is made while the server stands still, and must
// not refer to what changes later.
type adminCommand struct {
	name    string
	aliases []string
	answer  func(Source) object
}

// adminCommands are in the order of Apache's index. Missing are its commands about
// the Java virtual machine (system_properties), the disk (last_snapshot) and
// debugging (get_trace_mask, set_trace_mask).
var adminCommands = []adminCommand{
	{"configuration", []string{"conf", "config"}, adminConf},
	{"connection_stat_reset", []string{"crst"}, func(s Source) object { s.ResetConnStats(); return nil }},
	{"connections", []string{"cons"}, func(s Source) object { return adminConns(s, false) }},
	{"dirs", nil, func(Source) object { return object{{"datadir_size", 0}, {"logdir_size", 0}} }},
	{"dump", nil, adminDump},
	{"environment", []string{"env", "envi"}, adminEnv},
	{"hash", nil, func(Source) object { return object{{"digests", []string(nil)}} }},
	{"initial_configuration", []string{"icfg"}, adminInitialConf},
	{"is_read_only", []string{"isro"}, func(Source) object { return object{{"read_only", false}} }},
	// A standalone server's answer, Apache's too.
	{"leader", []string{"lead"}, func(Source) object { return object{{"error", "server is not initialized"}} }},
	{"monitor", []string{"mntr"}, gauges},
	{"observer_connection_stat_reset", []string{"orst"}, func(Source) object { return nil }},
	{"observers", []string{"obsr"}, func(Source) object {
		return object{{"synced_observers", 0}, {"observers", []object(nil)}}
	}},
	{"ruok", nil, func(Source) object { return nil }},
	{"server_stats", []string{"srvr"}, adminStats},
	{"stat_reset", []string{"srst"}, func(s Source) object { s.ResetStats(); return nil }},
	{"stats", []string{"stat"}, func(s Source) object { return append(adminStats(s), adminConns(s, true)...) }},
	{"voting_view", nil, func(Source) object { return object{{"current_config", object{}}} }},
	{"watch_summary", []string{"wchs"}, adminWatchSummary},
	{"watches", []string{"wchc"}, adminWatches},
	{"watches_by_path", []string{"wchp"}, adminWatchesByPath},
	{"zabstate", nil, func(Source) object { return object{{"voting", false}, {"zabstate", ""}} }},
}

// A Handler answers as the AdminServer of Apache does: /commands is an index,
// /commands/NAME the answer of a command, as JSON. It takes GET and HEAD requests
// and asks nobody who they are. As at Apache, an unknown command is answered with
// status 200 and an error in the JSON.
//
// Handler calls f while the server stands still, or reports that it serves
// nobody now.
type Handler func(f func(Source)) (serving bool)

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

// answer carries a command out.
func (h Handler) answer(name string) object {
	i := slices.IndexFunc(adminCommands, func(c adminCommand) bool {
		return c.name == name || slices.Contains(c.aliases, name)
	})
	if i < 0 {
		return object{{"command", name}, {"error", "Unknown command: " + name}}
	}
	c := adminCommands[i]
	var answer object
	if !h(func(s Source) { answer = c.answer(s) }) {
		return object{{"command", c.name}, {"error", "This ZooKeeper instance is not currently serving requests"}}
	}
	failed := slices.ContainsFunc(answer, func(f field) bool { return f.key == "error" })
	if answer = append(answer, field{"command", c.name}); !failed {
		answer = append(answer, field{"error", nil})
	}
	return answer
}

func adminConf(s Source) object {
	cfg := s.Config()
	return object{
		{"client_port", cfg.ClientPort},
		{"data_dir", ""},
		{"data_log_dir", ""},
		{"tick_time", cfg.Tick.Milliseconds()},
		{"max_client_cnxns", cfg.MaxClientCnxns},
		{"min_session_timeout", cfg.MinSessionTimeout.Milliseconds()},
		{"max_session_timeout", cfg.MaxSessionTimeout.Milliseconds()},
		{"server_id", 0},
		{"client_port_listen_backlog", -1},
	}
}

// adminInitialConf is the zoo.cfg that an Apache server would need.
func adminInitialConf(s Source) object {
	cfg := s.Config()
	return object{{"initial_configuration", fmt.Sprintf(
		"tickTime=%d\nminSessionTimeout=%d\nmaxSessionTimeout=%d\nclientPort=%d\nmaxClientCnxns=%d\n",
		cfg.Tick.Milliseconds(), cfg.MinSessionTimeout.Milliseconds(),
		cfg.MaxSessionTimeout.Milliseconds(), cfg.ClientPort, cfg.MaxClientCnxns)}}
}

// adminEnv has the same content as the envi word.
func adminEnv(Source) object {
	return object{
		{"zookeeper.version", version},
		{"runtime.version", runtime.Version()},
		{"os.name", runtime.GOOS},
		{"os.arch", runtime.GOARCH},
	}
}

func adminStats(s Source) object {
	sum := s.Totals()
	size := object{{"last_buffer_size", sum.LastReply}, {"min_buffer_size", sum.LeastReply}, {"max_buffer_size", sum.MostReply}}
	l := &sum.Latency
	return object{
		{"version", version},
		{"read_only", false},
		{"server_stats", object{
			{"packets_sent", sum.Sent},
			{"packets_received", sum.Received},
			{"fsync_threshold_exceed_count", 0},
			{"client_response_stats", size},
			{"provider_null", false},
			{"data_dir_size", 0},
			{"log_dir_size", 0},
			{"server_state", "standalone"},
			{"last_processed_zxid", sum.Zxid},
			{"outstanding_requests", 0},
			{"avg_latency", number(l.average())},
			{"max_latency", l.longest.Milliseconds()},
			{"min_latency", l.least.Milliseconds()},
			{"num_alive_client_connections", sum.Connections},
			{"uptime", sum.Uptime.Milliseconds()},
			{"auth_failed_count", sum.AuthFailed},
			{"non_mtlsremote_conn_count", 0},
			{"non_mtlslocal_conn_count", 0},
		}},
		{"client_response", size},
		{"node_count", sum.Nodes},
	}
}

func adminConns(s Source, brief bool) object {
	var all []object
	for _, c := range s.Connections() {
		all = append(all, c.adminInfo(brief))
	}
	return object{{"connections", all}, {"secure_connections", []object(nil)}}
}

// adminInfo is what describe says, for programs.
func (c *Conn) adminInfo(brief bool) object {
	st := c.Stats
	o := object{
		{"remote_socket_address", c.Remote},
		{"interest_ops", 1},
		{"outstanding_requests", 0},
		{"packets_received", st.Received},
		{"packets_sent", st.Sent},
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
	return append(o, object{
		{"session_id", c.Session},
		{"last_operation", last},
		{"established", st.Established.UnixMilli()},
		{"session_timeout", timeout.Milliseconds()},
		{"last_cxid", int(st.lastXid)},
		{"last_zxid", st.lastZxid},
		{"last_response_time", st.lastReply.Milliseconds()},
		{"last_latency", st.lastLatency.Milliseconds()},
		{"min_latency", l.least.Milliseconds()},
		{"avg_latency", l.mean().Milliseconds()},
		{"max_latency", l.longest.Milliseconds()},
	}...)
}

// adminDump gives deadlines in milliseconds on the clock that
// last_response_time is on: since the server was made.
func adminDump(s Source) object {
	sets := make(map[int64][]int64)
	for _, sess := range s.Sessions() {
		at := sess.Expiry.Milliseconds()
		sets[at] = append(sets[at], sess.ID)
	}
	expiry, paths := object{}, object{}
	for _, at := range slices.Sorted(maps.Keys(sets)) {
		slices.Sort(sets[at])
		expiry = append(expiry, field{strconv.FormatInt(at, 10), sets[at]})
	}
	for _, id := range s.Owners() {
		paths = append(paths, field{strconv.FormatInt(id, 10), s.EphemeralsOf(id)})
	}
	return object{{"expiry_time_to_session_ids", expiry}, {"session_id_to_ephemeral_paths", paths}}
}

// As with the words, the watches are those on data and existence.

func adminWatchSummary(s Source) object {
	watchers, paths, total := s.Watches()
	return object{{"num_connections", watchers}, {"num_paths", paths}, {"num_total_watches", total}}
}

func adminWatches(s Source) object {
	bySession := object{}
	for _, c := range s.Connections() {
		if paths := c.Watched(); len(paths) > 0 {
			bySession = append(bySession, field{strconv.FormatInt(c.Session, 10), paths})
		}
	}
	return object{{"session_id_to_watched_paths", bySession}}
}

func adminWatchesByPath(s Source) object {
	byPath := object{}
	for _, path := range s.WatchedPaths() {
		byPath = append(byPath, field{path, s.Watching(path)})
	}
	return object{{"path_to_session_ids", byPath}}
}
