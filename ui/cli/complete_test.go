package cli_test

import (
	"net"
	"strings"
	"testing"
)

// TestCompletionDoesNotWait: a server that accepts a connection and says nothing leaves
// the user with no completion, and not with a shell that waits for --connect-timeout.
func TestCompletionDoesNotWait(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
		}
	}()
	out, errs := once(t, 0, "__complete", "status", "--connect-timeout", "1h", "-s", l.Addr().String(), "/")
	if out != ":4\n" || strings.Count(errs, "\n") != 1 {
		t.Errorf("%q, %q", out, errs)
	}
}
