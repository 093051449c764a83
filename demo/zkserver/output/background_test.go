package output_test

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"electop/demo/zkserver/output"
	"electop/zkwatch/wire"
)

// A peer that does not read, or has room for a part only, delays nobody else, and gets
// everything in order once it reads.
func TestBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b output.Background
		ready := func() chan struct{} { c := make(chan struct{}); close(c); return c }
		full, cramped, open := &peer{reads: make(chan struct{})}, &peer{reads: ready(), room: 5}, &peer{reads: ready(), room: 1 << 20}
		peers := []*peer{full, cramped, open}
		queues := make([]output.Queue, len(peers))
		for i, p := range peers {
			queues[i].Init(p, &b)
		}
		for xid := range int32(10) {
			for i := range queues {
				queues[i].Send(wire.ReplyHeader{Xid: xid}, nil)
			}
			synctest.Wait()
			if got := open.got.Len(); got != len(frames(0))*int(xid+1) {
				t.Fatalf("%d bytes have arrived after message %d", got, xid)
			}
		}
		if full.got.Len() > 0 {
			t.Error("something has arrived at a peer that does not read")
		}
		close(full.reads)
		for i, p := range peers {
			queues[i].Drain()
			p.wg.Wait()
			if want := frames(0, 1, 2, 3, 4, 5, 6, 7, 8, 9); !bytes.Equal(p.got.Bytes(), want) {
				t.Errorf("peer %d: %x arrived, want %x", i, p.got.Bytes(), want)
			}
		}
		if cramped.writes < 20 {
			t.Errorf("%d writes to a peer that has room for a part of each message", cramped.writes)
		}
	})
}

// The time for each of many events is the kernel's, so another processor helps.
func TestBackgroundCrowd(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	synctest.Test(t, func(t *testing.T) {
		var b output.Background
		m := meeting{begun: make(chan struct{})}
		queues := make([]output.Queue, 1000)
		for i := range queues {
			queues[i].Init(&m, &b)
		}
		for i := range queues {
			queues[i].Send(wire.ReplyHeader{}, nil)
		}
		synctest.Wait() // one writer alone would be stuck now
		if n := m.writes.Load(); n != 1000 {
			t.Errorf("%d writes", n)
		}
	})
}

// A meeting is a peer whose first write ends when the second one has begun.
type meeting struct {
	peer
	begun  chan struct{}
	writes atomic.Int32
}

func (m *meeting) TryWrite(b []byte) (int, error) {
	if m.writes.Add(1) == 2 {
		close(m.begun)
	}
	<-m.begun
	return len(b), nil
}
