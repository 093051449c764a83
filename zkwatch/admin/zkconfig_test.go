package admin

import (
	"strings"
	"testing"

	"electop/model/session"
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
		results := []result{{Server: session.Server{Addr: "a:1"}, number: 1}, {Server: session.Server{Addr: "b:1"}}}
		for _, addr := range targets([]string{"a:1"}, all, strings.EqualFold) {
			results = append(results, result{Server: session.Server{Addr: addr}})
		}
		members(results, all, strings.EqualFold)
	})
}
