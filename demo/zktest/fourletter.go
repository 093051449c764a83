package zktest

import (
	"io"
	"net"
	"strings"
	"time"
)

// askTimeout is for a four-letter word on loopback, where it is sent again if that fails.
const askTimeout = 2 * time.Second

// modeOf is "standalone", "leader", "follower" or, when the server at addr does not
// serve, "".
func modeOf(addr string) string {
	reply, err := ask(addr, "srvr", askTimeout)
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
func ask(addr, command string, timeout time.Duration) (string, error) {
	c, err := net.DialTimeout("tcp", addr, timeout)
	if err != nil {
		return "", err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(timeout))
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
