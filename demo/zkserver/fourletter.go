package zkserver

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"net"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// version is what the server calls itself: the release whose behaviour it
// has. The layout is Apache's, which tools take apart.
const version = "3.8.0-embedded, built on 2022-02-25 08:49 UTC"

// dumpDate is the layout of java.util.Date.toString.
const dumpDate = "Mon Jan 02 15:04:05 MST 2006"

// words are the four-letter words, sent instead of a first frame. Each writes
// its answer under s.mu.
var words = map[string]func(*Server, *conn, *bytes.Buffer){
	"ruok": func(_ *Server, _ *conn, w *bytes.Buffer) { w.WriteString("imok") },
	"isro": func(_ *Server, _ *conn, w *bytes.Buffer) { w.WriteString("rw") },
	"srvr": func(s *Server, _ *conn, w *bytes.Buffer) { s.writeStat(w, false) },
	"stat": func(s *Server, _ *conn, w *bytes.Buffer) { s.writeStat(w, true) },
	"mntr": (*Server).writeMonitor,
	"cons": (*Server).writeConnections,
	"dump": (*Server).writeDump,
	"wchs": (*Server).writeWatchSummary,
	"wchp": (*Server).writeWatchesByPath,
	"wchc": (*Server).writeWatchesByConn,
	"conf": (*Server).writeConf,
	"envi": (*Server).writeEnv,
	"srst": (*Server).writeResetStats,
	"crst": (*Server).writeResetConnStats,
}

func (s *Server) knownWord(word string) bool { return words[word] != nil }

// fourLetter queues the answer to a word. The connection is to be closed then.
func (s *Server) fourLetter(c *conn, word string) {
	var w bytes.Buffer
	s.mu.Lock()
	c.handshake.stop()
	c.stats.received++
	s.counters.openings.Add(1)
	words[word](s, c, &w)
	s.mu.Unlock()
	c.cork()
	c.sendRaw(w.Bytes())
}

// byAddress returns the connections that are not about to close, in a stable order.
func (s *Server) byAddress() []*conn {
	all := make([]*conn, 0, s.alive)
	for c := range s.conns {
		if !c.gone {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *conn) int {
		return cmp.Or(a.stats.established.Compare(b.stats.established), cmp.Compare(a.remote, b.remote))
	})
	return all
}

func (s *Server) packets() (received, sent int64) {
	for i := range s.counters.requests {
		received += s.counters.requests[i].Load()
	}
	k := &s.counters
	return received + k.openings.Load() - k.receivedBefore.Load(), k.packetsOut.Load() - k.sentBefore.Load()
}

func (s *Server) writeStat(w *bytes.Buffer, clients bool) {
	fmt.Fprintf(w, "Zookeeper version: %s\n", version)
	if clients {
		fmt.Fprintln(w, "Clients:")
		for _, c := range s.byAddress() {
			c.describe(w, true)
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w)
	}
	l := &s.latency
	received, sent := s.packets()
	fmt.Fprintf(w, "Latency min/avg/max: %d/%s/%d\n", l.least.Milliseconds(), average(l), l.longest.Milliseconds())
	fmt.Fprintf(w, "Received: %d\nSent: %d\nConnections: %d\nOutstanding: 0\n", received, sent, s.alive)
	fmt.Fprintf(w, "Zxid: %#x\nMode: standalone\nNode count: %d\n", s.zxid, s.nodeCount())
}

// nodeCount counts the root twice, under "" and "/", as Apache does.
func (s *Server) nodeCount() int { return len(s.tree.nodes) + 1 }

// average is in milliseconds with up to four decimals and at least one.
func average(l *latency) string {
	if l.count == 0 {
		return "0.0"
	}
	ms := float64(l.total) / float64(l.count) / float64(time.Millisecond)
	text := strconv.FormatFloat(math.Round(ms*1e4)/1e4, 'f', -1, 64)
	if math.Trunc(ms) == ms || !bytes.ContainsRune([]byte(text), '.') {
		return strconv.FormatFloat(math.Round(ms), 'f', 1, 64)
	}
	return text
}

// describe writes a connection as stat (brief) and cons do. The number in
// brackets is the connection's interest in I/O: 1 for reading, 0 for a
// four-letter word under way.
func (c *conn) describe(w *bytes.Buffer, brief bool) {
	interest := 0
	if c.sess != nil {
		interest = 1
	}
	st := &c.stats
	fmt.Fprintf(w, " /%s[%d](queued=0,recved=%d,sent=%d", c.remote, interest, st.received, st.sent)
	if !brief && c.sess != nil {
		fmt.Fprintf(w, ",sid=%#x,lop=%s,est=%d,to=%d", uint64(c.sess.id), cmp.Or(st.lastOp, "null"),
			st.established.UnixMilli(), c.sess.timeout.Milliseconds())
		if st.lastXid >= 0 {
			fmt.Fprintf(w, ",lcxid=%#x", st.lastXid)
		}
		l := &st.latency
		avg := time.Duration(0)
		if l.count > 0 {
			avg = l.total / time.Duration(l.count)
		}
		fmt.Fprintf(w, ",lzxid=%#x,lresp=%d,llat=%d,minlat=%d,avglat=%d,maxlat=%d", uint64(st.lastZxid),
			st.lastReply.Milliseconds(), st.lastLatency.Milliseconds(), l.least.Milliseconds(),
			avg.Milliseconds(), l.longest.Milliseconds())
	}
	w.WriteByte(')')
}

func (s *Server) writeConnections(_ *conn, w *bytes.Buffer) {
	for _, c := range s.byAddress() {
		c.describe(w, false)
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// writeDump lists the sessions by the time at which they expire, the
// ephemeral nodes by session, and the connections by when they would be
// closed for silence: with their session, or ten seconds after they came.
func (s *Server) writeDump(_ *conn, w *bytes.Buffer) {
	fmt.Fprintln(w, "SessionTracker dump:")
	sets := make(map[time.Duration][]string)
	for _, sess := range s.sessions.byID {
		at := s.expiry(sess)
		sets[at] = append(sets[at], fmt.Sprintf("%#x", uint64(sess.id)))
	}
	fmt.Fprintf(w, "Session Sets (%d)/(%d):\n", len(sets), len(s.sessions.byID))
	s.writeSets(w, sets)
	fmt.Fprintln(w, "ephemeral nodes dump:")
	fmt.Fprintf(w, "Sessions with Ephemerals (%d):\n", len(s.tree.ephemerals))
	for _, id := range slices.Sorted(maps.Keys(s.tree.ephemerals)) {
		fmt.Fprintf(w, "%#x:\n", uint64(id))
		for _, path := range s.tree.ephemeralsOf(id) {
			fmt.Fprintf(w, "\t%s\n", path)
		}
	}
	fmt.Fprintln(w, "Connections dump:")
	sets = make(map[time.Duration][]string)
	for _, c := range s.byAddress() {
		const interval = 10 * time.Second
		id, at := int64(0), c.stats.established.Sub(s.start)+handshakeTimeout
		if c.sess != nil {
			id, at = c.sess.id, c.sess.deadline
		}
		at = (at/interval + 1) * interval
		sets[at] = append(sets[at], fmt.Sprintf("ip: /%s sessionId: %#x", c.remote, uint64(id)))
	}
	fmt.Fprintf(w, "Connections Sets (%d)/(%d):\n", len(sets), s.alive)
	s.writeSets(w, sets)
}

func (s *Server) writeSets(w *bytes.Buffer, sets map[time.Duration][]string) {
	for _, at := range slices.Sorted(maps.Keys(sets)) {
		fmt.Fprintf(w, "%d expire at %s:\n", len(sets[at]), s.start.Add(at).Format(dumpDate))
		slices.Sort(sets[at])
		for _, line := range sets[at] {
			fmt.Fprintf(w, "\t%s\n", line)
		}
	}
}

// The watch words tell of data and existence watches only, as Apache's do.

func (s *Server) writeWatchSummary(_ *conn, w *bytes.Buffer) {
	t := &s.watches.data
	fmt.Fprintf(w, "%d connections watching %d paths\nTotal watches:%d\n", t.conns, len(t.paths), t.total)
}

func (s *Server) writeWatchesByPath(_ *conn, w *bytes.Buffer) {
	t := &s.watches.data
	for _, path := range slices.Sorted(maps.Keys(t.paths)) {
		fmt.Fprintln(w, path)
		var ids []uint64
		for c := range t.paths[path] {
			ids = append(ids, uint64(c.sess.id))
		}
		slices.Sort(ids)
		for _, id := range ids {
			fmt.Fprintf(w, "\t%#x\n", id)
		}
	}
	fmt.Fprintln(w)
}

func (s *Server) writeWatchesByConn(_ *conn, w *bytes.Buffer) {
	for _, c := range s.byAddress() {
		if len(c.data) == 0 {
			continue
		}
		fmt.Fprintf(w, "%#x\n", uint64(c.sess.id))
		for _, path := range slices.Sorted(maps.Keys(c.data)) {
			fmt.Fprintf(w, "\t%s\n", path)
		}
	}
	fmt.Fprintln(w)
}

func (s *Server) writeConf(c *conn, w *bytes.Buffer) {
	port := 0
	if a, ok := c.nc.LocalAddr().(*net.TCPAddr); ok {
		port = a.Port
	}
	fmt.Fprintf(w, "clientPort=%d\nsecureClientPort=-1\n", port)
	fmt.Fprintf(w, "dataDir=\ndataDirSize=0\ndataLogDir=\ndataLogSize=0\n")
	fmt.Fprintf(w, "tickTime=%d\nmaxClientCnxns=%d\n", s.opts.Tick.Milliseconds(), s.opts.MaxClientCnxns)
	fmt.Fprintf(w, "minSessionTimeout=%d\nmaxSessionTimeout=%d\n",
		s.opts.MinSessionTimeout.Milliseconds(), s.opts.MaxSessionTimeout.Milliseconds())
	fmt.Fprintf(w, "clientPortListenBacklog=-1\nserverId=0\n")
}

// writeEnv tells nothing about the machine that a stranger need not know.
func (s *Server) writeEnv(_ *conn, w *bytes.Buffer) {
	fmt.Fprintf(w, "Environment:\nzookeeper.version=%s\n", version)
	fmt.Fprintf(w, "runtime.version=%s\nos.name=%s\nos.arch=%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (s *Server) writeResetStats(_ *conn, w *bytes.Buffer) {
	s.resetStats()
	fmt.Fprintln(w, "Server stats reset.")
}

func (s *Server) resetStats() {
	s.latency = latency{}
	received, sent := s.packets()
	k := &s.counters
	k.receivedBefore.Add(received)
	k.sentBefore.Add(sent)
	for _, size := range []*atomic.Int64{&k.replies.last, &k.replies.least, &k.replies.most} {
		size.Store(0)
	}
}

func (s *Server) writeResetConnStats(_ *conn, w *bytes.Buffer) {
	s.resetConnStats()
	fmt.Fprintln(w, "Connection stats reset.")
}

func (s *Server) resetConnStats() {
	for c := range s.conns {
		c.stats.reset()
	}
}

// writeMonitor tells the gauges as lines of key and value.
func (s *Server) writeMonitor(_ *conn, w *bytes.Buffer) {
	for _, g := range s.gauges() {
		fmt.Fprintf(w, "zk_%s\t%v\n", g.key, g.value)
	}
}

// gauges are what Apache's mntr begins with, in its order; the some 300
// internal metrics that follow there have no counterpart here.
func (s *Server) gauges() object {
	received, sent := s.packets()
	l := &s.latency
	last, least, most := s.replySizes()
	ephemerals := 0
	for _, set := range s.tree.ephemerals {
		ephemerals += len(set)
	}
	return object{
		{"version", version},
		{"server_state", "standalone"},
		{"ephemerals_count", ephemerals},
		{"num_alive_connections", s.alive},
		{"avg_latency", number(average(l))},
		{"outstanding_requests", 0},
		{"znode_count", s.nodeCount()},
		{"global_sessions", len(s.sessions.byID)},
		{"non_mtls_remote_conn_count", 0},
		{"last_client_response_size", last},
		{"packets_sent", sent},
		{"packets_received", received},
		{"max_client_response_size", most},
		{"connection_drop_probability", number("0.0")},
		{"watch_count", s.watches.data.total + s.watches.child.total},
		{"auth_failed_count", s.counters.authFailed.Load()},
		{"min_latency", l.least.Milliseconds()},
		{"approximate_data_size", s.tree.bytes},
		{"local_sessions", 0},
		{"uptime", s.elapsed().Milliseconds()},
		{"max_latency", l.longest.Milliseconds()},
		{"outstanding_tls_handshake", 0},
		{"min_client_response_size", least},
		{"non_mtls_local_conn_count", 0},
		{"connection_rejected", s.counters.rejected.Load()},
		{"bytes_received_count", s.counters.bytesIn.Load()},
		{"stale_sessions_expired", s.counters.expired.Load()},
	}
}

// replySizes are -1 while there was no reply.
func (s *Server) replySizes() (last, least, most int64) {
	z := &s.counters.replies
	if last = z.last.Load(); last == 0 {
		return -1, -1, -1
	}
	return last, z.least.Load(), z.most.Load()
}
