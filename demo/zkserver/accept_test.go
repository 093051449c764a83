package zkserver_test

import (
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

// scriptedListener answers each Accept with the next of its results, and blocks
// after the last until it is closed.
type scriptedListener struct {
	results []any // error or net.Conn
	times   []time.Time
	closed  chan struct{}
	once    sync.Once
}

func newScripted(results ...any) *scriptedListener {
	return &scriptedListener{results: results, closed: make(chan struct{})}
}

func (l *scriptedListener) Accept() (net.Conn, error) {
	l.times = append(l.times, time.Now())
	if len(l.results) == 0 {
		<-l.closed
		return nil, net.ErrClosed
	}
	next := l.results[0]
	l.results = l.results[1:]
	if err, ok := next.(error); ok {
		return nil, err
	}
	return next.(net.Conn), nil
}

func (l *scriptedListener) Close() error { l.once.Do(func() { close(l.closed) }); return nil }
func (l *scriptedListener) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2181}
}

var errFull = &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", syscall.EMFILE)}

// An error of Accept that passes does not end the listener: it is tried again
// after pauses that double, and what is wrong is said once, as is its end.
func TestAcceptGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, theirs := net.Pipe()
		again, others := net.Pipe()
		results := slices.Repeat([]any{errFull}, 10)
		l := newScripted(slices.Concat(results, []any{theirs, errFull, errors.Join(syscall.ENFILE), others})...)
		var said []string
		s := zkserver.New(zkserver.Options{Trouble: func(s string) { said = append(said, s) }})
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		for _, c := range []net.Conn{client, again} {
			if _, err := c.Write([]byte("ruok")); err != nil {
				t.Fatal(err)
			}
			if reply, err := io.ReadAll(c); string(reply) != "imok" {
				t.Errorf("ruok: %q, %v", reply, err)
			}
		}
		synctest.Wait()
		s.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		var pauses []time.Duration
		for i := range l.times[1:] {
			pauses = append(pauses, l.times[i+1].Sub(l.times[i]))
		}
		const ms = time.Millisecond
		want := []time.Duration{5 * ms, 10 * ms, 20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms, 640 * ms, time.Second, time.Second, 0, 5 * ms, 10 * ms, 0}
		if !slices.Equal(pauses, want) {
			t.Errorf("pauses %v, want %v", pauses, want)
		}
		if len(said) != 4 || !strings.Contains(said[0], "cannot accept connections to 127.0.0.1:2181: accept tcp: accept4: too many open files") ||
			!strings.Contains(said[1], "again, after 3.275s") {
			t.Errorf("it said %q", said)
		}
	})
}

// fewDescriptors is a listener to which peers have connected, silent ones first, and whose
// process has few descriptors.
type fewDescriptors struct {
	*scriptedListener
	left atomic.Int32
}

func (l *fewDescriptors) Accept() (net.Conn, error) {
	if l.left.Load() == 0 && len(l.results) > 0 {
		return nil, errFull
	}
	nc, err := l.scriptedListener.Accept()
	if err != nil {
		return nil, err
	}
	l.left.Add(-1)
	return &descriptor{Conn: nc, l: l}, nil
}

type descriptor struct {
	net.Conn
	l    *fewDescriptors
	once sync.Once
}

func (d *descriptor) Close() error {
	d.once.Do(func() { d.l.left.Add(1) })
	return d.Conn.Close()
}

// Silent connections that hold the last descriptors make room for clients. A session
// keeps its own, however silent.
func TestSilentMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session, first := net.Pipe()
		l := &fewDescriptors{scriptedListener: newScripted(first)}
		for range 1000 {
			silent, theirs := net.Pipe()
			defer silent.Close()
			l.results = append(l.results, theirs)
		}
		client, last := net.Pipe()
		l.results = append(l.results, last)
		l.left.Store(200)
		s := zkserver.New(zkserver.Options{})
		defer s.Close()
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		begin := time.Now()
		old := connectRaw(t, session, wire.ConnectRequest{Timeout: 60_000})
		connectRaw(t, client, wire.ConnectRequest{})
		if waited := time.Since(begin); waited >= 5*time.Second { // virtual
			t.Errorf("a new client waited for %v", waited)
		}
		old.must(wire.OpPing, nil, nil)
		s.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// One that does not pass ends the listener with it, and Close does not wait for
// a pause to end.
func TestAcceptEnds(t *testing.T) {
	gone := errors.New("the network is gone")
	synctest.Test(t, func(t *testing.T) {
		s := zkserver.New(zkserver.Options{})
		defer s.Close()
		l := newScripted(errFull, gone)
		if err := s.Serve(l); !errors.Is(err, gone) {
			t.Errorf("Serve: %v", err)
		}
		if _, open := <-l.closed; open {
			t.Error("the listener is not closed")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := zkserver.New(zkserver.Options{})
		served := make(chan error, 1)
		go func() { served <- s.Serve(newScripted(slices.Repeat([]any{errFull}, 100)...)) }()
		time.Sleep(10*time.Second + 500*time.Millisecond) // virtual; within a pause of one second
		began := time.Now()
		s.Close()
		if err := <-served; err != nil || time.Since(began) > 0 {
			t.Errorf("Serve: %v, %v after Close", err, time.Since(began))
		}
	})
}
