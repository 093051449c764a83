package zkserver_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

// These tests let other people's clients hold an election on the embedded
// server. Their programs, in testdata/clients, take the same arguments
// (address, path, name, session timeout in ms), say "leads NAME" when they do,
// and resign when their input ends.

const (
	foreignPath    = "/election"
	foreignTimeout = "1500" // ms: of the sessions
)

type foreign struct {
	name string
	// prepare skips the test where the client is missing, builds what has to be
	// built, and returns the command line but for the candidate's arguments.
	prepare func(t *testing.T) []string
}

var foreigners = []foreign{
	{"kazoo", func(t *testing.T) []string {
		zktest.Require(t, "python3-kazoo", "/usr/bin/python3", "/usr/lib/python3/dist-packages/kazoo/client.py")
		return []string{"/usr/bin/python3", "testdata/clients/candidate.py"}
	}},
	{"curator-latch", func(t *testing.T) []string { return append(curator(t), "latch") }},
	{"curator-selector", func(t *testing.T) []string { return append(curator(t), "selector") }},
	{"c", func(t *testing.T) []string {
		zktest.Require(t, "gcc libc6-dev", "cc")
		zktest.Require(t, "libzookeeper-mt-dev", "/usr/include/zookeeper/zookeeper.h")
		binary := filepath.Join(t.TempDir(), "candidate")
		compile(t, "cc", "-Wall", "-DTHREADED", "-o", binary, "testdata/clients/candidate.c", "-lzookeeper_mt", "-lpthread")
		return []string{binary}
	}},
}

// javaOptions keep a virtual machine that lives for seconds from spending them
// on itself.
var javaOptions = []string{"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}

func classPath(jars ...string) string {
	for i, jar := range jars {
		jars[i] = "/usr/share/java/" + jar + ".jar"
	}
	return strings.Join(jars, ":")
}

// curator compiles the candidate and returns how to run it.
func curator(t *testing.T) []string {
	zktest.Require(t, "default-jdk-headless", "javac", "java")
	zktest.Require(t, "libcurator-recipes-java", "/usr/share/java/curator-recipes.jar")
	zktest.Require(t, "zookeeper", "/usr/share/java/zookeeper.jar", "/usr/share/java/slf4j-nop.jar")
	classes := t.TempDir()
	// slf4j-nop before slf4j-api keeps it from complaining about no binding.
	path := classPath("curator-recipes", "curator-framework", "curator-client", "guava", "zookeeper", "zookeeper-jute", "slf4j-nop", "slf4j-api")
	compile(t, "javac", "-J-XX:TieredStopAtLevel=1", "-proc:none", "-cp", path, "-d", classes, "testdata/clients/Candidate.java")
	return append(append([]string{"java"}, javaOptions...), "-cp", classes+":"+path, "Candidate")
}

func compile(t *testing.T, command string, args ...string) {
	t.Helper()
	if out, err := exec.Command(command, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// TestForeignElections lets each client elect among two processes, kills the
// one that leads, and waits for the other.
func TestForeignElections(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the clients come from Debian packages")
	}
	t.Run("shell", shellElection)
	for _, f := range foreigners {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			command := f.prepare(t)
			s, addr := zkserver.Start(t, zkserver.Options{})
			look := observer(t, addr)
			look.create(foreignPath, 0)
			candidate := func(name string) *zktest.Program {
				args := append(command[1:len(command):len(command)], addr, foreignPath, name, foreignTimeout)
				p := zktest.Run(t, command[0], args...)
				p.Line(t, "standing")
				return p
			}
			amber := candidate("amber")
			amber.Line(t, "leads amber")
			head := queue(t, look, 1)[0]
			birch := candidate("birch")
			queue(t, look, 2)
			// It stands in line when it watches the one before.
			waitUntil(t, "birch watches "+head, func() bool { return strings.Contains(word(t, addr, "wchp"), head+"\n") })
			if said := birch.Output(); strings.Contains(said, "leads") {
				t.Errorf("birch leads besides amber:\n%s", said)
			}
			amber.Kill()
			birch.Line(t, "leads birch")
			if exists(look, head) {
				t.Errorf("birch leads while %s is there", head)
			}
			if n := s.Counters().Expired; n != 1 {
				t.Errorf("%d sessions expired before the handoff, want amber's", n)
			}
			if left := queue(t, look, 1); left[0] == head {
				t.Errorf("left over: %q", left)
			}
			birch.Finish(t)
			queue(t, look, 0)
			if n := s.Counters().Expired; n != 1 {
				t.Errorf("birch resigned but its session expired")
			}
			inOrder(t, s)
		})
	}
}

// observer opens a session that outlives any virtual machine's start.
func observer(t *testing.T, addr string) *rawClient {
	t.Helper()
	return connectRaw(t, dialTCP(t, addr), wire.ConnectRequest{Timeout: 60_000})
}

// queue waits until there are n candidates and returns their paths.
func queue(t *testing.T, c *rawClient, n int) []string {
	t.Helper()
	var rsp wire.StringsResponse
	waitUntil(t, "candidates in the queue", func() bool {
		c.must(wire.OpGetChildren, &wire.PathWatchRequest{Path: foreignPath}, &rsp)
		return len(rsp.Strings) == n
	})
	for i, name := range rsp.Strings {
		rsp.Strings[i] = foreignPath + "/" + name
	}
	return rsp.Strings
}

// inOrder fails if the server had to survive a bug or drop a client.
func inOrder(t *testing.T, s *zkserver.Server) {
	t.Helper()
	if k := s.Counters(); k.Panics+k.CutOff+k.Rejected != 0 {
		t.Errorf("panics %d, cut off %d, rejected %d", k.Panics, k.CutOff, k.Rejected)
	}
}

func waitUntil(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}
