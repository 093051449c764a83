package zkserver

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/zkwatch/wire"
)

// version names the Apache release whose behaviour the server has.
const version = "3.8.0-embedded, built on 2022-02-25 08:49 UTC"

func (s *Server) clientPort() (port int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l, clients := range s.listeners {
		if a, ok := l.Addr().(*net.TCPAddr); ok && clients && (port == 0 || a.Port < port) {
			port = a.Port
		}
	}
	return port
}

// nodes counts the root twice, as "" and "/", as Apache does. The caller holds s.mu.
func (s *Server) nodes() int { return s.tree.Len() + 1 }

type connView struct {
	connStats
	remote  string        // host:port
	session int64         // 0: no session
	timeout time.Duration // session timeout; handshakeTimeout without a session
}

func (s *Server) connections() []connView {
	s.mu.Lock()
	all := make([]connView, 0, s.alive)
	for c := range s.conns {
		v := connView{connStats: c.stats, remote: c.remote, timeout: handshakeTimeout}
		if c.sess != nil {
			v.session, v.timeout = c.sess.id, c.sess.timeout
		}
		if !c.gone {
			all = append(all, v)
		}
	}
	s.mu.Unlock()
	slices.SortFunc(all, func(a, b connView) int {
		return cmp.Or(a.established.Compare(b.established), cmp.Compare(a.remote, b.remote))
	})
	return all
}

func (s *Server) dump() (expiry map[time.Duration][]int64, ephemerals map[int64][]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	expiry, ephemerals = make(map[time.Duration][]int64), make(map[int64][]string)
	for id, sess := range s.sessions {
		at := s.expiry(sess)
		expiry[at] = append(expiry[at], id)
		if paths := s.tree.EphemeralsOf(id); paths != nil {
			ephemerals[id] = paths
		}
	}
	return expiry, ephemerals
}

// dataWatches counts the watches on data and existence. Apache's wchs counts no others.
func (s *Server) dataWatches() (watchers, paths, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &s.watches.data
	return len(w.owned), len(w.paths), w.total
}

func (s *Server) watchesByPath() map[string][]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	byPath, all := make(map[string][]int64, len(s.watches.data.paths)), make([]int64, 0, s.watches.data.total)
	for path, watchers := range s.watches.data.paths {
		first := len(all)
		for c := range watchers {
			all = append(all, c.sess.id)
		}
		byPath[path] = all[first:]
	}
	return byPath
}

type gauge struct {
	key   string
	value any
}

func (s *Server) gauges() []gauge {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, l := &s.counters, &s.latency
	return []gauge{
		{"version", version},
		{"server_state", "standalone"},
		{"ephemerals_count", s.tree.Ephemerals()},
		{"num_alive_connections", s.alive},
		{"avg_latency", json.Number(l.average())},
		{"outstanding_requests", 0},
		{"znode_count", s.nodes()},
		{"global_sessions", len(s.sessions)},
		{"non_mtls_remote_conn_count", 0},
		{"last_client_response_size", k.lastReply},
		{"packets_sent", k.sent},
		{"packets_received", k.received},
		{"max_client_response_size", k.mostReply},
		{"connection_drop_probability", json.Number("0.0")},
		{"watch_count", s.watches.data.total + s.watches.child.total},
		{"auth_failed_count", k.authFailed},
		{"min_latency", l.least.Milliseconds()},
		{"approximate_data_size", s.tree.Bytes()},
		{"local_sessions", 0},
		{"uptime", s.elapsed().Milliseconds()},
		{"max_latency", l.longest.Milliseconds()},
		{"outstanding_tls_handshake", 0},
		{"min_client_response_size", k.leastReply},
		{"non_mtls_local_conn_count", 0},
		{"connection_rejected", k.Rejected},
		{"bytes_received_count", k.bytesIn.Load()},
		{"stale_sessions_expired", k.Expired},
	}
}

type latency struct {
	count          int64
	total          time.Duration
	least, longest time.Duration
}

func (l *latency) add(d time.Duration) {
	if l.count == 0 || d < l.least {
		l.least = d
	}
	l.longest = max(l.longest, d)
	l.total += d
	l.count++
}

func (l *latency) mean() time.Duration { return l.total / time.Duration(max(l.count, 1)) }

func (l *latency) average() string {
	if l.count == 0 {
		return "0.0"
	}
	ms := float64(l.total) / float64(l.count) / float64(time.Millisecond)
	text := strconv.FormatFloat(math.Round(ms*1e4)/1e4, 'f', -1, 64)
	if math.Trunc(ms) == ms || !strings.ContainsRune(text, '.') {
		return strconv.FormatFloat(math.Round(ms), 'f', 1, 64)
	}
	return text
}

const handshakeTimeout = 10 * time.Second // bounds the time until a peer's first frame is complete

type connStats struct {
	established    time.Time
	received, sent int64 // packets
	lastOp         string
	lastXid        int32
	lastZxid       int64
	lastReply      time.Duration // from the server's start to the last reply
	lastLatency    time.Duration
	latency        latency
}

func (st *connStats) done(op string, xid int32, zxid int64, at, took time.Duration) {
	if xid >= 0 {
		st.lastXid = xid
	}
	st.lastOp, st.lastZxid = op, zxid
	st.lastReply = at
	st.lastLatency = took
	st.latency.add(took)
}

func opLabel(op wire.Op) string { return cmp.Or(opLabels[op], "NA") }

var opLabels = map[wire.Op]string{
	wire.OpCreate: "CREA", wire.OpCreate2: "CREA", wire.OpCreateContainer: "CREA", wire.OpCreateTTL: "CREA",
	wire.OpDelete: "DELE", wire.OpSetData: "SETD", wire.OpSetACL: "SETA", wire.OpCheck: "CHEC", wire.OpMulti: "MULT",
	wire.OpExists: "EXIS", wire.OpGetData: "GETD", wire.OpGetACL: "GETA", wire.OpMultiRead: "MLTR",
	wire.OpGetChildren: "GETC", wire.OpGetChildren2: "GETC", wire.OpGetAllChildrenNumber: "GETACN",
	wire.OpSync: "SYNC", wire.OpPing: "PING", wire.OpWhoAmI: "HOMI", wire.OpGetEphemerals: "GETE",
	wire.OpSetWatches: "SETW", wire.OpSetWatches2: "STW2", wire.OpAddWatch: "ADDW",
	wire.OpCheckWatches: "CHKW", wire.OpRemoveWatches: "REMW", wire.OpCloseSession: "CLOS",
}

// words are the four-letter words, which a peer sends in place of its first frame.
var words = map[string]func(*conn, *bufio.Writer){
	"ruok": func(_ *conn, w *bufio.Writer) { w.WriteString("imok") },
	"srvr": writeServer,
	"mntr": writeMonitor,
	"cons": writeConnections,
	"dump": writeDump,
	"wchs": writeWatchSummary,
	"wchp": writeWatchesByPath,
	"conf": writeConf,
	"envi": writeEnv,
}

const answerChunk = 32 << 10 // bytes in one write of a long answer

func (c *conn) answerWord(word string) error {
	c.s.mu.Lock()
	c.stats.received++
	c.s.counters.received++
	c.s.mu.Unlock()
	c.nc.SetWriteDeadline(time.Now().Add(lastWrite))
	w := bufio.NewWriterSize(c, answerChunk)
	words[word](c, w)
	return w.Flush()
}

func writeServer(c *conn, w *bufio.Writer) {
	s := c.s
	s.mu.Lock()
	l, received, sent, alive, zxid, nodes := s.latency, s.counters.received, s.counters.sent, s.alive, s.zxid, s.nodes()
	s.mu.Unlock()
	fmt.Fprintf(w, "Zookeeper version: %s\n", version)
	fmt.Fprintf(w, "Latency min/avg/max: %d/%s/%d\n", l.least.Milliseconds(), l.average(), l.longest.Milliseconds())
	fmt.Fprintf(w, "Received: %d\nSent: %d\nConnections: %d\nOutstanding: 0\n", received, sent, alive)
	fmt.Fprintf(w, "Zxid: %#x\nMode: standalone\nNode count: %d\n", zxid, nodes)
}

func writeConnections(c *conn, w *bufio.Writer) {
	for _, c := range c.s.connections() {
		if c.session == 0 {
			fmt.Fprintf(w, " /%s[0](queued=0,recved=%d,sent=%d)\n", c.remote, c.received, c.sent)
			continue
		}
		l := &c.latency
		fmt.Fprintf(w, " /%s[1](queued=0,recved=%d,sent=%d,sid=%#x,lop=%s,est=%d,to=%d,lcxid=%#x,lzxid=%#x,lresp=%d,llat=%d,minlat=%d,avglat=%d,maxlat=%d)\n",
			c.remote, c.received, c.sent, uint64(c.session), cmp.Or(c.lastOp, "null"), c.established.UnixMilli(), c.timeout.Milliseconds(),
			c.lastXid, uint64(c.lastZxid), c.lastReply.Milliseconds(), c.lastLatency.Milliseconds(),
			l.least.Milliseconds(), l.mean().Milliseconds(), l.longest.Milliseconds())
	}
	fmt.Fprintln(w)
}

func writeDump(c *conn, w *bufio.Writer) {
	expiry, ephemerals := c.s.dump()
	n := 0
	for _, ids := range expiry {
		n += len(ids)
	}
	fmt.Fprintf(w, "SessionTracker dump:\nSession Sets (%d)/(%d):\n", len(expiry), n)
	for _, at := range slices.Sorted(maps.Keys(expiry)) {
		fmt.Fprintf(w, "%d expire at %s:\n", len(expiry[at]), c.s.start.Add(at).Format("Mon Jan 02 15:04:05 MST 2006"))
		for _, id := range slices.Sorted(slices.Values(expiry[at])) {
			fmt.Fprintf(w, "\t%#x\n", uint64(id))
		}
	}
	fmt.Fprintf(w, "ephemeral nodes dump:\nSessions with Ephemerals (%d):\n", len(ephemerals))
	for _, id := range slices.Sorted(maps.Keys(ephemerals)) {
		fmt.Fprintf(w, "%#x:\n", uint64(id))
		for _, path := range ephemerals[id] {
			fmt.Fprintf(w, "\t%s\n", path)
		}
	}
}

func writeWatchSummary(c *conn, w *bufio.Writer) {
	watchers, paths, total := c.s.dataWatches()
	fmt.Fprintf(w, "%d connections watching %d paths\nTotal watches:%d\n", watchers, paths, total)
}

func writeWatchesByPath(c *conn, w *bufio.Writer) {
	byPath := c.s.watchesByPath()
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		w.WriteString(path)
		w.WriteByte('\n')
		slices.Sort(byPath[path])
		for _, id := range byPath[path] {
			w.WriteString("\t0x")
			w.Write(strconv.AppendUint(w.AvailableBuffer(), uint64(id), 16))
			w.WriteByte('\n')
		}
	}
	fmt.Fprintln(w)
}

func writeConf(c *conn, w *bufio.Writer) {
	port := c.s.clientPort()
	if a, ok := c.nc.LocalAddr().(*net.TCPAddr); ok {
		port = a.Port
	}
	o := &c.s.opts
	fmt.Fprintf(w, "clientPort=%d\nsecureClientPort=-1\n", port)
	fmt.Fprintf(w, "dataDir=\ndataDirSize=0\ndataLogDir=\ndataLogSize=0\n")
	fmt.Fprintf(w, "tickTime=%d\nmaxClientCnxns=%d\n", o.Tick.Milliseconds(), o.MaxClientCnxns)
	fmt.Fprintf(w, "minSessionTimeout=%d\nmaxSessionTimeout=%d\n", o.MinSessionTimeout.Milliseconds(), o.MaxSessionTimeout.Milliseconds())
	fmt.Fprintf(w, "clientPortListenBacklog=-1\nserverId=0\n")
}

// writeEnv writes little about the machine, because anybody can read the answer.
func writeEnv(_ *conn, w *bufio.Writer) {
	fmt.Fprintf(w, "Environment:\nzookeeper.version=%s\n", version)
	fmt.Fprintf(w, "runtime.version=%s\nos.name=%s\nos.arch=%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func writeMonitor(c *conn, w *bufio.Writer) {
	for _, g := range c.s.gauges() {
		fmt.Fprintf(w, "zk_%s\t%v\n", g.key, g.value)
	}
}
