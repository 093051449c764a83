package zkserver_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

const (
	thirdPartyPath    = "/election"
	thirdPartyTimeout = 3 * time.Second // a starting Java client may be silent for a while
)

// thirdPartyClients start candidates that resign when the standard input of their process ends.
var thirdPartyClients = map[string]func(t *testing.T, addr, name string) *zktest.Program{
	"kazoo": func(t *testing.T, addr, name string) *zktest.Program {
		p := zktest.Kazoo(t, addr, thirdPartyTimeout)
		p.Join(t, "election", thirdPartyPath, name)
		return p.Program
	},
	"curator-latch":    curator("latch"),
	"curator-selector": curator("selector"),
	"c": func(t *testing.T, addr, name string) *zktest.Program {
		p := zktest.Run(t, compiledC(t), addr, thirdPartyPath, name, strconv.FormatInt(thirdPartyTimeout.Milliseconds(), 10))
		p.Line(t, "joined")
		return p
	},
}

func curator(recipe string) func(*testing.T, string, string) *zktest.Program {
	return func(t *testing.T, addr, name string) *zktest.Program {
		p := zktest.Curator(t, addr, thirdPartyTimeout)
		p.Join(t, recipe, thirdPartyPath, name)
		return p.Program
	}
}

func TestThirdPartyElections(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the clients come from Debian packages")
	}
	for name, start := range thirdPartyClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, addr := zkserver.Start(t, zkserver.Options{})
			reader := dialLongSession(t, addr)
			reader.create(thirdPartyPath, 0)
			amber := start(t, addr, "amber")
			amber.Await(t, "leads amber")
			head := awaitQueue(t, reader, 1)[0]
			birch := start(t, addr, "birch")
			awaitQueue(t, reader, 2)
			zktest.Await(t, "birch watches "+head, func() bool { return strings.Contains(word(t, addr, "wchp"), head+"\n") })
			if output := birch.Output(); strings.Contains(output, "leads") {
				t.Errorf("birch leads although amber leads:\n%s", output)
			}
			amber.Kill()
			birch.Await(t, "leads birch")
			if exists(reader, head) {
				t.Errorf("birch leads while %s exists", head)
			}
			if n := s.Counters().Expired; n != 1 {
				t.Errorf("got %d expired sessions after the handoff, want only amber's", n)
			}
			if left := awaitQueue(t, reader, 1); left[0] == head {
				t.Errorf("the dead amber's znode is still in the queue %q", left)
			}
			birch.Finish(t)
			awaitQueue(t, reader, 0)
			if n := s.Counters().Expired; n != 1 {
				t.Errorf("got %d expired sessions after birch resigned, want only amber's", n)
			}
			checkCounters(t, s)
		})
	}
}

func dialLongSession(t *testing.T, addr string) *rawClient {
	t.Helper()
	return connectRaw(t, dialTCP(t, addr), wire.ConnectRequest{Timeout: 60_000})
}

func awaitQueue(t *testing.T, c *rawClient, n int) []string {
	t.Helper()
	var rsp wire.StringsResponse
	zktest.Await(t, strconv.Itoa(n)+" candidates in the queue", func() bool {
		c.must(wire.OpGetChildren, &wire.PathWatchRequest{Path: thirdPartyPath}, &rsp)
		return len(rsp.Strings) == n
	})
	for i, name := range rsp.Strings {
		rsp.Strings[i] = thirdPartyPath + "/" + name
	}
	return rsp.Strings
}

func checkCounters(t *testing.T, s *zkserver.Server) {
	t.Helper()
	if k := s.Counters(); k.Panics+k.CutOff+k.Rejected != 0 {
		t.Errorf("got %d panics, %d clients cut off, %d rejected; want none", k.Panics, k.CutOff, k.Rejected)
	}
}

func TestJavaClient(t *testing.T) {
	t.Parallel()
	apache := zktest.Apache(t).Addr
	const commands = `create /java data
create -s -e /java/n_
create -c /java/box
create -t 60000 /java/ttl
ls -s /java
get -s -w /java
set /java more
stat -w /java
addWatch -m PERSISTENT_RECURSIVE /java
create /java/x
removewatches /java
set /java quiet
getAllChildrenNumber /java
getEphemerals
addauth digest ann:secret
whoami
create /java/mine x auth::crdwa
getAcl /java/mine
setAcl /java/mine world:anyone:rcdwa
create /java/none/x
set -v 9 /java late
delete /java
sync /java
deleteall /java
ls /java
ls /zookeeper
quit
`
	run := func(addr string) string {
		ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, "java", append(zktest.JavaOptions(), "-cp",
			zktest.ClassPath("zookeeper", "zookeeper-jute", "slf4j-nop", "commons-cli"),
			"org.apache.zookeeper.ZooKeeperMain", "-server", addr)...)
		cmd.Stdin = strings.NewReader(commands)
		cmd.Env = append(os.Environ(), "TZ=UTC")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("client of %s: %v\n%s", addr, err, out)
		}
		text := strings.ReplaceAll(string(out), addr, "ADDR")
		for _, r := range []struct{ re, with string }{
			{`(.Zxid = )0x[0-9a-f]+`, "${1}ZXID"},
			{`(.time = ).*`, "${1}TIME"},
			{`(ephemeralOwner = )0x[1-9a-f][0-9a-f]*`, "${1}SESSION"},
			{`(?m)^.*(WATCHER::|WatchedEvent).*\n|^\n`, ""},                          // printed by another thread
			{`(?m)^(digest: ann\nip: 127.0.0.1|ip: 127.0.0.1\ndigest: ann)$`, "ANN"}, // the order varies
		} {
			text = regexp.MustCompile(r.re).ReplaceAllString(text, r.with)
		}
		return text
	}
	s, addr := zkserver.Start(t, zkserver.Options{})
	ours, theirs := run(addr), run(apache)
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("the output of the Java client differs (-apache +embedded):\n%s", diff)
	}
	if !strings.Contains(ours, "Created /java/n_0000000000") {
		t.Errorf("the client did not execute its commands:\n%s", ours)
	}
	if n := s.Counters().Notifications; n != 2 {
		t.Errorf("got %d notifications, want 2: for set /java more and for create /java/x", n)
	}
}

func compiledC(t *testing.T) (program string) {
	t.Helper()
	zktest.Require(t, "gcc libc6-dev", "cc")
	zktest.Require(t, "libzookeeper-mt-dev", "/usr/include/zookeeper/zookeeper.h")
	program = filepath.Join(t.TempDir(), "candidate")
	if out, err := exec.Command("cc", "-Wall", "-DTHREADED", "-o", program, "testdata/candidate.c", "-lzookeeper_mt", "-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return program
}
