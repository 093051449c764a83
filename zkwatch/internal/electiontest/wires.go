package electiontest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/fault"
	"electop/zkwatch/wire"
)

// Wires are the connections of one candidate in virtual time: they can be cut
// and muted, and the line below can go down.
type Wires struct {
	Server *zkserver.Server
	Line   fault.Line
	mu     sync.Mutex
	down   bool
	mute   chan struct{} // non-nil: nothing arrives until it is closed
	keep   bool          // transactions are kept back, and what is kept goes when it ends
	kept   []func()
	conns  []net.Conn
}

func (w *Wires) Dial(context.Context, string, string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return nil, errors.New("the wire is cut")
	}
	c, err := w.Server.Dial()
	if err != nil {
		return nil, err
	}
	w.conns = append(w.conns, c)
	return &mutable{Conn: c, wires: w, closed: make(chan struct{})}, nil
}

// Cut drops the connections and allows no new ones until mend.
func (w *Wires) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for _, c := range w.conns {
		c.Close()
	}
	w.conns = nil
}

func (w *Wires) Mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}

// Withhold keeps transactions back, and lets go of them when it ends: a server
// without a quorum does so, and answers pings and reads.
func (w *Wires) Withhold(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keep = on
	if !on {
		for _, write := range w.kept {
			write()
		}
		w.kept = nil
	}
}

func (w *Wires) Silence() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mute = make(chan struct{})
}

func (w *Wires) Speak() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mute != nil {
		close(w.mute)
		w.mute = nil
	}
}

// mutable is a connection whose replies can be held back.
type mutable struct {
	net.Conn
	wires  *Wires
	once   sync.Once
	closed chan struct{}
}

func (m *mutable) Close() error {
	m.once.Do(func() { close(m.closed) })
	return m.Conn.Close()
}

func (m *mutable) Write(b []byte) (int, error) {
	m.wires.mu.Lock()
	if m.wires.keep && len(b) >= 12 && wire.Op(binary.BigEndian.Uint32(b[8:])) == wire.OpMulti {
		b = bytes.Clone(b)
		m.wires.kept = append(m.wires.kept, func() { m.Conn.Write(b) })
		m.wires.mu.Unlock()
		return len(b), nil
	}
	m.wires.mu.Unlock()
	return m.Conn.Write(b)
}

func (m *mutable) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	m.wires.mu.Lock()
	mute := m.wires.mute
	m.wires.mu.Unlock()
	if mute != nil {
		select {
		case <-mute:
		case <-m.closed:
			return 0, net.ErrClosed
		}
	}
	return n, err
}

const LeaseTimeout = 6 * time.Second

// Virtual runs an election of n candidates in virtual time. It calls f when all
// have done what they do before they wait for the election to change.
func Virtual(t *testing.T, n int, f func(t *testing.T, server *zkserver.Server, s []*Stander, w []*Wires)) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		t.Cleanup(func() { server.Close() })
		var standers []*Stander
		var ws []*Wires
		for i := range n {
			w := &Wires{Server: server}
			servers, err := client.ParseConnectString("127.0.0.1:1")
			if err != nil {
				t.Fatal(err)
			}
			s := Stand(t, candidate.Config{
				Conn: client.Config{Servers: servers, SessionTimeout: LeaseTimeout, Dial: w.Dial, Line: &w.Line, BufferSize: 16 << 10, MaxReply: 64 << 10},
				Path: "/election", Create: true, Ack: "/election-leader",
			})
			t.Cleanup(w.Speak)
			if i == 0 {
				s.Believes(t, model.Leading)
			} else {
				s.Believes(t, model.Waiting)
			}
			standers, ws = append(standers, s), append(ws, w)
		}
		synctest.Wait() // a leader believes before it has set its last watch
		f(t, server, standers, ws)
	})
}
