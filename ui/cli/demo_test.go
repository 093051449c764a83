package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
)

func TestInvitedProgramsJoin(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	zktest.Require(t, "python3-kazoo", "/usr/bin/python3", "/usr/lib/python3/dist-packages/kazoo/client.py")
	zktest.Require(t, "default-jdk-headless", "jshell", "java")
	zktest.Require(t, "libcurator-recipes-java", "/usr/share/java/curator-recipes.jar")
	zktest.Require(t, "zookeeper", "/usr/share/java/zookeeper.jar", "/usr/share/java/commons-cli.jar")
	const path = "/election"
	_, addr := zkserver.Start(t, zkserver.Options{})
	dir := t.TempDir()
	// dir is first in PATH. It gets a python3 that has kazoo, and a zkCli.sh that finds the jars of ZooKeeper.
	java := strings.Join(zktest.JavaOptions(), " ")
	shellLine := func(line string) *zktest.Program {
		t.Helper()
		return zktest.Run(t, "sh", "-c", `PATH="$0:$PATH"; export PATH; `+line, dir)
	}
	lines := map[string]string{}
	for _, i := range invitations(addr, path) {
		lines[i.Program] = i.Line
	}
	for name, text := range map[string]string{
		"python3": "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n",
		"zkCli.sh": fmt.Sprintf("#!/bin/sh\nexec java %s -cp %s org.apache.zookeeper.ZooKeeperMain \"$@\"\n", java,
			zktest.ClassPath("zookeeper", "zookeeper-jute", "slf4j-nop", "commons-cli")),
		"join.jsh": "import org.apache.curator.framework.*; import org.apache.curator.retry.*; import org.apache.curator.framework.recipes.locks.*;\n" +
			lines["Curator (Java)"] + "\nSystem.out.println(\"Curator leads\");\nSystem.in.read();\n/exit\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	conn := zktest.Client(t, addr)
	if _, err := conn.Create(path, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	first, err := conn.Create(path+"/guid-n_", []byte("first"), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		t.Fatal(err)
	}

	queued := 1
	queuedProgram := func(p *zktest.Program) *zktest.Program {
		t.Helper()
		queued++
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("the output of a program:\n%s", p.Output())
			}
		})
		zktest.Await(t, fmt.Sprintf("%d in the queue", queued), func() bool {
			children, _, err := conn.Children(path)
			return err == nil && len(children) == queued
		})
		return p
	}
	kazoo := queuedProgram(shellLine(lines["kazoo (Python)"]))
	curator := queuedProgram(zktest.Run(t, "jshell", "--class-path", zktest.ClassPath("curator-recipes", "curator-framework", "curator-client",
		"guava", "zookeeper", "zookeeper-jute", "slf4j-nop", "slf4j-api"), filepath.Join(dir, "join.jsh")))
	shell := queuedProgram(shellLine(lines["zkCli"]))
	own := queuedProgram(shellLine(lines["electop"]))
	own.Line(t, "waiting behind YOU-n_")
	zktest.Await(t, "kazoo and Curator watch their predecessors", func() bool {
		words := fourLetter(t, addr, "wchp")
		return strings.Contains(words, first) && strings.Contains(words, "__lock__0000000001")
	})
	if err := conn.Delete(first, -1); err != nil {
		t.Fatal(err)
	}
	kazoo.Line(t, "I lead")
	if strings.Contains(curator.Output(), "leads") {
		t.Error("Curator and kazoo both lead")
	}
	kazoo.Kill()
	curator.Line(t, "Curator leads")
	curator.Kill()
	shell.WriteLine(t, "quit")
	shell.Finish(t)
}

func fourLetter(t *testing.T, addr, word string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, word); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDialable(t *testing.T) {
	ip := func(s string) net.Addr {
		ip, n, err := net.ParseCIDR(s)
		if err != nil {
			t.Fatal(err)
		}
		return &net.IPNet{IP: ip, Mask: n.Mask}
	}
	machine := []net.Addr{ip("127.0.0.1/8"), ip("::1/128"), ip("fe80::1/64"), ip("2001:db8::7/64"), ip("192.168.1.7/24")}
	alone := []net.Addr{ip("127.0.0.1/8")}
	for _, c := range []struct {
		bound string
		ours  []net.Addr
		want  string
	}{
		{"0.0.0.0:2181", machine, "192.168.1.7:2181"},
		{"[::]:2181", machine, "192.168.1.7:2181"},
		{"0.0.0.0:2181", alone, "127.0.0.1:2181"},
		{"0.0.0.0:2181", nil, "127.0.0.1:2181"},
		{"127.0.0.1:2181", machine, "127.0.0.1:2181"},
		{"192.168.1.9:2181", machine, "192.168.1.9:2181"},
	} {
		a, err := net.ResolveTCPAddr("tcp", c.bound)
		if err != nil {
			t.Fatal(err)
		}
		if got := dialable(a, c.ours...); got != c.want {
			t.Errorf("%s: %s, want %s", c.bound, got, c.want)
		}
	}
}

func runChaos(t *testing.T, seed uint64, o *options, listeners ...net.Listener) (out, errs string, err error) {
	t.Helper()
	o.path, o.paths, o.json, o.duration = defaultPath, []string{defaultPath}, true, 10*time.Minute
	var stdout, stderr bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		h := newEmbedded(demoServer(log))
		defer h.ZooKeeper.Close()
		for _, l := range listeners {
			h.serve(func() error { return h.ZooKeeper.Serve(l) })
		}
		began := time.Now()
		chaos := demo.Chaos{Seed: seed, Rate: 2, Cast: demoCast}
		err = o.headless(t.Context(), chaos, h, log, IO{Out: &stdout, Err: &stderr})
		if d := time.Since(began); len(listeners) > 0 && d > time.Minute {
			t.Errorf("chaos ended after %v, want within a minute", d)
		}
	})
	return stdout.String(), stderr.String(), err
}

type brokenListener struct {
	net.Listener
	after time.Duration
}

func (l brokenListener) Accept() (net.Conn, error) {
	time.Sleep(l.after) // on the fake clock of synctest
	return nil, errors.New("the network is gone")
}
func (brokenListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2181} }
func (brokenListener) Close() error   { return nil }

func TestChaosEndsWithItsServer(t *testing.T) {
	t.Parallel()
	_, errs, err := runChaos(t, 1, &options{}, brokenListener{after: 30 * time.Second})
	if err == nil || !strings.Contains(err.Error(), "the network is gone") || process.Report(io.Discard, err) != process.ExitFailure {
		t.Errorf("chaos ended with error %v, want the server's error", err)
	}
	if strings.Contains(errs, "one leader") {
		t.Errorf("got a report that the invariants held:\n%s", errs)
	}
}

func same(t *testing.T, live, replayed []string) {
	t.Helper()
	for i := range min(len(live), len(replayed)) {
		if live[i] != replayed[i] {
			t.Fatalf("event %d\nlive:   %s\nreplay: %s", i+1, live[i], replayed[i])
		}
	}
	if len(live) != len(replayed) {
		t.Errorf("%d live events, %d events in the replay", len(live), len(replayed))
	}
}

func TestReplayOfChaosPrintsSameEvents(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "recording")
	o := &options{record: election.Recording{File: file}}
	printed, errs, err := runChaos(t, zktest.Seed(t), o)
	if err != nil {
		t.Errorf("chaos failed: %v; standard error:\n%s", err, errs)
	}
	var replayed, notices bytes.Buffer
	if err := printRecording(context.Background(), o, IO{Out: &replayed, Err: &notices}, file); err != nil {
		t.Fatal(err)
	}
	if notices.Len() > 0 {
		t.Errorf("notices of the replay: %s", notices.String())
	}
	live := strings.Split(strings.TrimSpace(printed), "\n")
	same(t, live, strings.Split(strings.TrimSpace(replayed.String()), "\n"))
	if handoffs := strings.Count(printed, `"type":"handoff"`); len(live) < 600 || handoffs < 60 {
		t.Errorf("got %d events with %d handoffs in ten minutes, want at least 600 with 60", len(live), handoffs)
	}
}

func TestParseRate(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64 // 0: refused
	}{
		{"2/s", 2}, {"2", 2}, {"30/m", 0.5}, {"0.5/s", 0.5}, {"3600/h", 1}, {"100/s", 100},
		{"", 0}, {"0/s", 0}, {"-1/s", 0}, {"NaN/s", 0}, {"Inf", 0}, {"101/s", 0}, {"2/d", 0}, {"2/", 0}, {"x/s", 0}, {"1/s/s", 0},
	} {
		got, err := parseRate(c.text)
		if (err == nil) != (c.want > 0) || got != c.want && err == nil {
			t.Errorf("%q: %v, %v, want %v", c.text, got, err, c.want)
		}
	}
}

func TestMaxClientCnxns(t *testing.T) {
	for _, c := range []struct {
		listen string
		set    bool
		n      int
		want   string
	}{
		{"127.0.0.1:0", false, 0, "maxClientCnxns=0\n"},
		{"127.0.0.1:0", true, 7, "maxClientCnxns=7\n"},
		{"LOCALHOST:0", false, 0, "maxClientCnxns=1000\n"}, // a name may resolve to any address
		{"LOCALHOST:0", true, 0, "maxClientCnxns=0\n"},
		{"LOCALHOST:0", true, 5, "maxClientCnxns=5\n"},
	} {
		o := &embeddedOptions{listen: c.listen, cnxns: c.n, cnxnsSet: c.set}
		h, err := o.start(demoServer(slog.New(slog.DiscardHandler)))
		if err != nil {
			t.Fatal(err)
		}
		conn, err := h.ZooKeeper.Dial()
		if err != nil {
			t.Fatal(err)
		}
		conn.Write([]byte("conf"))
		if conf, err := io.ReadAll(conn); err != nil || !strings.Contains(string(conf), c.want) {
			t.Errorf("%+v: error %v, configuration %s, want %s", c, err, conf, c.want)
		}
		conn.Close()
		h.ZooKeeper.Close()
	}
}
