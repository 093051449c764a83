package zktest

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The programs take a connect string and a session timeout in ms; candidate.py
// and Candidate.java say more of themselves.
//
//go:embed clients
var clients embed.FS

// Foreign is a process with candidates made with a third-party library, each
// of which has a session of its own unless its recipe says otherwise.
type Foreign struct{ *Program }

// Kazoo starts a process in which candidates can stand by the recipes of
// kazoo: election, lock, read, write, semaphore, and as candidate.py says.
func Kazoo(t testing.TB, servers string, timeout time.Duration) *Foreign {
	t.Helper()
	Require(t, "python3-kazoo", "/usr/bin/python3", "/usr/lib/python3/dist-packages/kazoo/client.py")
	return foreign(t, servers, timeout, "/usr/bin/python3", unpack(t, t.TempDir(), "candidate.py"))
}

// Curator starts a process in which candidates can stand by the recipes of
// Apache Curator: latch, selector, mutex, read, write, semaphore, and as Candidate.java
// says.
func Curator(t testing.TB, servers string, timeout time.Duration) *Foreign {
	t.Helper()
	Require(t, "default-jdk-headless", "javac", "java")
	Require(t, "libcurator-recipes-java", "/usr/share/java/curator-recipes.jar")
	Require(t, "zookeeper", "/usr/share/java/zookeeper.jar", "/usr/share/java/slf4j-nop.jar")
	// slf4j-nop before slf4j-api keeps it from complaining about no binding.
	path := ClassPath("curator-recipes", "curator-framework", "curator-client", "guava", "zookeeper", "zookeeper-jute", "slf4j-nop", "slf4j-api")
	command := append(JavaOptions(), "-cp", compiledCurator(t, path)+":"+path, "Candidate")
	return foreign(t, servers, timeout, "java", command...)
}

// JavaOptions keep a virtual machine that lives for seconds from spending them
// on itself.
func JavaOptions() []string {
	return []string{"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"}
}

// ClassPath names jars as Debian installs them.
func ClassPath(jars ...string) string {
	var paths []string
	for _, jar := range jars {
		paths = append(paths, "/usr/share/java/"+jar+".jar")
	}
	return strings.Join(paths, ":")
}

// CCandidate compiles a candidate made with ZooKeeper's C client and returns
// the program. It takes an address, the election's path, a name and a session
// timeout in ms, and says "standing", then "leads NAME" when it does; it
// resigns when its input ends.
func CCandidate(t testing.TB) string {
	t.Helper()
	Require(t, "gcc libc6-dev", "cc")
	Require(t, "libzookeeper-mt-dev", "/usr/include/zookeeper/zookeeper.h")
	dir := t.TempDir()
	program := filepath.Join(dir, "candidate")
	compile(t, "cc", "-Wall", "-DTHREADED", "-o", program, unpack(t, dir, "candidate.c"), "-lzookeeper_mt", "-lpthread")
	return program
}

// compiledCurator returns the directory of the compiled Candidate.java: once
// for all the tests of a binary.
func compiledCurator(t testing.TB, path string) string {
	t.Helper()
	curator.Lock()
	defer curator.Unlock()
	if curator.dir != "" {
		return curator.dir
	}
	dir, err := os.MkdirTemp("", "zktest-")
	if err != nil {
		t.Fatalf("directory for Curator's client: %v", err)
	}
	curator.dir = dir
	defer func() {
		if t.Failed() {
			os.RemoveAll(dir)
			curator.dir = ""
		}
	}()
	compile(t, "javac", "-J-XX:TieredStopAtLevel=1", "-proc:none", "-cp", path, "-d", dir, unpack(t, dir, "Candidate.java"))
	return dir
}

func unpack(t testing.TB, dir, name string) string {
	t.Helper()
	source, err := clients.ReadFile("clients/" + name)
	if err != nil {
		t.Fatalf("program: %v", err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, source, 0o600); err != nil {
		t.Fatalf("program: %v", err)
	}
	return path
}

func compile(t testing.TB, command string, args ...string) {
	t.Helper()
	if out, err := exec.Command(command, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

func foreign(t testing.TB, servers string, timeout time.Duration, command string, args ...string) *Foreign {
	t.Helper()
	args = append(args, servers, strconv.FormatInt(timeout.Milliseconds(), 10))
	return &Foreign{Run(t, command, args...)}
}

// Standing is a candidate in a [Foreign] process.
type Standing struct {
	Name    string // in its znode, except for Curator's mutex
	Session uint64
	Znode   string // its path
}

// Stand has a candidate stand, and returns when its znode is there. leases are
// for the semaphore: how many may have it at once.
func (f *Foreign) Stand(t testing.TB, recipe, path, name string, leases ...int) Standing {
	t.Helper()
	order := fmt.Sprintf("stand %s %s %s", recipe, path, name)
	for _, n := range leases {
		order += fmt.Sprintf(" %d", n)
	}
	f.Say(t, order)
	session, znode, _ := strings.Cut(f.Line(t, "standing "+name+" "), " ")
	id, err := strconv.ParseUint(session, 0, 64)
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	return Standing{Name: name, Session: id, Znode: znode}
}

// Leads waits until the candidate has said that it leads.
func (f *Foreign) Leads(t testing.TB, name string) {
	t.Helper()
	f.Await(t, "leads "+name)
}

// Led reports whether the candidate has said that it leads.
func (f *Foreign) Led(name string) bool { return f.said("leads " + name) }

// Leave has a kazoo candidate give up what it has; its session stays open.
func (f *Foreign) Leave(t testing.TB, name string) {
	t.Helper()
	f.Say(t, "leave "+name)
}

// Close has a kazoo candidate close its session, without giving up anything before.
func (f *Foreign) Close(t testing.TB, name string) {
	t.Helper()
	f.Say(t, "close "+name)
}

// Resign has a candidate resign and waits until its session is closed.
func (f *Foreign) Resign(t testing.TB, name string) {
	t.Helper()
	f.Say(t, "resign "+name)
	f.Await(t, "resigned "+name)
}
