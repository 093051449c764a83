package admin

import (
	"strings"
	"testing"
	"time"

	"electop/model/session"
)

const (
	dynamicConfig = "server.1=10.0.0.1:2888:3888;2181\nserver.2=10.0.0.2:2888:3888;2181\nserver.3=10.0.0.3:2888:3888;2181"
	staticConfig  = "server.1=10.0.0.1:2888:3888\nserver.2=10.0.0.2:2888:3888\nserver.3=10.0.0.3:2888:3888"
	oneHostConfig = "server.1=127.0.0.1:2881:3881\nserver.2=127.0.0.1:2882:3882\nserver.3=127.0.0.1:2883:3883"
)

// sharedAddress is a resolver's answer: names that have an address in common.
func sharedAddress(a, b string) bool {
	names := map[string]string{"localhost": "127.0.0.1", "zk1.example.com": "10.0.0.1", "zk2.example.com": "10.0.0.2", "zk3.example.com": "10.0.0.3",
		"zk.example.com": "10.0.0.1 10.0.0.2 10.0.0.3"}
	addrs := func(host string) []string {
		if all, ok := names[host]; ok {
			return strings.Fields(all)
		}
		return []string{host}
	}
	for _, x := range addrs(a) {
		for _, y := range addrs(b) {
			if x == y {
				return true
			}
		}
	}
	return false
}

func TestTargets(t *testing.T) {
	for name, c := range map[string]struct{ servers, config, want string }{
		"no configuration":                  {"a:1 b:1 a:1", "", "a:1 b:1"},
		"two names":                         {"localhost:2181 127.0.0.1:2181 127.0.0.1:2182", "", "localhost:2181 127.0.0.1:2182"},
		"the rest is configured":            {"10.0.0.2:2181", dynamicConfig, "10.0.0.2:2181 10.0.0.1:2181 10.0.0.3:2181"},
		"by name":                           {"zk1.example.com:2181 zk2.example.com:2181 zk3.example.com:2181", dynamicConfig, "zk1.example.com:2181 zk2.example.com:2181 zk3.example.com:2181"},
		"one name for all":                  {"zk.example.com:2181", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181"},
		"one name for all, and one of them": {"zk.example.com:2181 10.0.0.3:2181", dynamicConfig, "10.0.0.3:2181 10.0.0.1:2181 10.0.0.2:2181"},
		"another address":                   {"localhost:1", dynamicConfig, "localhost:1 10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181"},
		"another port":                      {"10.0.0.1:2281", dynamicConfig, "10.0.0.1:2281 10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181"},
		"static":                            {"10.0.0.1:2181 10.0.0.2:2181", staticConfig, "10.0.0.1:2181 10.0.0.2:2181"},
		"static, on one host":               {"127.0.0.1:1 127.0.0.1:2 localhost:3", oneHostConfig, "127.0.0.1:1 127.0.0.1:2 localhost:3"},
	} {
		config, _ := parseEnsemble(c.config)
		if got := strings.Join(targets(strings.Fields(c.servers), config, sharedAddress), " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestMembers(t *testing.T) {
	// A result is an address, with =N the number that it gave and with ! if the
	// server did not answer.
	results := func(s string) (all []result) {
		for _, f := range strings.Fields(s) {
			var r result
			f, failed := strings.CutSuffix(f, "!")
			addr, number, _ := strings.Cut(f, "=")
			r.Addr, r.Basic.State = addr, session.Answered
			if failed {
				r.Basic.State = session.Failed
			}
			for _, d := range number {
				r.number = int(d - '0')
			}
			all = append(all, r)
		}
		return all
	}
	const add, unsure = ":PORT to the connect string", "only that address proves"
	for name, c := range map[string]struct {
		results, config string
		kept            string
		missing         []string // parts of the message; none: no server is missing
	}{
		"no configuration":                   {"a:1 b:1", "", "a:1 b:1", nil},
		"no configuration, one number":       {"a:1=1! b:1=1 c:1=2", "", "b:1 c:1", nil},
		"by address":                         {"10.0.0.1:2181=1 10.0.0.2:2181=2 10.0.0.3:2181=3", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", nil},
		"by name, no numbers":                {"zk1.example.com:2181 zk2.example.com:2181 zk3.example.com:2181", dynamicConfig, "zk1.example.com:2181 zk2.example.com:2181 zk3.example.com:2181", nil},
		"one does not answer":                {"10.0.0.1:2181=1 10.0.0.2:2181! 10.0.0.3:2181=3", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", nil},
		"one more, of unknown number":        {"localhost:1 10.0.0.1:2181=1 10.0.0.2:2181=2 10.0.0.3:2181=3", dynamicConfig, "localhost:1 10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", nil},
		"one more name of one":               {"lb:2181=2 10.0.0.1:2181=1 10.0.0.2:2181=2 10.0.0.3:2181=3", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", nil},
		"one more name, it does not tell":    {"lb:2181=2 10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", nil},
		"one more name, it answered earlier": {"lb:2181=2 10.0.0.1:2181=1 10.0.0.2:2181=2! 10.0.0.3:2181=3", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", nil},
		"one is elsewhere":                   {"localhost:1=2 10.0.0.1:2181=1 10.0.0.2:2181! 10.0.0.3:2181=3", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", nil},
		"all are elsewhere": {"localhost:1=3 localhost:2=1 localhost:3=2 10.0.0.1:2181! 10.0.0.2:2181! 10.0.0.3:2181!", dynamicConfig,
			"localhost:1 localhost:2 localhost:3", []string{"localhost:2 answers as server.1", unsure}},
		"all are elsewhere, one went away": {"localhost:1=3 localhost:2=1! localhost:3=2 10.0.0.1:2181! 10.0.0.2:2181! 10.0.0.3:2181!", dynamicConfig,
			"localhost:1 localhost:2 localhost:3", []string{unsure}},
		"another one at the address":    {"10.0.0.1:2181=1 10.0.0.2:2181=4 10.0.0.3:2181=3", dynamicConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", []string{"10.0.0.2:2181 answers as server.4"}},
		"two at one address":            {"a:1", "server.1=a:2:3;1\nserver.2=a:4:5;1", "a:1", []string{"server.2 has no address of its own"}},
		"static":                        {"10.0.0.1:2181=1 10.0.0.2:2181 10.0.0.3:2181=3", staticConfig, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", nil},
		"static, one is missing":        {"10.0.0.1:2181 10.0.0.2:2181", staticConfig, "10.0.0.1:2181 10.0.0.2:2181", []string{"server.3 (10.0.0.3)", "add 10.0.0.3" + add}},
		"static, one address":           {"10.0.0.1:2181", staticConfig, "10.0.0.1:2181", []string{"server.2 (10.0.0.2)", add}},
		"static, IPv6":                  {"a:1=1", "server.1=a:1:2\nserver.2=[::1]:1:2", "a:1", []string{"add [::1]" + add}},
		"static, one name for all":      {"zk.example.com:2181=2", staticConfig, "zk.example.com:2181", []string{"server.1 (10.0.0.1)", add}},
		"static, all are elsewhere":     {"localhost:1=3 localhost:2=1 localhost:3=2", staticConfig, "localhost:1 localhost:2 localhost:3", []string{"localhost:2 answers as server.1", "(10.0.0.1)", unsure}},
		"static, one is elsewhere":      {"localhost:1=3 10.0.0.1:1 10.0.0.2:1", staticConfig, "localhost:1 10.0.0.1:1 10.0.0.2:1", []string{"localhost:1 answers as server.3", unsure}},
		"on one host":                   {"127.0.0.1:1 127.0.0.1:2 localhost:3", oneHostConfig, "127.0.0.1:1 127.0.0.1:2 localhost:3", nil},
		"on one host, numbers":          {"127.0.0.1:1=2 127.0.0.1:2 localhost:3=1", oneHostConfig, "127.0.0.1:1 127.0.0.1:2 localhost:3", nil},
		"on one host, missing":          {"127.0.0.1:1 127.0.0.1:2", oneHostConfig, "127.0.0.1:1 127.0.0.1:2", []string{"server.3 (127.0.0.1)", add}},
		"on one host, missing is known": {"127.0.0.1:1=3 127.0.0.1:2=2", oneHostConfig, "127.0.0.1:1 127.0.0.1:2", []string{"server.1 (127.0.0.1)", add}},
		"two ports of one server":       {"127.0.0.1:1=1 127.0.0.1:2=1 127.0.0.1:3=2", oneHostConfig, "127.0.0.1:1 127.0.0.1:3", []string{"server.3 (127.0.0.1)", add}},
		"a server without a number":     {"a:1 b:1=1", "server.0=a:1:2;1\nserver.1=b:1:2;1", "a:1 b:1", nil},
	} {
		config, why := parseEnsemble(c.config)
		if why != "" {
			t.Fatal(why)
		}
		kept, missing := members(results(c.results), config, sharedAddress)
		var got []string
		for _, r := range kept {
			got = append(got, r.Addr)
		}
		if g := strings.Join(got, " "); g != c.kept {
			t.Errorf("%s: %s, want %s", name, g, c.kept)
		}
		if (missing == "") != (c.missing == nil) {
			t.Errorf("%s: missing %q, want %q", name, missing, c.missing)
		}
		for _, part := range c.missing {
			if !strings.Contains(missing, part) {
				t.Errorf("%s: missing %q, want %q", name, missing, part)
			}
		}
	}
}

// TestUnsureAddresses has results of several servers mixed, as behind a load
// balancer.
func TestUnsureAddresses(t *testing.T) {
	leader := func(addr string, number int, sessionID uint64) result {
		r := newResult(addr)
		r.Basic.State, r.Mode, r.number = session.Answered, session.ModeLeader, number
		r.conns = []session.Client{{Session: sessionID}}
		r.anchors = []session.Anchor{{Session: 7, Sent: time.Unix(1000, 0), Timeout: 8 * time.Second}}
		return r
	}
	config, _ := parseEnsemble(staticConfig)
	for name, c := range map[string]struct {
		results []result
		modes   []session.Mode
		sent    []int64 // of the anchors
	}{
		"own addresses":                {[]result{leader("10.0.0.1:1", 1, 7), leader("10.0.0.2:1", 2, 8)}, []session.Mode{session.ModeLeader, session.ModeLeader}, []int64{1000, 1000}},
		"another address":              {[]result{leader("10.0.0.1:1", 1, 7), leader("lb:1", 2, 7)}, []session.Mode{session.ModeLeader, session.ModeUnknown}, []int64{1000, 996}},
		"the only leader":              {[]result{leader("lb:1", 2, 7)}, []session.Mode{session.ModeLeader}, []int64{996}},
		"two other addresses":          {[]result{leader("lb:1", 2, 7), leader("lb:2", 1, 8)}, []session.Mode{session.ModeUnknown, session.ModeUnknown}, []int64{996, 1000}},
		"a server of another ensemble": {[]result{leader("10.0.0.1:1", 1, 7), leader("b:1", 9, 8)}, []session.Mode{session.ModeLeader, session.ModeLeader}, []int64{1000, 1000}},
	} {
		kept, missing := members(c.results, config, sharedAddress)
		if missing == "" || len(kept) != len(c.modes) {
			t.Fatalf("%s: %d results, missing %q", name, len(kept), missing)
		}
		for i, r := range kept {
			if r.Mode != c.modes[i] || !r.anchors[0].Sent.Equal(time.Unix(c.sent[i], 0)) {
				t.Errorf("%s: %s is %q, anchor sent at %v", name, r.Addr, r.Mode, r.anchors[0].Sent.Unix())
			}
		}
	}
	kept, _ := members([]result{leader("a:1", 1, 7), leader("b:1", 2, 8)}, nil, sharedAddress)
	if kept[0].Mode != session.ModeLeader || kept[1].Mode != session.ModeLeader || kept[0].unsure {
		t.Errorf("without a configuration: %+v", kept)
	}
}
