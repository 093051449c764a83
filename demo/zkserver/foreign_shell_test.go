package zkserver_test

import (
	"strconv"
	"strings"
	"testing"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

// shellElection holds an election by hand with two of ZooKeeper's own
// shells: each makes its candidate, the second watches the first, and the
// process of the first is killed. (zkCli.sh only finds the jars for the class
// that is run here; killing the script would leave the shell alive.)
func shellElection(t *testing.T) {
	t.Parallel()
	zktest.Require(t, "zookeeper default-jre-headless", "java", "/usr/share/java/zookeeper.jar", "/usr/share/java/commons-cli.jar")
	s, addr := zkserver.Start(t, zkserver.Options{})
	look := observer(t, addr)
	shell := func() *zktest.Program {
		args := append(zktest.JavaOptions(), "-cp", zktest.ClassPath("zookeeper", "zookeeper-jute", "slf4j-nop", "commons-cli"),
			"org.apache.zookeeper.ZooKeeperMain", "-server", addr, "-timeout", strconv.FormatInt(foreignTimeout.Milliseconds(), 10))
		return zktest.Run(t, "java", args...)
	}
	amber, birch := shell(), shell()
	// Each order says what to type and what the answer has to contain.
	order := func(p *zktest.Program, typed, answer string) string {
		t.Helper()
		p.Say(t, typed)
		return p.Line(t, answer)
	}
	order(amber, "create /election", "Created /election")
	head := "/election/n_" + order(amber, "create -e -s /election/n_ amber", "Created /election/n_")
	own := "/election/n_" + order(birch, "create -e -s /election/n_ birch", "Created /election/n_")
	order(birch, "ls /election", "[n_0000000000, n_0000000001]")
	order(birch, "get "+head, "amber")
	order(birch, "stat -w "+head, "dataLength = 5")
	birch.Say(t, "set "+own+" second")
	birch.Say(t, "config")
	order(birch, "get "+own, "second")
	order(birch, "delete -v 7 "+own, "version No is not valid")
	order(birch, "delete /election/none", "Node does not exist")
	if said := birch.Output(); strings.Contains(said, "NodeDeleted") {
		t.Fatalf("an event too early:\n%s", said)
	}
	amber.Kill()
	birch.Line(t, "type:NodeDeleted path:"+head)
	if n := s.Counters().Expired; n != 1 {
		t.Errorf("%d sessions expired, want amber's", n)
	}
	order(birch, "ls /election", "[n_0000000001]")
	birch.Say(t, "delete "+own)
	order(birch, "stat "+own, "Node does not exist")
	order(birch, "ls /election", "[]") // it exits with the status of its last order
	birch.Say(t, "quit")
	birch.Finish(t)
	queue(t, look, 0)
	inOrder(t, s)
}
