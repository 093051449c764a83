package status

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// dumpDate is the layout of java.util.Date.toString.
const dumpDate = "Mon Jan 02 15:04:05 MST 2006"

// A word is what is needed for the answer to a four-letter word, and how it is
// written.
type word struct {
	parts Part
	write func(*State, *bufio.Writer)
}

// words are the four-letter words that electop, clients and monitoring send, instead of
// a first frame.
var words = map[string]word{
	"ruok": {0, func(_ *State, w *bufio.Writer) { w.WriteString("imok") }},
	"srvr": {0, func(s *State, w *bufio.Writer) { writeStat(s, w, false) }},
	"stat": {Connections, func(s *State, w *bufio.Writer) { writeStat(s, w, true) }},
	"mntr": {0, writeMonitor},
	"cons": {Connections, writeConnections},
	"dump": {Sessions | Ephemerals | Connections, writeDump},
	"wchs": {0, writeWatchSummary},
	"wchp": {Watches, writeWatchesByPath},
	"conf": {0, writeConf},
	"envi": {0, writeEnv},
}

// Known reports whether four bytes are a word.
func Known(name string) bool { return words[name].write != nil }

// answerChunk is how much of an answer is written at a time, in bytes.
const answerChunk = 32 << 10

// Answer writes the answer to a word that is known. A long one goes out while the rest is
// made.
func Answer(to io.Writer, s Source, name string) error {
	w := bufio.NewWriterSize(to, answerChunk)
	state, _ := s(words[name].parts)
	words[name].write(&state, w)
	return w.Flush()
}

func writeStat(s *State, w *bufio.Writer, clients bool) {
	fmt.Fprintf(w, "Zookeeper version: %s\n", version)
	if clients {
		fmt.Fprintln(w, "Clients:")
		for _, c := range s.connections() {
			c.describe(w, true)
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w)
	}
	sum := &s.Totals
	l := &sum.Latency
	fmt.Fprintf(w, "Latency min/avg/max: %d/%s/%d\n", l.least.Milliseconds(), l.average(), l.longest.Milliseconds())
	fmt.Fprintf(w, "Received: %d\nSent: %d\nConnections: %d\nOutstanding: 0\n", sum.Received, sum.Sent, sum.Connections)
	fmt.Fprintf(w, "Zxid: %#x\nMode: standalone\nNode count: %d\n", sum.Zxid, sum.Nodes)
}

// describe writes a connection as stat (brief) and cons do. The number in
// brackets is the connection's interest in I/O: 1 for reading, 0 for a
// four-letter word under way.
func (c *Conn) describe(w *bufio.Writer, brief bool) {
	interest := 0
	if c.Session != 0 {
		interest = 1
	}
	st := &c.Stats
	fmt.Fprintf(w, " /%s[%d](queued=0,recved=%d,sent=%d", c.Remote, interest, st.Received, st.Sent)
	if !brief && c.Session != 0 {
		fmt.Fprintf(w, ",sid=%#x,lop=%s,est=%d,to=%d", uint64(c.Session), cmp.Or(st.lastOp, "null"),
			st.Established.UnixMilli(), c.Timeout.Milliseconds())
		if st.lastXid >= 0 {
			fmt.Fprintf(w, ",lcxid=%#x", st.lastXid)
		}
		l := &st.latency
		fmt.Fprintf(w, ",lzxid=%#x,lresp=%d,llat=%d,minlat=%d,avglat=%d,maxlat=%d", uint64(st.lastZxid),
			st.lastReply.Milliseconds(), st.lastLatency.Milliseconds(), l.least.Milliseconds(),
			l.mean().Milliseconds(), l.longest.Milliseconds())
	}
	w.WriteByte(')')
}

func writeConnections(s *State, w *bufio.Writer) {
	for _, c := range s.connections() {
		c.describe(w, false)
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// writeDump lists the sessions by the time at which they expire, the
// ephemeral nodes by session, and the connections by when they would be
// closed for silence: with their session, or ten seconds after they came.
func writeDump(s *State, w *bufio.Writer) {
	fmt.Fprintln(w, "SessionTracker dump:")
	start, sessions := s.Totals.Start, s.Sessions
	sets := make(map[time.Duration][]string)
	for _, sess := range sessions {
		sets[sess.Expiry] = append(sets[sess.Expiry], fmt.Sprintf("%#x", uint64(sess.ID)))
	}
	fmt.Fprintf(w, "Session Sets (%d)/(%d):\n", len(sets), len(sessions))
	writeSets(w, start, sets)
	fmt.Fprintln(w, "ephemeral nodes dump:")
	owners := s.ephemerals()
	fmt.Fprintf(w, "Sessions with Ephemerals (%d):\n", len(owners))
	for _, owned := range owners {
		fmt.Fprintf(w, "%#x:\n", uint64(owned[0].Session))
		for _, e := range owned {
			fmt.Fprintf(w, "\t%s\n", e.Path)
		}
	}
	fmt.Fprintln(w, "Connections dump:")
	conns := s.Connections
	sets = make(map[time.Duration][]string)
	for _, c := range conns {
		const interval = 10 * time.Second
		at := (c.Deadline/interval + 1) * interval
		sets[at] = append(sets[at], fmt.Sprintf("ip: /%s sessionId: %#x", c.Remote, uint64(c.Session)))
	}
	fmt.Fprintf(w, "Connections Sets (%d)/(%d):\n", len(sets), len(conns))
	writeSets(w, start, sets)
}

func writeSets(w *bufio.Writer, start time.Time, sets map[time.Duration][]string) {
	for _, at := range slices.Sorted(maps.Keys(sets)) {
		fmt.Fprintf(w, "%d expire at %s:\n", len(sets[at]), start.Add(at).Format(dumpDate))
		slices.Sort(sets[at])
		for _, line := range sets[at] {
			fmt.Fprintf(w, "\t%s\n", line)
		}
	}
}

// The watch words report data and existence watches only, as in Apache.

func writeWatchSummary(s *State, w *bufio.Writer) {
	sum := &s.Totals
	fmt.Fprintf(w, "%d connections watching %d paths\nTotal watches:%d\n", sum.Watchers, sum.Paths, sum.DataWatches)
}

func writeWatchesByPath(s *State, w *bufio.Writer) {
	for same := range s.watches() {
		w.WriteString(same[0].Path)
		w.WriteByte('\n')
		for i := range same {
			w.WriteString("\t0x")
			w.Write(strconv.AppendUint(w.AvailableBuffer(), uint64(same[i].Session), 16))
			w.WriteByte('\n')
		}
	}
	fmt.Fprintln(w)
}

func writeConf(s *State, w *bufio.Writer) {
	cfg := &s.Config
	fmt.Fprintf(w, "clientPort=%d\nsecureClientPort=-1\n", cfg.ClientPort)
	fmt.Fprintf(w, "dataDir=\ndataDirSize=0\ndataLogDir=\ndataLogSize=0\n")
	fmt.Fprintf(w, "tickTime=%d\nmaxClientCnxns=%d\n", cfg.Tick.Milliseconds(), cfg.MaxClientCnxns)
	fmt.Fprintf(w, "minSessionTimeout=%d\nmaxSessionTimeout=%d\n",
		cfg.MinSessionTimeout.Milliseconds(), cfg.MaxSessionTimeout.Milliseconds())
	fmt.Fprintf(w, "clientPortListenBacklog=-1\nserverId=0\n")
}

// writeEnv reveals little about the machine: anybody can ask.
func writeEnv(_ *State, w *bufio.Writer) {
	fmt.Fprintf(w, "Environment:\nzookeeper.version=%s\n", version)
	fmt.Fprintf(w, "runtime.version=%s\nos.name=%s\nos.arch=%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// writeMonitor writes the gauges as lines of key and value.
func writeMonitor(s *State, w *bufio.Writer) {
	for _, g := range gauges(s) {
		fmt.Fprintf(w, "zk_%s\t%v\n", g.key, g.value)
	}
}

// A gauge is a number, or a text, that the server reports.
type gauge struct {
	key   string
	value any
}

// gauges are what Apache's mntr begins with, in its order; the some 300
// internal metrics that follow there have no counterpart here.
func gauges(s *State) []gauge {
	sum := &s.Totals
	l := &sum.Latency
	return []gauge{
		{"version", version},
		{"server_state", "standalone"},
		{"ephemerals_count", sum.Ephemerals},
		{"num_alive_connections", sum.Connections},
		{"avg_latency", json.Number(l.average())},
		{"outstanding_requests", 0},
		{"znode_count", sum.Nodes},
		{"global_sessions", sum.Sessions},
		{"non_mtls_remote_conn_count", 0},
		{"last_client_response_size", sum.LastReply},
		{"packets_sent", sum.Sent},
		{"packets_received", sum.Received},
		{"max_client_response_size", sum.MostReply},
		{"connection_drop_probability", json.Number("0.0")},
		{"watch_count", sum.Watches},
		{"auth_failed_count", sum.AuthFailed},
		{"min_latency", l.least.Milliseconds()},
		{"approximate_data_size", sum.DataSize},
		{"local_sessions", 0},
		{"uptime", sum.Uptime.Milliseconds()},
		{"max_latency", l.longest.Milliseconds()},
		{"outstanding_tls_handshake", 0},
		{"min_client_response_size", sum.LeastReply},
		{"non_mtls_local_conn_count", 0},
		{"connection_rejected", sum.Rejected},
		{"bytes_received_count", sum.BytesIn},
		{"stale_sessions_expired", sum.Expired},
	}
}
