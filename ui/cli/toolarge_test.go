package cli_test

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

// TestListBeyondTheReplyLimit: status reads it with more room, discover says
// that it skipped it, and why.
func TestListBeyondTheReplyLimit(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := zktest.Client(t, addr)
	create(t, c, "/large", "", 0)
	create(t, c, "/small", "", 0)
	create(t, c, "/small/n_", "", contender)
	const children, long = 40, 450_000 // 18 MB in all
	for range children {
		create(t, c, "/large/"+strings.Repeat("x", long)+"-n_", "", contender)
	}

	out, errs := once(t, 0, "status", "/large", "-s", addr, "--admin", "off", "--json", "--connect-timeout", "2m")
	if a := decode[statusJSON](t, out); len(a.Candidates) != children || errs != "" {
		t.Errorf("%d candidates, want %d; %s", len(a.Candidates), children, errs)
	}
	out, _ = once(t, 0, "discover", "-s", addr, "--connect-timeout", "2m", "--rate", "10000", "--json")
	if a := decode[discoverJSON](t, out); len(a.Elections) != 1 || !strings.Contains(out, `"skipped":[{"path":"/large","znodes":1,"why":"its list of children does not fit in a reply of 16777216 bytes`) {
		t.Errorf("discover: %s", out)
	}
	out, _ = once(t, 0, "discover", "-s", addr, "--connect-timeout", "2m", "--rate", "10000")
	if !strings.Contains(out, "; 1 skipped.") || !strings.Contains(out, "  /large, 1 znode: its list of children does not fit") {
		t.Errorf("discover: %s", out)
	}
}

// TestReplyBeyondAllLimits: where no room is enough, that is what is said.
func TestReplyBeyondAllLimits(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	defer running.Wait()
	defer l.Close()
	running.Go(func() { // gives sessions, and answers with 1.3 GB to all but sync
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				first := true
				for {
					var prefix [4]byte
					if _, err := io.ReadFull(c, prefix[:]); err != nil {
						return
					}
					body := make([]byte, binary.BigEndian.Uint32(prefix[:]))
					if _, err := io.ReadFull(c, body); err != nil {
						return
					}
					reply := []byte{0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0x27, 0x10, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 16}
					switch {
					case first:
						reply = append(reply, make([]byte, 16)...)
					case binary.BigEndian.Uint32(body[4:]) == 9: // sync
						reply = append([]byte{0, 0, 0, 22}, body[:4]...)
						reply = append(reply, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, '/', 'e')
					case binary.BigEndian.Uint32(body[4:]) == 3: // exists: no
						reply = append([]byte{0, 0, 0, 16}, body[:4]...)
						reply = append(reply, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0x9b)
					default:
						reply = []byte{0x50, 0, 0, 0}
					}
					first = false
					if _, err := c.Write(reply); err != nil {
						return
					}
				}
			})
		}
	})
	_, errs := once(t, 1, "status", "/e", "-s", l.Addr().String(), "--admin", "off", "--connect-timeout", "20s")
	if !strings.Contains(errs, "getChildren /e") || !strings.Contains(errs, "reply too large: 1342177280 bytes, the limit is 1073741824") {
		t.Errorf("status: %s", errs)
	}
}
