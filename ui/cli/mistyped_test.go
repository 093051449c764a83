package cli_test

import (
	"net"
	"strings"
	"testing"
)

// TestMistypedFlagGetsASuggestion, if a flag of the command is similar.
func TestMistypedFlagGetsASuggestion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"status", "--jsn"}, "electop: unknown flag: --jsn: did you mean --json? (see electop status --help)\n"},
		{[]string{"--record-mx", "3"}, "electop: unknown flag: --record-mx: did you mean --record-max? (see electop --help)\n"},
		{[]string{"discover", "--nothing"}, "electop: unknown flag: --nothing (see electop discover --help)\n"},
		{[]string{"doctor", "--follo"}, "electop: unknown flag: --follo (see electop doctor --help)\n"}, // what was removed is not meant
	} {
		if _, errs := once(t, 2, c.args...); errs != c.want {
			t.Errorf("%q: %q, want %q", c.args, errs, c.want)
		}
	}
}

// TestRefusedConnectionIsSaidAtOnce: while the servers are still tried.
func TestRefusedConnectionIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close() // nobody listens there now
	for _, args := range [][]string{{"status", "/x"}, {"doctor", "/x"}, {"discover"}, {"events", "/x"}} {
		c := run(t, append(args, "-s", addr, "--connect-timeout", "1h")...)
		c.errs.await(t, "why there is no connection", func(s string) bool {
			return strings.Contains(s, addr) && strings.Contains(s, "connection refused; trying until 1h0m0s have passed")
		})
		c.cancel()
		if code := c.finish(t); code != 130 {
			t.Errorf("%q: exit code %d: %s", args, code, c.errs.all())
		}
	}
}
