package cli

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

// The lines that invite others do what they say: each program queues behind
// those before it, whatever it is made with, and leads when its turn has come.
func TestInvitationsWork(t *testing.T) {
	zktest.Second(t)
	t.Parallel()
	zktest.Require(t, "python3-kazoo", "/usr/bin/python3", "/usr/lib/python3/dist-packages/kazoo/client.py")
	zktest.Require(t, "default-jdk-headless", "jshell", "java")
	zktest.Require(t, "libcurator-recipes-java", "/usr/share/java/curator-recipes.jar")
	zktest.Require(t, "zookeeper", "/usr/share/java/zookeeper.jar", "/usr/share/java/commons-cli.jar")
	const path = "/election"
	_, addr := zkserver.Start(t, zkserver.Options{})
	dir := t.TempDir()
	// The programs as a shell finds them: that Debian's python3 has kazoo, and
	// that zkCli.sh finds its jars, is not what is looked at here.
	java := strings.Join(zktest.JavaOptions(), " ")
	shellLine := func(line string) *zktest.Program {
		t.Helper()
		return zktest.Run(t, "sh", "-c", `PATH="$0:$PATH"; export PATH; `+line, dir)
	}
	for name, script := range map[string]string{
		"python3": `exec /usr/bin/python3 "$@"`,
		"zkCli.sh": fmt.Sprintf(`exec java %s -cp %s org.apache.zookeeper.ZooKeeperMain "$@"`, java,
			zktest.ClassPath("zookeeper", "zookeeper-jute", "slf4j-nop", "commons-cli")),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	look := zktest.Client(t, addr)
	if _, err := look.Create(path, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	first, err := look.Create(path+"/guid-n_", []byte("first"), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		t.Fatal(err)
	}

	lines := map[string]string{}
	for _, i := range invitations(addr, path) {
		lines[i.Program] = i.Line
	}
	queued := 1
	stands := func(p *zktest.Program) *zktest.Program {
		t.Helper()
		queued++
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("it said:\n%s", p.Output())
			}
		})
		zktest.Await(t, fmt.Sprintf("%d in the queue", queued), func() bool {
			children, _, err := look.Children(path)
			return err == nil && len(children) == queued
		})
		return p
	}
	kazoo := stands(shellLine(lines["kazoo (Python)"]))
	imports := "import org.apache.curator.framework.*; import org.apache.curator.retry.*; import org.apache.curator.framework.recipes.locks.*;\n"
	file := filepath.Join(dir, "join.jsh")
	if err := os.WriteFile(file, []byte(imports+lines["Curator (Java)"]+"\nSystem.out.println(\"Curator leads\");\nSystem.in.read();\n/exit\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	curator := stands(zktest.Run(t, "jshell", "--class-path", zktest.ClassPath("curator-recipes", "curator-framework", "curator-client",
		"guava", "zookeeper", "zookeeper-jute", "slf4j-nop", "slf4j-api"), file))
	shell := stands(shellLine(lines["zkCli"]))
	own := stands(shellLine(lines["electop"]))
	own.Line(t, "waiting behind YOU-n_")
	zktest.Await(t, "kazoo and Curator watch whom they stand behind", func() bool {
		words := fourLetter(t, addr, "wchp")
		return strings.Contains(words, first) && strings.Contains(words, "__lock__0000000001")
	})
	if err := look.Delete(first, -1); err != nil {
		t.Fatal(err)
	}
	kazoo.Line(t, "I lead")
	if strings.Contains(curator.Output(), "leads") {
		t.Error("Curator leads while kazoo does")
	}
	kazoo.Kill()
	curator.Line(t, "Curator leads")
	curator.Kill()
	shell.Say(t, "quit")
	shell.Finish(t)
}

// fourLetter returns a server's answer to a four-letter word.
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

func TestInvitedTo(t *testing.T) {
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
		if got := invitedTo(a, c.ours); got != c.want {
			t.Errorf("%s: %s, want %s", c.bound, got, c.want)
		}
	}
}
