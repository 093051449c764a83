package plain_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"electop/model/doctor"
	"electop/model/session"
	"electop/ui/plain"
)

func withFindings(t *testing.T) *doctor.State {
	t.Helper()
	s := *hostileElection(t)
	s.Findings = []*doctor.Finding{ghost(), {
		ID: "herd", Key: "herd", Severity: doctor.Warning, Title: "Everybody watches the leader",
		Evidence: []string{"12 sessions watch \\x1b[2J-n_0000000010"}, Harm: "All are notified at each handoff.", Advice: "Watch the predecessor.",
		Znodes: slices.Repeat([]string{path + "/\x1b[2J-n_0000000010"}, 12), Sessions: []uint64{1, 2}, References: []string{"ZooKeeper recipes"},
	}}
	refused := session.Answer{State: session.Refused, Via: "4lw", Why: "wchp is not executed because it is not in the whitelist", Hint: "4lw.commands.whitelist=wchp"}
	answered := session.Answer{State: session.Answered, Via: "4lw", At: start}
	s.Answers = &session.Table{
		At: start, End: start.Add(time.Second), Unwhole: "/zookeeper/config may not be read",
		Servers: []session.Server{
			{Addr: "zk1:2181", Basic: answered, Connections: answered, Sessions: answered, Watches: answered, Leftover: true},
			{Addr: "zk2:2181", Basic: answered, Connections: answered, Sessions: answered, Watches: refused},
			{Addr: "zk3:2181", Basic: answered, Connections: answered, Sessions: answered, Watches: refused},
			{Addr: "zk4:2181", Basic: session.Answer{State: session.Failed, Why: "no answer within 3s"}, Connections: session.Answer{State: session.Failed, Why: "no answer within 3s"}},
		},
	}
	return &s
}

func TestDoctor(t *testing.T) {
	for name, s := range map[string]*doctor.State{"findings": withFindings(t), "no-findings": election(t, child("n_0000000001", 1, 2, []byte("amber")))} {
		t.Run(name, func(t *testing.T) {
			b := line(t, plain.Doctor(s, 6*time.Second))
			printable(t, string(b))
			text := plain.DoctorText(s, 6*time.Second)
			for l := range strings.Lines(text) {
				printable(t, l)
			}
			golden.RequireEqual(t, text+string(b))
		})
	}
}

func TestDoctorTextNamesSettingBelowHeadline(t *testing.T) {
	s := *election(t, child("n_0000000001", 1, 2, []byte("amber")), child("n_0000000002", 2, 3, []byte("birch")))
	refused := session.Answer{State: session.Refused, Via: "4lw", Hint: "4lw.commands.whitelist=srvr,mntr,conf,wchs,cons,dump,wchp"}
	s.Answers = &session.Table{At: start, End: start, Whole: true}
	for _, addr := range []string{"zk1:2181", "zk2:2181", "zk3:2181"} {
		refused.Why = addr + " does not allow the word"
		basic := session.Answer{State: session.Answered, Via: "4lw", At: start}
		s.Answers.Servers = append(s.Answers.Servers, session.Server{Addr: addr, Basic: basic, Connections: refused, Sessions: refused, Watches: refused})
	}
	lines := strings.Split(plain.DoctorText(&s, 6*time.Second), "\n")
	first := strings.Join(lines[1:3], " ")
	for _, want := range []string{"Not checked: connections on 3 servers; session deadlines on 3 servers; watches on 3 servers", refused.Hint} {
		if !strings.Contains(first, want) {
			t.Errorf("got the first lines %q, want %q in them", lines[:4], want)
		}
	}
	if !slices.Contains(lines, "Nothing found in what was checked.") {
		t.Errorf("got %q, want \"Nothing found in what was checked.\" in them", lines)
	}
}

func TestNotChecked(t *testing.T) {
	s := election(t)
	if us := plain.NotChecked(s); len(us) != 1 || us[0].Setting == nil || *us[0].Setting != "--admin auto" {
		t.Errorf("without server reports: got %+v, want the setting --admin auto", us)
	}
	us := plain.NotChecked(withFindings(t))
	find := func(what string) plain.Unchecked {
		i := slices.IndexFunc(us, func(u plain.Unchecked) bool { return u.What == what })
		if i < 0 {
			t.Fatalf("got no %q in %+v", what, us)
		}
		return us[i]
	}
	if u := find("watches"); !slices.Equal(u.Servers, []string{"zk2:2181", "zk3:2181"}) || u.Setting == nil || *u.Setting != "4lw.commands.whitelist=wchp" {
		t.Errorf("got %+v, want zk2 and zk3, and a setting that allows wchp", u)
	}
	if u := find("anything"); !slices.Equal(u.Servers, []string{"zk4:2181"}) {
		t.Errorf("got %+v, want only zk4:2181, which answered nothing", u)
	}
	if u := find("whether a watch or a connection is missing"); u.Why != "/zookeeper/config may not be read" {
		t.Errorf("got %+v, want the reason why members may be missing", u)
	}
	whole := *withFindings(t)
	whole.Answers = &session.Table{Whole: true, Servers: withFindings(t).Answers.Servers[:1]}
	whole.Answers.Servers[0].Leftover = false
	if us := plain.NotChecked(&whole); len(us) != 0 {
		t.Errorf("with all reports: got unchecked %+v, want none", us)
	}
}

func TestDoctorBoundsSuspicions(t *testing.T) {
	s := *election(t)
	s.Pending = make([]doctor.Pending, 20)
	s.Pending[8] = doctor.Pending{Severity: doctor.Warning, Early: &doctor.Finding{Severity: doctor.Warning}} // shown as a finding
	if n := strings.Count(string(line(t, plain.Doctor(&s, time.Second))), "a healthy handoff may look like this"); n != 8 {
		t.Errorf("got %d suspicions, want 8", n)
	}
}

func TestDiscovery(t *testing.T) {
	several := found(withFindings(t), election(t), election(t, child("n_0000000001", 1, 2, []byte("amber"))))
	for name, d := range map[string]plain.Discovery{
		"nothing": {Root: "/", Visited: 1},
		"several": {Root: "/app", Visited: 1200, Denied: 3, Stopped: "nodes", Elections: several},
		"hostile": {Root: "/\x1b[2J", Visited: 1, Stopped: "\u202e"},
	} {
		t.Run(name, func(t *testing.T) {
			b := line(t, d.JSON())
			printable(t, string(b))
			text := d.Text()
			for l := range strings.Lines(text) {
				printable(t, l)
			}
			golden.RequireEqual(t, text+string(b))
		})
	}
}

func found(states ...*doctor.State) []plain.Found {
	var out []plain.Found
	for _, s := range states {
		out = append(out, plain.Found{State: s, Waiting: plain.Waiting(s)})
	}
	return out
}
