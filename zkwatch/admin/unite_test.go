package admin

import (
	"strings"
	"testing"
)

func TestParseEnsemble(t *testing.T) {
	got, why := parseEnsemble("server.1=zk1:2888:3888:participant;0.0.0.0:2181\n" +
		"server.2=zk2:2888:3888:observer;2182\n" +
		"server.3=zk3:2888:3888:participant\n" +
		"server.4=[2001:db8::4]:2888:3888:participant;[::]:2181\n" +
		"server.5=zk5:2888:3888|zk5b:2888:3888:participant;clients5:2181\n" +
		"server.6=10.0.0.6:2888:3888\r\n" +
		"group.1=1:2\nversion=100000000")
	equal(t, "configuration", got, []configured{
		{1, "zk1", "zk1:2181"}, {2, "zk2", "zk2:2182"}, {3, "zk3", ""}, {4, "2001:db8::4", "[2001:db8::4]:2181"},
		{5, "zk5", "clients5:2181"}, {6, "10.0.0.6", ""},
	})
	if why != "" {
		t.Error(why)
	}
	for _, bad := range []string{"server.=a:1:2", "server.x=a:1:2", "server.1=", "server.1=[::1:2:3", "server.1=a b:1:2;2181", "server.1=a:1:2;99999",
		"server.1=a:1:2;\x1b[31m:2181", "server.1=../x:1:2", "server.1"} {
		if got, why := parseEnsemble(bad + "\nserver.7=b:1:2;2181"); why == "" || len(got) != 1 || strings.Contains(why, "\x1b") {
			t.Errorf("%q: %v, %q", bad, got, why)
		}
	}
	many := strings.Builder{}
	for i := range 1000 {
		many.WriteString(strings.Repeat(" ", i%3) + "server." + strings.Repeat("1", 1+i%4) + "0=a:1:2\n")
		many.WriteString("server." + string(rune('1'+i%9)) + string(rune('0'+i/10%10)) + string(rune('0'+i/100%10)) + "=a:1:2\n")
	}
	if got, _ := parseEnsemble(many.String()); len(got) > maxMembers {
		t.Errorf("%d members", len(got))
	}
}

func FuzzEnsemble(f *testing.F) {
	f.Add("server.1=zk1:2888:3888:participant;0.0.0.0:2181\nversion=0")
	f.Add("server.4=[::1]:2888:3888|b:1:2;[::]:2181")
	f.Fuzz(func(t *testing.T, s string) {
		all, _ := parseEnsemble(s)
		for _, c := range all {
			if hostOf("["+c.host+"]:1") == "" || c.client != "" && hostOf(c.client) == "" {
				t.Errorf("%q: %+v", s, c)
			}
		}
		unite([]entry{{member: member{addr: "a:1"}}}, all, strings.EqualFold)
	})
}

func TestUnite(t *testing.T) {
	// Names that have an address in common.
	same := map[string]string{"localhost": "127.0.0.1", "zk1.example.com": "10.0.0.1", "zk2.example.com": "10.0.0.2", "zk3.example.com": "10.0.0.3"}
	sameHost := func(a, b string) bool {
		all := "10.0.0.1 10.0.0.2 10.0.0.3"
		if a == "zk.example.com" && strings.Contains(all, b) || b == "zk.example.com" && strings.Contains(all, a) {
			return true
		}
		if x, ok := same[a]; ok {
			a = x
		}
		if x, ok := same[b]; ok {
			b = x
		}
		return a == b
	}
	servers := func(addrs ...string) (all []entry) {
		for _, a := range addrs {
			all = append(all, entry{member: member{addr: a}})
		}
		return all
	}
	known := func(all []entry, ids ...int) []entry {
		for i, id := range ids {
			all[i].id = id
		}
		return all
	}
	dynamic := "server.1=10.0.0.1:2888:3888;2181\nserver.2=10.0.0.2:2888:3888;2181\nserver.3=10.0.0.3:2888:3888;2181"
	static := "server.1=10.0.0.1:2888:3888\nserver.2=10.0.0.2:2888:3888\nserver.3=10.0.0.3:2888:3888"
	oneHost := "server.1=127.0.0.1:2881:3881\nserver.2=127.0.0.1:2882:3882\nserver.3=127.0.0.1:2883:3883"
	for name, c := range map[string]struct {
		entries []entry
		config  string
		members string
		missing string // the name of the server that is missing
	}{
		"no configuration":              {servers("a:1", "b:1", "a:1"), "", "a:1 b:1", ""},
		"two names":                     {servers("localhost:2181", "127.0.0.1:2181", "127.0.0.1:2182"), "", "localhost:2181 127.0.0.1:2182", ""},
		"the rest is configured":        {servers("10.0.0.2:2181"), dynamic, "10.0.0.2:2181 10.0.0.1:2181 10.0.0.3:2181", ""},
		"by name":                       {servers("zk1.example.com:2181", "zk2.example.com:2181", "zk3.example.com:2181"), dynamic, "zk1.example.com:2181 zk2.example.com:2181 zk3.example.com:2181", ""},
		"one name for all":              {servers("zk.example.com:2181"), dynamic, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", ""},
		"static":                        {servers("10.0.0.1:2181", "10.0.0.2:2181", "10.0.0.3:2181"), static, "10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", ""},
		"static, one is missing":        {servers("10.0.0.1:2181", "10.0.0.2:2181"), static, "10.0.0.1:2181 10.0.0.2:2181", "server.3 (10.0.0.3)"},
		"static, one address":           {servers("10.0.0.1:2181"), static, "10.0.0.1:2181", "server.2 (10.0.0.2)"},
		"static, forwarded":             {known(servers("localhost:1", "localhost:2", "localhost:3"), 3, 1, 2), static, "localhost:1 localhost:2 localhost:3", ""},
		"static, one forwarded":         {known(servers("localhost:1"), 3), static, "localhost:1", "server.1 (10.0.0.1)"},
		"dynamic, forwarded":            {known(servers("localhost:1", "localhost:2"), 3, 1), dynamic, "localhost:1 localhost:2 10.0.0.2:2181", ""},
		"dynamic, forwarded, unknown":   {servers("localhost:1"), dynamic, "localhost:1 10.0.0.1:2181 10.0.0.2:2181 10.0.0.3:2181", ""},
		"on one host":                   {servers("127.0.0.1:1", "127.0.0.1:2", "localhost:3"), oneHost, "127.0.0.1:1 127.0.0.1:2 localhost:3", ""},
		"on one host, missing":          {servers("127.0.0.1:1", "127.0.0.1:2"), oneHost, "127.0.0.1:1 127.0.0.1:2", "server.3 (127.0.0.1)"},
		"on one host, missing is known": {known(servers("127.0.0.1:1", "127.0.0.1:2"), 3, 2), oneHost, "127.0.0.1:1 127.0.0.1:2", "server.1 (127.0.0.1)"},
		"two ports of one server":       {known(servers("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"), 1, 1, 2), oneHost, "127.0.0.1:1 127.0.0.1:3", "server.3 (127.0.0.1)"},
		"the first name fails": {[]entry{{member: member{"a:1", 1}, failing: true}, {member: member{"b:1", 1}, alias: true}},
			"server.1=a:1:1;1", "b:1", ""},
	} {
		config, _ := parseEnsemble(c.config)
		members, missing := unite(c.entries, config, sameHost)
		var got []string
		for _, m := range members {
			got = append(got, m.addr)
		}
		if g := strings.Join(got, " "); g != c.members {
			t.Errorf("%s: %s, want %s", name, g, c.members)
		}
		if c.missing == "" && missing != "" || !strings.Contains(missing, c.missing) || missing != "" && !strings.Contains(missing, ":PORT to the connect string") {
			t.Errorf("%s: missing %q, want %q", name, missing, c.missing)
		}
	}
}
