package zkserver

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"net"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// words are the four-letter words that electop, clients and monitoring send, instead of
// a first frame, and how the answer is written.
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

// answerChunk is how much of an answer is written at a time, in bytes.
const answerChunk = 32 << 10

// answerWord answers a four-letter word. The connection is to be closed then.
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

// writeConnections writes a connection a line. The number in brackets is the
// connection's interest in I/O: 1 for reading, 0 for a four-letter word under way.
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

// writeDump lists the sessions by the time at which they expire, and the ephemeral
// nodes by session.
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

// writeConf names the port that the asking client connected to.
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

// writeEnv reveals little about the machine: anybody can ask.
func writeEnv(_ *conn, w *bufio.Writer) {
	fmt.Fprintf(w, "Environment:\nzookeeper.version=%s\n", version)
	fmt.Fprintf(w, "runtime.version=%s\nos.name=%s\nos.arch=%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// writeMonitor writes the gauges as lines of key and value.
func writeMonitor(c *conn, w *bufio.Writer) {
	for _, g := range c.s.gauges() {
		fmt.Fprintf(w, "zk_%s\t%v\n", g.key, g.value)
	}
}
