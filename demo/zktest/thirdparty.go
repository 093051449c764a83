package zktest

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

//go:embed clients/candidate.py
var candidatePy string

//go:embed clients/Candidate.java
var candidateJava []byte

// ThirdParty is a process with candidates of a third-party library.
type ThirdParty struct{ *Program }

// Kazoo starts clients/candidate.py, a process for candidates with kazoo's recipes.
func Kazoo(t testing.TB, servers string, timeout time.Duration) *ThirdParty {
	t.Helper()
	Require(t, "python3-kazoo", "/usr/bin/python3", "/usr/lib/python3/dist-packages/kazoo/client.py")
	return thirdParty(t, servers, timeout, "/usr/bin/python3", "-c", candidatePy)
}

// Curator starts clients/Candidate.java, a process for candidates with Curator's recipes.
func Curator(t testing.TB, servers string, timeout time.Duration) *ThirdParty {
	t.Helper()
	Require(t, "default-jdk-headless", "javac", "java")
	Require(t, "libcurator-recipes-java", "/usr/share/java/curator-recipes.jar")
	Require(t, "zookeeper", "/usr/share/java/zookeeper.jar", "/usr/share/java/slf4j-nop.jar")
	dir, err := compiledCurator()
	if err != nil {
		t.Fatalf("compile Curator's client: %v", err)
	}
	command := append(JavaOptions(), "-cp", dir+":"+curatorPath, "Candidate")
	return thirdParty(t, servers, timeout, "java", command...)
}

// curatorPath has slf4j-nop, because SLF4J would otherwise warn about a missing binding.
var curatorPath = ClassPath("curator-recipes", "curator-framework", "curator-client", "guava", "zookeeper", "zookeeper-jute", "slf4j-nop", "slf4j-api")

// JavaOptions returns options for a fast start of a small Java program.
func JavaOptions() []string {
	return []string{"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"}
}

// ClassPath returns the class path of Debian's jars.
func ClassPath(jars ...string) string {
	var paths []string
	for _, jar := range jars {
		paths = append(paths, "/usr/share/java/"+jar+".jar")
	}
	return strings.Join(paths, ":")
}

var compiledCurator = sync.OnceValues(func() (dir string, err error) {
	if err := os.WriteFile(filepath.Join(scratch(), "Candidate.java"), candidateJava, 0o600); err != nil {
		return "", err
	}
	javac := exec.Command("javac", "-J-XX:TieredStopAtLevel=1", "-proc:none", "-cp", curatorPath, "-d", ".", "Candidate.java")
	javac.Dir = scratch()
	out, err := javac.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return scratch(), err
})

func thirdParty(t testing.TB, servers string, timeout time.Duration, command string, args ...string) *ThirdParty {
	t.Helper()
	args = append(args, servers, strconv.FormatInt(timeout.Milliseconds(), 10))
	return &ThirdParty{Run(t, command, args...)}
}

// Candidate is a candidate in a [ThirdParty] process.
type Candidate struct {
	Name    string
	Session uint64
	Znode   string // path of its znode; meaningless for the recipe "wait", which has no znode
}

// Join adds a candidate, and returns when its znode exists. A candidate of the recipe "wait" has none. leases is a
// semaphore's number of leases, or a double barrier's number of participants; the default is 1.
func (f *ThirdParty) Join(t testing.TB, recipe, path, name string, leases ...int) Candidate {
	t.Helper()
	command := fmt.Sprintf("join %s %s %s", recipe, path, name)
	for _, n := range leases {
		command += fmt.Sprintf(" %d", n)
	}
	f.WriteLine(t, command)
	session, znode, _ := strings.Cut(f.Line(t, "joined "+name+" "), " ")
	id, err := strconv.ParseUint(session, 0, 64)
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	return Candidate{Name: name, Session: id, Znode: znode}
}

// AwaitLeading waits until the candidate has reported that it leads.
func (f *ThirdParty) AwaitLeading(t testing.TB, name string) {
	t.Helper()
	f.Await(t, "leads "+name)
}

// Led returns whether the candidate has reported that it leads.
func (f *ThirdParty) Led(name string) bool {
	return strings.Contains("\n"+f.Output()+"\n", "\nleads "+name+"\n")
}

// Leave makes a leading kazoo candidate resign, or a participant leave a double barrier. The session continues.
// Leave does not wait.
func (f *ThirdParty) Leave(t testing.TB, name string) {
	t.Helper()
	f.WriteLine(t, "leave "+name)
}

// Close makes a kazoo candidate close its session without resigning. Close does not wait.
func (f *ThirdParty) Close(t testing.TB, name string) {
	t.Helper()
	f.WriteLine(t, "close "+name)
}

// Resign makes a candidate resign and waits until it has resigned.
func (f *ThirdParty) Resign(t testing.TB, name string) {
	t.Helper()
	f.WriteLine(t, "resign "+name)
	f.Await(t, "resigned "+name)
}
