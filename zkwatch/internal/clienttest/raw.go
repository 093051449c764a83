package clienttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/client"
)

// ElectionPath is a path that no other test uses.
func ElectionPath(t *testing.T) string {
	return fmt.Sprintf("/t%x", time.Now().UnixNano())
}

// Config is how a candidate connects to a server.
func Config(t *testing.T, addr string) client.Config {
	t.Helper()
	servers, err := client.ParseConnectString(addr)
	if err != nil {
		t.Fatal(err)
	}
	return client.Config{Servers: servers, SessionTimeout: 2 * time.Second, BufferSize: 16 << 10, MaxReply: 256 << 10}
}

// Creator returns a function that creates a znode or ends the test.
func Creator(t *testing.T, c *zk.Conn) func(path string, flags int32) string {
	return func(path string, flags int32) string {
		t.Helper()
		p, err := c.Create(path, []byte("d"), flags, Open)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// Open is the ACL that permits everything.
var Open = zk.WorldACL(zk.PermAll)

// Contender are the flags of a znode in an election.
const Contender = zk.FlagEphemeral | zk.FlagSequence
