package admin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/session"
)

type fakeNet struct {
	t  *testing.T
	mu sync.Mutex
	at map[string]*fakePort
	wg sync.WaitGroup
}

type fakePort struct {
	owner *fakeServer
	serve func(*fakeServer, net.Conn)
}

type fakeServer struct {
	addr    string
	replies map[string]string // by word or command (dump_ is the command dump); a command's reply may have HTTP headers
	delay   duration          // before each reply
	endless bool
	onWord  func() // called before each reply to a word, while mu is locked; it may change replies

	mu      sync.Mutex
	counts  map[string]int
	open    int
	maxOpen int
}

func (n *fakeNet) dial(ctx context.Context, _, addr string) (net.Conn, error) {
	n.mu.Lock()
	p := n.at[addr]
	n.mu.Unlock()
	if p == nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	if p.serve == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	client, server := net.Pipe()
	n.wg.Go(func() {
		defer server.Close()
		p.serve(p.owner, server)
	})
	return client, nil
}

func (n *fakeNet) member(host string, id int, mode session.Mode) *fakeServer {
	s := &fakeServer{addr: host + ":2181", counts: make(map[string]int), replies: replies(id, mode, 2181)}
	n.set(s.addr, &fakePort{s, (*fakeServer).words})
	n.set(host+":8080", &fakePort{s, (*fakeServer).commands})
	return s
}

func (n *fakeNet) set(addr string, p *fakePort) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.at[addr] = p; p == nil {
		delete(n.at, addr)
	}
}

func (s *fakeServer) begin(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[what]++
	s.open++
	s.maxOpen = max(s.maxOpen, s.open)
}

func (s *fakeServer) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
}

func (s *fakeServer) requests() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts
	s.counts = make(map[string]int)
	return c
}

func (s *fakeServer) reply(what string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.replies[what]
	return r, ok
}

func (s *fakeServer) set(what, reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies[what] = reply
}

func (s *fakeServer) words(c net.Conn) {
	b := make([]byte, 4)
	if _, err := io.ReadFull(c, b); err != nil {
		return
	}
	word := string(b)
	s.begin(word)
	defer s.end()
	if !s.stall(c) {
		return
	}
	if s.onWord != nil {
		s.mu.Lock()
		s.onWord()
		s.mu.Unlock()
	}
	reply, ok := s.reply(word)
	if !ok {
		reply = word + " is not executed because it is not in the whitelist.\n"
	}
	io.WriteString(c, reply)
	s.flood(c)
}

func (s *fakeServer) commands(c net.Conn) {
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil || !s.command(c, strings.TrimPrefix(r.URL.Path, "/commands/")) {
			return
		}
	}
}

func (s *fakeServer) command(c net.Conn, name string) bool {
	s.begin(name)
	if !s.stall(c) {
		s.end()
		return false
	}
	key := name
	if name == "dump" {
		key = "dump_"
	}
	reply, ok := s.reply(key)
	if !ok {
		reply = fmt.Sprintf(`{"command":%q,"error":"Unknown command: %[1]s"}`, name)
	}
	s.end() // before the client can send the next request
	if !strings.HasPrefix(reply, "HTTP/") {
		length := fmt.Sprintf("Content-Length: %d\r\n", len(reply))
		if s.endless {
			length = ""
		}
		reply = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + length + "\r\n" + reply
	}
	_, err := io.WriteString(c, reply)
	s.flood(c)
	return err == nil
}

func (s *fakeServer) stall(c net.Conn) bool {
	d := s.delay.get()
	if d == 0 {
		return true
	}
	c.SetReadDeadline(time.Now().Add(d))
	_, err := c.Read(make([]byte, 1))
	c.SetReadDeadline(time.Time{})
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}

func (s *fakeServer) flood(c net.Conn) {
	for chunk := strings.Repeat(`[{"x" : "`, 1000); s.endless; {
		if _, err := io.WriteString(c, chunk); err != nil {
			return
		}
	}
}

// replies returns the replies of a member with one client, which owns a child of /election and
// watches /election/n_0000000000.
func replies(id int, mode session.Mode, port int) map[string]string {
	session, json := fmt.Sprintf("0x%d00000000000001", id), fmt.Sprint(int64(id)<<56+1)
	r := map[string]string{
		"srvr": fmt.Sprintf("Zookeeper version: 3.8.0-x, built on y\nConnections: 2\nZxid: 0x5\nMode: %s\n", mode),
		"mntr": "zk_version\t3.8.0\nzk_watch_count\t3\n",
		"wchs": "1 connections watching 1 paths\nTotal watches:1\n",
		"conf": fmt.Sprintf("clientPort=%d\nsecureClientPort=-1\ntickTime=2000\nserverId=%d\n", port, id),
		"cons": fmt.Sprintf(" /10.9.9.9:5%d[1](queued=0,recved=1,sent=1,sid=%s,lop=PING,est=1,to=10000,lresp=5)\n\n", id, session),
		"dump": fmt.Sprintf("SessionTracker dump:\nephemeral nodes dump:\n%s:\n\t/election/n_000000000%d\nConnections dump:\n", session, id),
		"wchp": fmt.Sprintf("/election/n_0000000000\n\t%s\n\n", session),

		"server_stats": fmt.Sprintf(`{"version":"3.8.0-x","server_stats":{"server_state":%q,"last_processed_zxid":5,"num_alive_client_connections":1}}`, mode),
		"monitor":      `{"watch_count":3}`, "watch_summary": `{"num_total_watches":1}`,
		"configuration":   fmt.Sprintf(`{"client_port":%d,"tick_time":2000,"server_id":%d}`, port, id),
		"connections":     fmt.Sprintf(`{"connections":[{"remote_socket_address":"10.9.9.9:5%d","session_id":%s,"session_timeout":10000}],"secure_connections":[]}`, id, json),
		"dump_":           fmt.Sprintf(`{"expiry_time_to_session_ids":{},"session_id_to_ephemeral_paths":{"%s":["/election/n_000000000%d"]}}`, json, id),
		"watches_by_path": fmt.Sprintf(`{"path_to_session_ids":{"/election/n_0000000000":[%s]}}`, json),
	}
	for name, reply := range r {
		if strings.HasPrefix(reply, "{") {
			r[name] = fmt.Sprintf(`{"command":%q,"error":null,%s`, strings.TrimSuffix(name, "_"), reply[1:])
		}
	}
	return r
}

type listener struct {
	mu     sync.Mutex
	tables []*session.Table
	when   []time.Time
}

func (l *listener) election() Election {
	return Election{Path: "/election", Put: func(_ context.Context, o model.Observation) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.tables, l.when = append(l.tables, o.(*session.Table)), append(l.when, time.Now())
	}}
}

func (l *listener) last(t *testing.T) *session.Table {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.tables) == 0 {
		t.Fatal("no table was delivered")
	}
	return l.tables[len(l.tables)-1]
}

func (l *listener) times() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.when)
}

func (l *listener) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.tables)
}

func threeServers(n *fakeNet) []*fakeServer {
	return []*fakeServer{
		n.member("10.0.0.1", 1, session.ModeFollower), n.member("10.0.0.2", 2, session.ModeFollower), n.member("10.0.0.3", 3, session.ModeLeader),
	}
}

func always(s string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return s, nil }
}

func (n *fakeNet) config(servers ...string) Config {
	return Config{Servers: servers, Dial: n.dial, Ensemble: always(threeConfig)}
}

var threeAddrs = []string{"10.0.0.1:2181", "10.0.0.2:2181", "10.0.0.3:2181"}

func (n *fakeNet) run(p *Poller) (stop func()) {
	ctx, cancel := context.WithCancel(n.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := p.Run(ctx); err != nil {
			n.t.Error(err)
		}
	}()
	return func() {
		cancel()
		<-ended
		n.wg.Wait()
	}
}

func byCommand(m map[string]int) string {
	names := map[string]string{"srvr": "server_stats", "mntr": "monitor", "wchs": "watch_summary", "conf": "configuration",
		"cons": "connections", "wchp": "watches_by_path"}
	all := make(map[string]int)
	for k, v := range m {
		if n, ok := names[k]; ok {
			k = n
		}
		all[k] += v
	}
	var out []string
	for _, k := range slices.Sorted(maps.Keys(all)) {
		out = append(out, fmt.Sprintf("%s=%d", k, all[k]))
	}
	return strings.Join(out, " ")
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.AllowUnexported(configuredServer{}, status{}, identity{}, counts{})); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

var everything = Want{Watches: true, Sessions: true}

func states(s session.Server) [4]session.AnswerState {
	return [4]session.AnswerState{s.Basic.State, s.Connections.State, s.Sessions.State, s.Watches.State}
}

var allAnswered = [4]session.AnswerState{session.Answered, session.Answered, session.Answered, session.Answered}

func withOneServer(t *testing.T, change func(*fakeNet, *fakeServer, *Config), f func(t *testing.T, n *fakeNet, p *Poller, s *fakeServer, l *listener)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := &fakeNet{t: t, at: make(map[string]*fakePort)}
		s := n.member("10.0.0.1", 0, session.ModeStandalone)
		cfg := n.config(s.addr)
		cfg.Ensemble = always("")
		if change != nil {
			change(n, s, &cfg)
		}
		p := New(cfg)
		l := new(listener)
		defer p.Subscribe(l.election())()
		f(t, n, p, s, l)
		n.wg.Wait()
	})
}

func withThreeServers(t *testing.T, change func(*Config), f func(t *testing.T, n *fakeNet, p *Poller, servers []*fakeServer, l *listener)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := &fakeNet{t: t, at: make(map[string]*fakePort)}
		servers := threeServers(n)
		cfg := n.config(threeAddrs...)
		if change != nil {
			change(&cfg)
		}
		p := New(cfg)
		l := new(listener)
		defer p.Subscribe(l.election())()
		f(t, n, p, servers, l)
		n.wg.Wait()
	})
}

func pollAll(t *testing.T, p *Poller, l *listener) *session.Table {
	t.Helper()
	if err := p.Poll(t.Context(), everything); err != nil {
		t.Fatal(err)
	}
	return l.last(t)
}

func pollFirst(t *testing.T, p *Poller, l *listener) session.Server {
	t.Helper()
	return pollAll(t, p, l).Servers[0]
}

func advance(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

type duration struct{ ns atomic.Int64 }

func (d *duration) set(to time.Duration) { d.ns.Store(int64(to)) }
func (d *duration) get() time.Duration   { return time.Duration(d.ns.Load()) }

func TestMain(m *testing.M) { zktest.Main(m) }
