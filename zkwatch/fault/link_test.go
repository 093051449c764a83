package fault_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"electop/demo/zktest"
	"electop/zkwatch/fault"
)

func echo(t *testing.T, received chan string) (addr string) {
	t.Helper()
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
			go func() {
				defer c.Close()
				for b := make([]byte, 9); ; {
					n, err := c.Read(b)
					if err != nil {
						return
					}
					received <- string(b[:n])
					c.Write(b[:n])
				}
			}()
		}
	}()
	return l.Addr().String()
}

func TestLinkHoldLosesNothingAndCutResets(t *testing.T) {
	received := make(chan string, 9)
	l := zktest.NewLink(t, echo(t, received))
	var c net.Conn
	dial := func() {
		t.Helper()
		conn, err := net.Dial("tcp", l.Addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		c = conn
	}
	read := func(d time.Duration) (string, error) {
		c.SetReadDeadline(time.Now().Add(d))
		b := make([]byte, 1)
		n, err := c.Read(b)
		return string(b[:n]), err
	}
	passes := func(text string) {
		t.Helper()
		if got, err := read(10 * time.Second); got != text || <-received != text {
			t.Fatalf("got reply %q, %v; want %q received and echoed", got, err, text)
		}
	}
	held := func(reached int) {
		t.Helper()
		if got, err := read(50 * time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("got reply %q, %v over a held link; want none", got, err)
		}
		zktest.Await(t, "the server received the expected number of messages", func() bool { return len(received) == reached })
	}
	for i, d := range [][]fault.Direction{{fault.ToServer}, {fault.FromServer}, nil} {
		dial()
		io.WriteString(c, "a")
		passes("a")
		l.Hold(d...)
		io.WriteString(c, "b")
		held([]int{0, 1, 0}[i])
		l.Heal()
		passes("b")

		l.Hold(d...)
		gone := c
		dial()
		io.WriteString(c, "c")
		held(0)
		gone.Close()
		l.Heal()
		passes("c")
	}
	l.Cut()
	reset := func() {
		t.Helper()
		if got, err := read(10 * time.Second); err == nil || err == io.EOF || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("read over a cut link: got %q, %v; want a reset", got, err)
		}
	}
	reset()
	if conn, err := net.Dial("tcp", l.Addr); err == nil { // the reset may make Dial fail
		defer conn.Close()
		c = conn
		reset()
	}
	l.Heal()
	dial()
	io.WriteString(c, "d")
	passes("d")
}
