package zkserver_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

func word(t testing.TB, addr, w string) string {
	t.Helper()
	nc := dialTCP(t, addr)
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(nc, w); err != nil {
		t.Fatalf("%s: %v", w, err)
	}
	answer, err := io.ReadAll(nc)
	if err != nil {
		t.Fatalf("%s: read after %q: %v", w, answer, err)
	}
	return string(answer)
}

var shapes = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?m)^Zookeeper version: 3\.8\.0-[^,]+, built on \S+ \S+ UTC`), "VERSION"},
	{regexp.MustCompile(`\w{3} \w{3} \d{2} \d\d:\d\d:\d\d \w+ \d{4}`), "DATE"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "ADDR"},
	{regexp.MustCompile(`0x[0-9a-f]{12,}`), "SESSION"},
	{regexp.MustCompile(`0x[0-9a-f]+`), "HEX"},
	{regexp.MustCompile(`\d+\.\d+`), "FLOAT"},
	{regexp.MustCompile(`(?m)^(data(Log)?(Dir|Size|DirSize))=.*`), "$1="},
	{regexp.MustCompile(`Outstanding: -\d+`), "Outstanding: N"}, // Apache has a race in this counter
	{regexp.MustCompile(`\b\d+\b`), "N"},
}

func shape(s string) string {
	for _, r := range shapes {
		s = r.re.ReplaceAllString(s, r.with)
	}
	return s
}

func TestFourLetterLayout(t *testing.T) {
	situation := func(addr string) map[string]string {
		a, b := dialRaw(t, addr), dialRaw(t, addr)
		defer a.must(wire.OpCloseSession, nil, nil)
		defer b.must(wire.OpCloseSession, nil, nil)
		a.create("/w", 0)
		defer a.must(wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: "/w", Version: -1}, nil)
		a.create("/w/e", wire.FlagEphemeral)
		a.create("/w/f", wire.FlagEphemeral)
		defer a.must(wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: "/w/e", Version: -1}, nil)
		defer a.must(wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: "/w/f", Version: -1}, nil)
		b.create("/w/g", wire.FlagEphemeral)
		defer b.must(wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: "/w/g", Version: -1}, nil)
		b.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/w/e", Watch: true}, &wire.DataResponse{})
		b.call(wire.OpExists, &wire.PathWatchRequest{Path: "/absent", Watch: true}, nil)
		b.must(wire.OpGetChildren, &wire.PathWatchRequest{Path: "/w", Watch: true}, &wire.StringsResponse{})
		answers := make(map[string]string)
		for _, w := range []string{"ruok", "srvr", "cons", "dump", "wchs", "wchp", "conf", "mntr"} {
			answers[w] = word(t, addr, w)
		}
		return answers
	}
	_, addr := zkserver.Start(t, zkserver.Options{})
	ours := situation(addr)
	theirs := situation(zktest.Apache(t).Addr)
	for w, want := range theirs {
		want, got := shape(want), shape(ours[w])
		switch w {
		case "mntr": // the embedded server has only some of Apache's lines
			var kept []string
			for line := range strings.Lines(want) {
				if key, _, _ := strings.Cut(line, "\t"); strings.Contains(got, key+"\t") {
					kept = append(kept, key)
				}
			}
			var keys []string
			for line := range strings.Lines(got) {
				key, _, _ := strings.Cut(line, "\t")
				keys = append(keys, key)
			}
			slices.Sort(kept)
			slices.Sort(keys)
			if diff := cmp.Diff(kept, keys); diff != "" {
				t.Errorf("mntr has keys that Apache does not have (-apache +embedded):\n%s", diff)
			}
			for _, key := range []string{"zk_watch_count", "zk_ephemerals_count", "zk_server_state", "zk_approximate_data_size"} {
				if a, b := line(theirs[w], key), line(ours[w], key); a != b {
					t.Errorf("mntr: got %q, want %q as in Apache", b, a)
				}
			}
		case "dump", "wchp", "cons": // their lines are in any order
			want, _, _ = strings.Cut(want, "Connections dump:\n") // the embedded server does not list connections here
			if diff := cmp.Diff(setOfLines(want), setOfLines(got)); diff != "" {
				t.Errorf("%s (-apache +embedded):\n%s\nembedded:\n%s\nApache:\n%s", w, diff, ours[w], theirs[w])
			}
		default:
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-apache +embedded):\n%s", w, diff)
			}
		}
	}
}

func line(text, key string) string {
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, key+"\t") {
			return l
		}
	}
	return ""
}

func setOfLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = regexp.MustCompile(`\[N\]\(queued=N,recved=N,sent=N`).ReplaceAllString(l, "[N](")
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func TestFourLetterValues(t *testing.T) {
	s, addr := zkserver.Start(t, zkserver.Options{MaxSessionTimeout: 30 * time.Second})
	a := dialRaw(t, addr)
	a.create("/n", 0)
	a.create("/n/e", wire.FlagEphemeral)
	a.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/n/e", Watch: true}, &wire.DataResponse{})
	id := sessionHex(a)
	for w, want := range map[string][]string{
		"ruok": {"imok"},
		"srvr": {"Mode: standalone\n", "Node count: 7\n", "Zxid: 0x3\n"},
		"wchs": {"1 connections watching 1 paths\nTotal watches:1\n"},
		"wchp": {"/n/e\n\t" + id + "\n"},
		"dump": {"Session Sets (1)/(1):\n1 expire at ", "\t" + id + "\n", "Sessions with Ephemerals (1):\n" + id + ":\n\t/n/e\n"},
		"cons": {",sid=" + id + ",lop=GETD,", ",to=10000,lcxid=0x3,lzxid=0x3,"},
		"conf": {"tickTime=100\n", "maxSessionTimeout=30000\n", "clientPort=" + addr[strings.LastIndex(addr, ":")+1:] + "\n"},
		"envi": {"zookeeper.version=3.8.0"},
	} {
		got := word(t, addr, w)
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("the reply to %s does not contain %q:\n%s", w, part, got)
			}
		}
	}
	// telnet and echo add a line ending.
	for _, w := range []string{"ruok\n", "ruok\r\n"} {
		if got := word(t, addr, w); got != "imok" {
			t.Errorf("reply to %q: got %q, want imok", w, got)
		}
	}
	if n := s.Counters().Panics; n > 0 {
		t.Errorf("got %d panics, want none", n)
	}
}

func startAdmin(t testing.TB, s *zkserver.Server) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	try(t, err)
	served := make(chan error, 1)
	go func() { served <- s.ServeAdmin(l) }()
	t.Cleanup(func() {
		s.Close()
		if err := <-served; err != nil {
			t.Errorf("ServeAdmin: %v", err)
		}
	})
	return "http://" + l.Addr().String()
}

func httpDo(t testing.TB, method, url string) (*http.Response, string) {
	t.Helper()
	tr := &http.Transport{DisableKeepAlives: true}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr, Timeout: patience}
	req, err := http.NewRequest(method, url, nil)
	try(t, err)
	rsp, err := client.Do(req)
	try(t, err)
	defer rsp.Body.Close()
	body, err := io.ReadAll(rsp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return rsp, string(body)
}

// adminMasked matches the names of fields whose types are compared, but not their values.
var adminMasked = regexp.MustCompile(`latency|uptime|established|last_response_time|version|_dir$|_dir_size$|dir_size|os\.|client_port$|remote_socket_address`)

func canon(v any, key string, names map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any)
		for k, e := range v {
			name, ok := names[k]
			if !ok {
				name = k
			}
			if list, ok := e.([]any); ok && key == "expiry_time_to_session_ids" {
				all, _ := out["DEADLINE"].([]any)
				out["DEADLINE"] = canon(slices.Concat(all, list), "", names)
				continue
			}
			out[name] = canon(e, k, names)
		}
		return out
	case []any:
		out := []any{}
		for _, e := range v {
			out = append(out, canon(e, "", names))
		}
		slices.SortFunc(out, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		return out
	case json.Number:
		if name, ok := names[v.String()]; ok {
			return name
		}
		if adminMasked.MatchString(key) {
			return "NUMBER"
		}
		return v.String()
	case string:
		if adminMasked.MatchString(key) {
			return "TEXT"
		}
	}
	return v
}

type adminSituation struct {
	url    string
	names  map[string]string // name of each session id
	silent net.Conn          // a connection without a handshake
}

func newAdminSituation(t *testing.T, addr, url string) *adminSituation {
	httpDo(t, "GET", url+"/commands/stat_reset") // because zktest has sent srvr to Apache
	long := wire.ConnectRequest{Timeout: 60_000}
	a, b := connectRaw(t, dialTCP(t, addr), long), connectRaw(t, dialTCP(t, addr), long)
	silent := dialTCP(t, addr)
	a.create("/w", 0)
	a.create("/w/e", wire.FlagEphemeral)
	a.create("/w/f", wire.FlagEphemeral)
	b.create("/w/g", wire.FlagEphemeral)
	b.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/w/e", Watch: true}, &wire.DataResponse{})
	b.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/w/f", Watch: true}, &wire.DataResponse{})
	b.call(wire.OpExists, &wire.PathWatchRequest{Path: "/absent", Watch: true}, nil)
	b.must(wire.OpGetChildren, &wire.PathWatchRequest{Path: "/w", Watch: true}, &wire.StringsResponse{})
	a.must(wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: "/w/f", Version: -1}, nil)
	b.must(wire.OpPing, nil, nil)
	return &adminSituation{url, map[string]string{
		fmt.Sprint(a.handshake.SessionID): "A",
		fmt.Sprint(b.handshake.SessionID): "B",
	}, silent}
}

func (s *adminSituation) run(t *testing.T, command string) map[string]any {
	t.Helper()
	rsp, body := httpDo(t, "GET", s.url+"/commands/"+command)
	if kind := rsp.Header.Get("Content-Type"); rsp.StatusCode != 200 || kind != "application/json" {
		t.Errorf("%s: got status %d, type %s; want 200, JSON", command, rsp.StatusCode, kind)
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v in\n%s", command, err, body)
	}
	return canon(v, "", s.names).(map[string]any)
}

func TestAdminLikeApache(t *testing.T) {
	t.Parallel()
	apache := zktest.NewApache(t, zktest.WithAdmin())
	s, addr := zkserver.Start(t, zkserver.Options{})
	theirs := newAdminSituation(t, apache.Addr, "http://"+apache.Admin)
	ours := newAdminSituation(t, addr, startAdmin(t, s))
	compare := func(command string) string {
		want, got := theirs.run(t, command), ours.run(t, command)
		switch command {
		case "monitor": // the embedded server has only some of Apache's fields
			for key := range want {
				if _, ok := got[key]; !ok {
					delete(want, key)
				}
			}
		}
		return cmp.Diff(want, got)
	}
	for _, command := range []string{
		"connections", "configuration", "dump", "monitor", "ruok", "server_stats", "watch_summary", "watches_by_path",
		"nosuch", "RUOK", "ruok/", "ruok/x", "ruok?pretty", "a%22b%3Cc%3E%C3%A9",
	} {
		// Apache counts a message only after the write, so the comparison is retried.
		diff := compare(command)
		for deadline := time.Now().Add(patience); diff != "" && time.Now().Before(deadline); diff = compare(command) {
		}
		if diff != "" {
			t.Errorf("%s (-apache +embedded):\n%s", command, diff)
		}
		ours.silent.Close() // the servers would close the silent connections at different times
		theirs.silent.Close()
	}
	_, want := httpDo(t, "GET", theirs.url+"/commands")
	_, got := httpDo(t, "GET", ours.url+"/commands")
	var kept []string
	entries := func(text string) []string { return strings.SplitAfter(text, "<br/>\n") }
	for _, e := range entries(want) {
		if slices.Contains(entries(got), e) {
			kept = append(kept, e)
		}
	}
	if diff := cmp.Diff(strings.Join(kept, ""), got); diff != "" || len(kept) < 8 {
		t.Errorf("index (-apache +embedded):\n%s", diff)
	}
}

func TestAdminRequests(t *testing.T) {
	s := zkserver.New(zkserver.Options{})
	url := startAdmin(t, s)
	for _, path := range []string{"/commands", "/commands/"} {
		if rsp, body := httpDo(t, "GET", url+path); rsp.StatusCode != 200 || !strings.HasPrefix(body, `<a href="/commands/configuration">configuration</a>`) {
			t.Errorf("%s: got status %d, body %q; want the index", path, rsp.StatusCode, body)
		}
	}
	for _, path := range []string{"/", "/command", "/commandsx", "/favicon.ico"} {
		if rsp, _ := httpDo(t, "GET", url+path); rsp.StatusCode != 404 {
			t.Errorf("%s: got status %d, want 404", path, rsp.StatusCode)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"} {
		if rsp, _ := httpDo(t, method, url+"/commands/ruok"); rsp.StatusCode != 405 || rsp.Header.Get("Allow") == "" {
			t.Errorf("%s: got status %d, Allow %q; want 405 and the methods", method, rsp.StatusCode, rsp.Header.Get("Allow"))
		}
	}
	if rsp, body := httpDo(t, "HEAD", url+"/commands/ruok"); rsp.StatusCode != 200 || body != "" || rsp.ContentLength <= 0 {
		t.Errorf("HEAD: got status %d, length %d, body %q; want 200 and only a length", rsp.StatusCode, rsp.ContentLength, body)
	}
	if rsp, _ := httpDo(t, "GET", url+"/commands/"+strings.Repeat("x", 20<<10)); rsp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("command name of 20 KB: got status %d, want 431", rsp.StatusCode)
	}
}

type pipeListener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "pipe"} }

func (l *pipeListener) dial() net.Conn {
	client, server := net.Pipe()
	l.conns <- server
	return client
}

func TestSlowPeersBlockTheAdminServerForAtMostAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := zkserver.New(zkserver.Options{})
		l := newPipeListener()
		served := make(chan error, 1)
		go func() { served <- s.ServeAdmin(l) }()
		ruok := func() string {
			c := l.dial()
			defer c.Close()
			go io.WriteString(c, "GET /commands/ruok HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			rsp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				return "no reply"
			}
			rsp.Body.Close()
			return rsp.Status
		}
		for what, sent := range map[string]string{
			"nothing":             "",
			"half a header":       "GET /commands/ruok HTTP/1.1\r\nHost:",
			"an endless body":     "GET /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx",
			"a reply not read":    "GET /commands HTTP/1.1\r\nHost: x\r\n\r\n",
			"a handshake instead": "\x00\x00\x00\x2c\x00\x00\x00\x00",
		} {
			var all []net.Conn
			for range 100 {
				c := l.dial()
				all = append(all, c)
				go io.WriteString(c, sent)
			}
			synctest.Wait()
			if got := ruok(); got != "no reply" && sent == "" {
				t.Errorf("%s: one more connection: got %s, want no reply", what, got)
			}
			time.Sleep(time.Minute)
			if got := ruok(); got != "200 OK" {
				t.Errorf("%s: a minute later: got %s, want 200 OK", what, got)
			}
			for _, c := range all {
				c.Close()
			}
			synctest.Wait() // until the server has removed the closed connections
		}
		c := l.dial() // idle when the server is closed
		synctest.Wait()
		s.Close()
		if err := <-served; err != nil {
			t.Errorf("ServeAdmin: %v", err)
		}
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("an idle connection is open after Close")
		}
		l = newPipeListener()
		if err := s.ServeAdmin(l); !errors.Is(err, zkserver.ErrClosed) {
			t.Errorf("ServeAdmin on a closed server: got %v, want ErrClosed", err)
		}
		<-l.done
	})
}
