package zktest_test

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"electop/demo/zktest"
)

// silence is how long a test listens before it says that nothing came.
const silence = 50 * time.Millisecond

// echo is a server that answers with what it is sent, and keeps it.
type echo struct {
	net.Listener
	mu    sync.Mutex
	heard []byte
	conns int
}

func newEcho(t *testing.T) *echo {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &echo{Listener: l}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			e.mu.Lock()
			e.conns++
			e.mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				for b := make([]byte, 1<<10); ; {
					n, err := c.Read(b)
					if err != nil {
						return
					}
					e.mu.Lock()
					e.heard = append(e.heard, b[:n]...)
					e.mu.Unlock()
					c.Write(b[:n])
				}
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		wg.Wait()
	})
	return e
}

func (e *echo) seen() (heard string, conns int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return string(e.heard), e.conns
}

// A caller is a connection to an echo.
type caller struct {
	*testing.T
	net.Conn
}

func call(t *testing.T, l *zktest.Link) caller {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return caller{t, c}
}

func (c caller) say(text string) {
	c.Helper()
	if _, err := io.WriteString(c.Conn, text); err != nil {
		c.Fatal(err)
	}
}

func (c caller) hear(text string) {
	c.Helper()
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	b := make([]byte, len(text))
	if _, err := io.ReadFull(c.Conn, b); err != nil || string(b) != text {
		c.Fatalf("heard %q, %v; want %q", b, err, text)
	}
}

func (c caller) hearNothing() {
	c.Helper()
	c.SetReadDeadline(time.Now().Add(silence))
	b := make([]byte, 1)
	if n, err := c.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) {
		c.Fatalf("heard %q, %v; want silence", b[:n], err)
	}
}

// ended reads until the connection ends and returns how.
func (c caller) ended() error {
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, err := io.Copy(io.Discard, c.Conn)
	return err
}

// refused says whether a new connection is reset, at once or after the dial.
func refused(t *testing.T, l *zktest.Link) bool {
	c, err := net.Dial("tcp", l.Addr)
	if err != nil {
		return true
	}
	defer c.Close()
	return caller{t, c}.ended() != nil
}

func TestLinkHold(t *testing.T) {
	e := newEcho(t)
	l := zktest.NewLink(t, e.Addr().String())
	c := call(t, l)
	c.say("a")
	c.hear("a")

	l.Hold(zktest.ToServer)
	c.say("b")
	c.hearNothing()
	if heard, _ := e.seen(); heard != "a" {
		t.Errorf("the server heard %q", heard)
	}
	l.Heal()
	c.hear("b")

	l.Hold(zktest.FromServer)
	c.say("c")
	zktest.Await(t, "the server hears", func() bool { heard, _ := e.seen(); return heard == "abc" })
	c.hearNothing()
	l.Heal()
	c.hear("c")

	// No connection comes about, and the client that gave up was never there.
	l.Hold(zktest.FromServer)
	late, gone := call(t, l), call(t, l)
	late.say("d")
	gone.say("never")
	gone.Close()
	late.hearNothing()
	l.Heal()
	late.hear("d")
	if heard, conns := e.seen(); conns != 2 || heard != "abcd" {
		t.Errorf("the server heard %q over %d connections", heard, conns)
	}

	// The end of a connection is held too.
	l.Hold()
	c.Close()
	c = call(t, l)
	l.Heal()
	c.say("e")
	c.hear("e")
}

func TestLinkCut(t *testing.T) {
	e := newEcho(t)
	l := zktest.NewLink(t, e.Addr().String())
	c := call(t, l)
	c.say("a")
	c.hear("a")
	l.Cut()
	if err := c.ended(); err == nil {
		t.Error("a connection ended in order when the link was cut")
	}
	if !refused(t, l) {
		t.Error("a connection over a link that is cut ended in order")
	}
	l.Heal()
	c = call(t, l)
	c.say("b")
	c.hear("b")
	l.Hold()
	l.Reset()
	if err := c.ended(); err == nil {
		t.Error("a connection ended in order when it was reset")
	}
	if heard, conns := e.seen(); heard != "ab" || conns != 2 {
		t.Errorf("the server heard %q over %d connections", heard, conns)
	}
}

// Ends in order pass in order, in whichever direction, and after the bytes.
func TestLinkPassesTheEnd(t *testing.T) {
	l := zktest.NewLink(t, newEcho(t).Addr().String())
	c := call(t, l)
	c.say("a")
	c.hear("a")
	c.Conn.(*net.TCPConn).CloseWrite()
	if err := c.ended(); err != nil {
		t.Errorf("the end is %v", err)
	}
	closed := newEcho(t)
	closed.Close()
	if !refused(t, zktest.NewLink(t, closed.Addr().String())) {
		t.Error("a connection to where nobody listens ended in order")
	}
}
