package admin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/model/session"
	"electop/model/znode"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func parsed[T any](t *testing.T, name string, parse func([]byte) (T, error)) []T {
	t.Helper()
	var all []T
	for i := range 3 {
		v, err := parse(fixture(t, fmt.Sprintf(name, i+1)))
		if err != nil {
			t.Fatalf("%s: %v", fmt.Sprintf(name, i+1), err)
		}
		all = append(all, v)
	}
	return all
}

func TestStatusAndCounts(t *testing.T) {
	equal(t, "srvr", parsed(t, "4lw-srvr-server%d.txt", parseSrvr), []status{
		{"3.8.0", session.ModeFollower, 0x100000031, 2},
		{"3.8.0", session.ModeFollower, 0x100000031, 2},
		{"3.8.0", session.ModeLeader, 0x100000031, 2},
	})
	equal(t, "server_stats", parsed(t, "admin-server_stats-server%d.json", parseServerStats), []status{
		{"3.8.0", session.ModeFollower, 0x100000031, 1},
		{"3.8.0", session.ModeFollower, 0x100000031, 1},
		{"3.8.0", session.ModeLeader, 0x100000034, 1},
	})
	equal(t, "mntr", parsed(t, "4lw-mntr-server%d.txt", parseMntr), []counts{{1, count(0)}, {6, count(0)}, {5, count(1)}})
	equal(t, "monitor", parsed(t, "admin-monitor-server%d.json", parseMonitor), []counts{{1, count(0)}, {6, count(0)}, {5, count(4)}})
	equal(t, "wchs", parsed(t, "4lw-wchs-server%d.txt", parseWchs), []int{1, 5, 5})
	equal(t, "watch_summary", parsed(t, "admin-watch_summary-server%d.json", parseWatchSummary), []int{1, 5, 5})
	who := []identity{{1, 25181, time.Second, 0}, {2, 25182, time.Second, 0}, {3, 25183, time.Second, 0}}
	words := slices.Clone(who)
	for i := range words {
		words[i].ports = 1
	}
	equal(t, "conf", parsed(t, "4lw-conf-server%d.txt", parseConf), words)
	equal(t, "configuration", parsed(t, "admin-configuration-server%d.json", parseConfiguration), who)
}

func TestConnections(t *testing.T) {
	conn := func(sessionID uint64, addr string, received int64, est int64, resp time.Duration) session.Client {
		return session.Client{Session: sessionID, Addr: addr, Timeout: 20 * time.Second, LastOp: "PING",
			Established: time.UnixMilli(est), LastResponse: resp * time.Millisecond, Received: received}
	}
	want := []session.Client{
		conn(0x1000018cb9a0003, "127.0.0.1:33664", 110, 1795187631871, 1654088),
		conn(0x2000018cb970001, "127.0.0.1:57026", 20, 1795187631883, 1652883),
		conn(0x3000018cba80001, "127.0.0.1:53148", 16, 1795187631890, 1653182),
	}
	for i, list := range parsed(t, "admin-connections-server%d.json", parseConnections) {
		equal(t, "connections", list.list, want[i:i+1])
		equal(t, "bothPorts", list.bothPorts, true)
	}
	self := []string{"127.0.0.1:46690", "127.0.0.1:52430", "127.0.0.1:60968"} // the connections that sent cons
	for i, word := range parsed(t, "4lw-cons-server%d.txt", parseCons) {
		list := word.list
		if len(list) != 2 || !slices.Contains(list, session.Client{Addr: self[i], Received: 1}) {
			t.Errorf("cons: %+v, want two connections, with %s", list, self[i])
		}
		list = slices.DeleteFunc(list, func(c session.Client) bool { return c.Session == 0 })
		equal(t, "cons", list, want[i:i+1])
	}
}

func watchesOf(ws []session.Watch) (all []string) {
	for _, w := range ws {
		for _, s := range w.Sessions {
			all = append(all, fmt.Sprintf("%s %#x", w.Path, s))
		}
	}
	slices.Sort(all)
	return all
}

func TestWatches(t *testing.T) {
	tables := [][][]session.Watch{
		parsed(t, "4lw-wchp-server%d.txt", parseWchp),
		parsed(t, "admin-watches_by_path-server%d.json", parseWatchesByPath),
	}
	want := [][]string{
		{"/zookeeper/config 0x1000018cb9a0003"},
		{
			"/cur/latch-noid/_c_9fb797b4-c151-47c2-aa63-0cfe281cb8d5-latch-0000000000 0x2000018cb970001",
			"/cur/latch/_c_d17cae02-6c55-4f9f-b5d5-b82402ee572e-latch-0000000000 0x2000018cb970001",
			"/cur/rw/_c_527ae27d-7228-4bc7-a1b1-ce9821a6ae00-__WRIT__0000000000 0x2000018cb970001",
			"/cur/selector/_c_7d7c0cdd-0f6e-49f5-a93b-c671b89cd9ec-lock-0000000000 0x2000018cb970001",
			"/zookeeper/config 0x2000018cb970001",
		},
	}
	for i, table := range tables {
		for s := range want {
			equal(t, fmt.Sprintf("table %d of server %d", i, s+1), watchesOf(table[s]), want[s])
		}
		if n := len(watchesOf(table[2])); n != 5 {
			t.Errorf("table %d of server 3: %d watches, want 5", i, n)
		}
	}
}

func TestDump(t *testing.T) {
	words := parsed(t, "4lw-dump-server%d.txt", parseDump)
	commands := parsed(t, "admin-dump-server%d.json", parseJSONDump)
	for i := range 2 {
		if len(words[i].deadlines)+len(commands[i].deadlines) != 0 {
			t.Errorf("follower %d: deadlines %v and %v, want none", i+1, words[i].deadlines, commands[i].deadlines)
		}
		if len(words[i].ephemerals) != 20 {
			t.Errorf("dump of follower %d: %d ephemerals, want 20", i+1, len(words[i].ephemerals))
		}
	}
	if !slices.Contains(words[0].ephemerals, session.Ephemeral{Session: 0x2000018cb970000, Path: "/election/9cb226cb23864645aa23c5ee664203de__lock__0000000001"}) {
		t.Errorf("dump of follower 1: ephemerals %v, want one of session 0x2000018cb970000", words[0].ephemerals)
	}
	at := func(h, m, s int) time.Duration {
		return time.Duration(time.Date(2026, 11, 20, h, m, s, 0, time.UTC).Unix()) * time.Second
	}
	equal(t, "the leader's dump", words[2].deadlines, []session.Deadline{
		{Session: 0x3000018cba80000, At: at(15, 14, 3), Wall: true},
		{Session: 0x2000018cb970000, At: at(15, 14, 3), Wall: true},
		{Session: 0x1000018cb9a0001, At: at(15, 14, 3), Wall: true},
		{Session: 0x1000018cb9a0002, At: at(15, 14, 4), Wall: true},
		{Session: 0x3000018cba80001, At: at(15, 14, 22), Wall: true},
		{Session: 0x2000018cb970001, At: at(15, 14, 22), Wall: true},
		{Session: 0x1000018cb9a0003, At: at(15, 14, 23), Wall: true},
	})
	slices.SortFunc(commands[2].deadlines, func(a, b session.Deadline) int { return int(a.At-b.At) + int(a.Session>>56) - int(b.Session>>56) })
	equal(t, "the leader's dump in JSON", commands[2].deadlines, []session.Deadline{
		{Session: 0x1000018cb9a0002, At: 1656 * time.Second},
		{Session: 0x2000018cb970001, At: 1674 * time.Second},
		{Session: 0x3000018cba80001, At: 1674 * time.Second},
		{Session: 0x1000018cb9a0003, At: 1675 * time.Second},
	})
	if len(commands[2].ephemerals) != 17 {
		t.Errorf("dump in JSON: %d ephemerals, want 17", len(commands[2].ephemerals))
	}
}

func TestDumpInOtherZones(t *testing.T) {
	reply := func(zones ...string) string {
		s := "SessionTracker dump:\nSession Sets (2)/(2):\n"
		for i, z := range zones {
			s += fmt.Sprintf("1 expire at Fri Nov 20 15:14:%02d %s 2026:\n\t0x%x\n", 10*i, z, i+1)
		}
		return s + "ephemeral nodes dump:\nSessions with Ephemerals (0):\n"
	}
	for _, zone := range []string{"UTC", "CST", "CEST", "IST", "GMT+02:00", "GMT-03:30", "+0530", "-03", "Z"} {
		d, err := parseDump([]byte(reply(zone, zone)))
		if err != nil || len(d.deadlines) != 2 {
			t.Errorf("%s: got %v, %v; want two deadlines", zone, d, err)
			continue
		}
		if apart := d.deadlines[1].At - d.deadlines[0].At; apart != 10*time.Second {
			t.Errorf("%s: deadlines are %v apart, want 10s", zone, apart)
		}
	}
	if d, err := parseDump([]byte(reply("CEST", "CET"))); err != nil || len(d.deadlines) != 0 {
		t.Errorf("two zones in one reply: %v, %v; want no deadlines", d, err)
	}
}

func TestUnusualReplies(t *testing.T) {
	d, err := parseDump([]byte("SessionTracker dump:\nSession Sets (2):\n0 expire at Tue Sep 01 09:27:00 CEST 2015:\n" +
		"1 expire at Tue Sep 01 09:27:02 CEST 2015:\n\t0x14f8\nephemeral nodes dump:\nSessions with Ephemerals (1):\n0x14f8:\n\t/e/n_0000000001\n"))
	if err != nil || len(d.deadlines) != 1 || len(d.ephemerals) != 1 {
		t.Errorf("dump of 3.4: got %v, %v; want a deadline and an ephemeral znode", d, err)
	}
	d, err = parseDump([]byte("SessionTracker dump:\norg.apache.zookeeper.server.quorum.LearnerSessionTracker@1f2a\n" +
		"ephemeral nodes dump:\nSessions with Ephemerals (0):\n"))
	if err != nil || len(d.deadlines)+len(d.ephemerals) != 0 {
		t.Errorf("dump of a follower of 3.4: got %v, %v; want an empty dump", d, err)
	}
	c, err := parseCons([]byte(" /0:0:0:0:0:0:0:1:5000[1](queued=2,recved=3,sent=3,sid=0xffffffffffffffff,lop=GETD,est=1,to=4000,lresp=7)\n" +
		" /[2001:db8:0:0:0:0:0:5]:6000[1](queued=0,recved=1,sent=1,sid=0x1,lop=NA,est=1795187631871,to=4000,lcxid=0x1)\n" +
		// A server may also list closed connections.
		" null[0](queued=0,recved=1,sent=1)\n null[0](queued=0,recved=9,sent=9,sid=0x2,lop=NA,est=1795187631871,to=4000,lcxid=0x1)\n\n"))
	equal(t, "cons with IPv6", c.list, []session.Client{
		{Session: 1<<64 - 1, Addr: "[::1]:5000", Timeout: 4 * time.Second, LastOp: "GETD", Established: time.UnixMilli(1),
			LastResponse: 7 * time.Millisecond, Received: 3, Outstanding: 2},
		{Session: 1, Addr: "[2001:db8::5]:6000", Timeout: 4 * time.Second, Established: time.UnixMilli(1795187631871), Received: 1},
	})
	if err != nil {
		t.Error(err)
	}
	if w, err := parseWchp([]byte("\n")); err != nil || len(w) != 0 {
		t.Errorf("no watches: got %v, %v; want none", w, err)
	}
	if m, err := parseSrvr([]byte("Zookeeper version: 3.4.13-2d71af4, built on x\nMode: read-only\n")); err != nil || m.mode != session.ModeUnknown {
		t.Errorf("server in read-only mode: got %v, %v; want ModeUnknown", m, err)
	}
	// In JSON, session ids of servers with a number above 127 are negative.
	w, err := parseWatchesByPath([]byte(`{"path_to_session_ids":{"/a":[-1,"0x1000018cb9a0003",18446744073709551614]},"command":"watches_by_path","error":null}`))
	equal(t, "session ids", watchesOf(w), []string{"/a 0x1000018cb9a0003", "/a 0xfffffffffffffffe", "/a 0xffffffffffffffff"})
	if err != nil {
		t.Error(err)
	}
	j, err := parseConnections([]byte(`{"connections":[{"remote_socket_address":"gate/0:0:0:0:0:0:0:1:5000","session_id":"0x5","last_operation":null}],
		"secure_connections":[{"remote_socket_address":null,"session_id":7},{"remote_socket_address":"10.0.0.1:1","session_id":-2}],"command":"connections"}`))
	equal(t, "connections", j.list, []session.Client{{Session: 5, Addr: "[::1]:5000"}, {Session: 1<<64 - 2, Addr: "10.0.0.1:1"}})
	if err != nil {
		t.Error(err)
	}
}

func TestTruncatedRepliesAreMalformed(t *testing.T) {
	for name, parse := range map[string]func([]byte) error{
		"4lw-cons-server3.txt": func(b []byte) error { _, err := parseCons(b); return err },
		"4lw-wchp-server3.txt": func(b []byte) error { _, err := parseWchp(b); return err },
	} {
		b := fixture(t, name)
		if err := parse(b); err != nil {
			t.Fatal(err)
		}
		for n := range b {
			if err := parse(b[:n]); !errors.Is(err, errMalformed) {
				t.Errorf("%s cut at %d of %d: got %v, want errMalformed", name, n, len(b), err)
				break
			}
		}
	}
	for i := range 3 {
		b := fixture(t, fmt.Sprintf("4lw-dump-server%d.txt", i+1))
		end := strings.Index(string(b), "ephemeral nodes dump:")
		for n := range end {
			if _, err := parseDump(b[:n]); !errors.Is(err, errMalformed) {
				t.Fatalf("dump cut at %d of %d: got %v, want errMalformed", n, len(b), err)
			}
		}
	}
}

func TestMalformedReplies(t *testing.T) {
	page := []byte("<!DOCTYPE html><html><body>It works!</body></html>\n\n")
	envelopes := [][]byte{page, []byte("{}"), []byte("[]"), []byte("null"), []byte(`"x"`), nil,
		[]byte(`{"command":7,"error":null}`), []byte(`{"command":"ruok","error":null}`), []byte(`{"status":"UP"}`)}
	for name, parse := range parsers {
		texts := [][]byte{page, nil, []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), []byte("-ERR unknown command\r\n"), []byte("\x15\x03\x03\x00\x02\x02\x50"),
			[]byte("/a\n\tnobody\n\n"), []byte("0x1\n\tx\n\n"), []byte("0x1\n/x\n\n"), []byte(" /1.2.3.4:5[1](sid=x)\n\n"),
			[]byte(" /1.2.3.4:5[1](to=99999999999999999999)\n\n")}
		for _, b := range append(texts, envelopes...) {
			if err := parse(b); !errors.Is(err, errMalformed) {
				t.Errorf("%s: %q: got %v, want errMalformed", name, b, err)
			}
		}
	}
	for _, wrong := range []string{
		`{"command":"stats","error":null,"version":"3.8.0","server_stats":{"server_state":"leader"}}`,
		`{"command":"connections","error":null,"connections":{}}`,
		`{"command":"connections","error":null,"connections":null}`,
		`{"command":"connections","error":null,"connections":[{"session_id":1e400}]}`,
		`{"command":"connections","error":null,"connections":[{"session_id":{}}]}`,
		`{"command":"connections","error":null,"connections":[{"session_id":36893488147419103232}]}`,
		`{"command":"connections","error":null,"connections":[{"session_id":1,"session_timeout":9223372036854775807}]}`,
		`{"command":"dump","error":null,"expiry_time_to_session_ids":{"soon":[1]},"session_id_to_ephemeral_paths":{}}`,
		`{"command":"dump","error":null,"expiry_time_to_session_ids":{"9223372036854775807":[1]},"session_id_to_ephemeral_paths":{}}`,
		`{"command":"dump","error":null,"expiry_time_to_session_ids":{}}`,
		`{"command":"dump","error":null,"expiry_time_to_session_ids":{},"session_id_to_ephemeral_paths":{"1":["relative"]}}`,
		`{"command":"watches_by_path","error":null,"path_to_session_ids":{"":[1]}}`,
		`{"command":"watches_by_path","error":null,"path_to_session_ids":[]}`,
		`{"command":"monitor","error":null,"watch_count":-1}`,
		`{"command":"monitor","error":null,"watch_count":1e30}`,
		`{"command":"watch_summary","error":null,"num_total_watches":"5"}`,
		`{"command":"server_stats","error":null,"version":"3.8.0","server_stats":"up"}`,
		`{"command":"configuration","error":null,"server_id":"one"}`,
		strings.Repeat(`{"a":`, 20_000),
	} {
		for name, parse := range parsers {
			if err := parse([]byte(wrong)); !errors.Is(err, errMalformed) {
				t.Errorf("%s: %.80q: got %v, want errMalformed", name, wrong, err)
			}
		}
	}
}

func TestErrorsOfAnAdminServer(t *testing.T) {
	failure := func(what string) []byte {
		return fmt.Appendf(nil, `{"command":"dump","error":"%s"}`, what)
	}
	if _, err := parseJSONDump(failure("This ZooKeeper instance is not currently serving requests")); !errors.Is(err, errNotServing) {
		t.Errorf("not serving: got %v, want errNotServing", err)
	}
	_, err := parseJSONDump(failure(`Unknown command: \u001b[31mdump`))
	if !errors.Is(err, errAdminServer) || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("unknown command: got %q, want errAdminServer in safe text", err)
	}
}

var parsers = map[string]func([]byte) error{
	"4lw-srvr":              drop(parseSrvr),
	"4lw-mntr":              drop(parseMntr),
	"4lw-wchs":              drop(parseWchs),
	"4lw-conf":              drop(parseConf),
	"4lw-cons":              drop(parseCons),
	"4lw-dump":              drop(parseDump),
	"4lw-wchp":              drop(parseWchp),
	"admin-server_stats":    drop(parseServerStats),
	"admin-monitor":         drop(parseMonitor),
	"admin-watch_summary":   drop(parseWatchSummary),
	"admin-configuration":   drop(parseConfiguration),
	"admin-connections":     drop(parseConnections),
	"admin-dump":            drop(parseJSONDump),
	"admin-watches_by_path": drop(parseWatchesByPath),
}

func drop[T any](parse func([]byte) (T, error)) func([]byte) error {
	return func(b []byte) error { _, err := parse(b); return err }
}

func FuzzReplies(f *testing.F) {
	for name := range parsers {
		ext := ".txt"
		if strings.HasPrefix(name, "admin") {
			ext = ".json"
		}
		for i := range 3 {
			f.Add(fixture(f, fmt.Sprintf("%s-server%d%s", name, i+1, ext)))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, parse := range parsers {
			if err := parse(b); err != nil && strings.ContainsFunc(err.Error(), znode.Unsafe) {
				t.Errorf("%s: an error that is not safe to show: %q", name, err)
			}
		}
		if c, err := parseCons(b); err == nil {
			for _, c := range c.list {
				if strings.ContainsFunc(c.Addr+c.LastOp, znode.Unsafe) {
					t.Errorf("not safe to show: %+v", c)
				}
			}
		}
		if c, err := parseConnections(b); err == nil {
			for _, c := range c.list {
				if strings.ContainsFunc(c.Addr+c.LastOp, znode.Unsafe) {
					t.Errorf("not safe to show: %+v", c)
				}
			}
		}
	})
}

func count(n int) *int { return &n }

func TestParsersAllocateBoundedMemory(t *testing.T) {
	table := large
	l := limit{table.bytes / 8, table.entries / 8, table.values / 8}
	const most = 560 << 20 / 8 // bounds the bytes allocated for one reply
	heads := map[string][3]string{
		"connections":     {"admin-connections", `{"command":"connections","error":null,"connections":[`, `]}`},
		"secure":          {"admin-connections", `{"command":"connections","error":null,"connections":[],"secure_connections":[`, `]}`},
		"capital letters": {"admin-connections", `{"command":"connections","error":null,"CONNECTIONS":[`, `]}`},
		"expiry":          {"admin-dump", `{"command":"dump","error":null,"session_id_to_ephemeral_paths":{},"expiry_time_to_session_ids":{"1":[`, `]}}`},
		"ephemerals":      {"admin-dump", `{"command":"dump","error":null,"expiry_time_to_session_ids":{},"session_id_to_ephemeral_paths":{"1":[`, `]}}`},
		"watches_by_path": {"admin-watches_by_path", `{"command":"watches_by_path","error":null,"path_to_session_ids":{"/a":[`, `]}}`},
	}
	for name, h := range heads {
		for _, element := range []string{"1", "{}", "[]", "null", `"1"`, `"/"`} {
			n := min(l.bytes/(len(element)+1), l.values) - 100
			if element == "{}" || element == "[]" {
				n = min(n, l.entries-100)
			}
			reply := h[1] + strings.Repeat(element+",", n) + element + h[2]
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			b, err := l.read(strings.NewReader(reply))
			if err != nil {
				t.Fatalf("%s of %d %s: %v", name, n, element, err)
			}
			_ = parsers[h[0]](b)
			runtime.ReadMemStats(&after)
			took := after.TotalAlloc - before.TotalAlloc
			if took > most {
				t.Errorf("%s of %d %s: a reply of %d bytes took %d bytes, want %d at most", name, n, element, len(reply), took, most)
			}
		}
	}
	// A reply of session ids reaches the limit of bytes before the limit of values.
	const session = "72057594037927936,"
	if _, err := table.read(strings.NewReader(strings.Repeat(session, table.bytes/len(session)))); err != nil {
		t.Errorf("reply of session ids: %v", err)
	}
	reply := "[" + strings.Repeat("1,", table.bytes/2-2) + "1]"
	if _, err := table.read(strings.NewReader(reply)); !errors.Is(err, errTooLarge) {
		t.Errorf("16 MiB of [1,1,1: got %v, want errTooLarge", err)
	}
}
