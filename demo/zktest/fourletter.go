package zktest

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// Ask sends a four-letter word and returns the reply.
func (s *Server) Ask(t testing.TB, word string) string {
	t.Helper()
	reply, err := ask(s.Addr, word)
	if err != nil {
		t.Fatalf("ask Apache ZooKeeper %s %s: %v", s.Addr, word, err)
	}
	return reply
}

// mode is "standalone", "leader", "follower" or, when it does not serve, "".
func (s *Server) mode() string {
	reply, err := ask(s.Addr, "srvr")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(reply) {
		if m, ok := strings.CutPrefix(line, "Mode: "); ok {
			return strings.TrimSpace(m)
		}
	}
	return ""
}

// ask sends a four-letter command and returns the reply.
func ask(addr, command string) (string, error) {
	c, err := net.DialTimeout("tcp", addr, askTimeout)
	if err != nil {
		return "", err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(askTimeout))
	if _, err := io.WriteString(c, command); err != nil {
		return "", err
	}
	reply, err := io.ReadAll(io.LimitReader(c, 1<<20))
	return string(reply), err
}
func listens(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, askTimeout)
	if err != nil {
		return false
	}
	c.Close()
	return true
}
