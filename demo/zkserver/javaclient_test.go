package zkserver_test

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

// TestJavaClient gives Apache's own command line client the same orders with
// both servers and compares what it prints.
func TestJavaClient(t *testing.T) {
	t.Parallel()
	const jars = "/usr/share/java/"
	apache := zktest.Apache(t).Addr // or skips
	const orders = `create /java data
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
		cmd := exec.CommandContext(ctx, "java", "-XX:TieredStopAtLevel=1", "-cp",
			jars+"zookeeper.jar:"+jars+"zookeeper-jute.jar:"+jars+"slf4j-nop.jar:"+jars+"commons-cli.jar",
			"org.apache.zookeeper.ZooKeeperMain", "-server", addr)
		cmd.Stdin = strings.NewReader(orders)
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
			{`(?m)^.*(WATCHER::|WatchedEvent).*\n|^\n`, ""},                          // printed by another thread, anywhere
			{`(?m)^(digest: ann\nip: 127.0.0.1|ip: 127.0.0.1\ndigest: ann)$`, "ANN"}, // in any order
		} {
			text = regexp.MustCompile(r.re).ReplaceAllString(text, r.with)
		}
		return text
	}
	s, addr := zkserver.Start(t, zkserver.Options{})
	ours, theirs := run(addr), run(apache)
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("the Java client sees a difference (-apache +embedded):\n%s", diff)
	}
	if !strings.Contains(ours, "Created /java/n_0000000000") {
		t.Errorf("the client did not carry out its orders:\n%s", ours)
	}
	// The same events, even though it cannot be said when they are printed.
	if n := s.Counters().Notifications; n != 2 {
		t.Errorf("%d events, want the change of data and the creation", n)
	}
}
