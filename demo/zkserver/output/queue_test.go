package output_test

import (
	"bytes"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"electop/demo/zkserver/output"
	"electop/zkwatch/wire"
)

// A peer takes what is written when it reads.
type peer struct {
	wg    sync.WaitGroup
	reads chan struct{} // one for each write; closed: always

	mu     sync.Mutex
	got    bytes.Buffer
	writes int
	cut    int
	sent   int64
	err    error
}

func (p *peer) Write(b []byte) (int, error) {
	<-p.reads
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return 0, p.err
	}
	p.writes++
	return p.got.Write(b)
}

func (p *peer) Go(f func())  { p.wg.Go(f) }
func (p *peer) CutOff()      { p.cut++ }
func (p *peer) Sent(n int64) { p.sent += n }

func frames(xids ...int32) (b []byte) {
	for _, xid := range xids {
		b = output.AppendReply(b, wire.ReplyHeader{Xid: xid}, nil)
	}
	return b
}

func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{reads: make(chan struct{})}
		var q output.Queue
		q.Init(p)
		q.Cork()
		for xid := range int32(3) {
			if n := q.Send(wire.ReplyHeader{Xid: xid}, nil); n != len(frames(0)) {
				t.Errorf("appended %d bytes", n)
			}
		}
		synctest.Wait()
		if q.Pending() != len(frames(0, 1, 2)) {
			t.Errorf("%d bytes wait behind the cork", q.Pending())
		}
		close(p.reads)
		q.Flush()
		if p.writes != 1 {
			t.Errorf("%d writes for what was corked", p.writes)
		}
		q.Send(wire.ReplyHeader{Xid: 3}, nil) // nobody is about to flush
		q.SendFrame(frames(4))
		q.SendRaw([]byte("raw"))
		p.wg.Wait()
		q.Drain()
		if want := append(frames(0, 1, 2, 3, 4), "raw"...); !bytes.Equal(p.got.Bytes(), want) || p.sent != int64(len(frames(0, 1, 2, 3, 4))) {
			t.Errorf("written %q, want %q; %d bytes of messages", p.got.Bytes(), want, p.sent)
		}
	})
}

// Nobody waits for a peer that does not read, and it is cut off once.
func TestNotReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{reads: make(chan struct{})}
		var q output.Queue
		q.Init(p)
		big := make([]byte, output.MaxQueued/4)
		n := 0
		for ; p.cut == 0 && n < 20; n++ {
			q.SendFrame(big)
			synctest.Wait()
		}
		if n < 5 || n > 7 {
			t.Errorf("cut off after %d messages of a quarter of the bound", n)
		}
		if got := q.SendFrame(big); got != 0 || q.Pending() != 0 || p.cut != 1 {
			t.Errorf("afterwards %d bytes appended, %d waiting; cut off %d times", got, q.Pending(), p.cut)
		}
		q.GiveUp()
		close(p.reads)
		q.Drain()
		p.wg.Wait()
		if p.cut != 1 {
			t.Errorf("cut off %d times", p.cut)
		}
	})
}

func TestFailedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{reads: make(chan struct{}), err: errors.New("gone")}
		close(p.reads)
		var q output.Queue
		q.Init(p)
		q.Send(wire.ReplyHeader{}, nil)
		p.wg.Wait()
		if n := q.Send(wire.ReplyHeader{}, nil); n != 0 || q.Pending() != 0 || p.cut != 0 {
			t.Errorf("after a failed write %d bytes appended, %d waiting; cut off %d times", n, q.Pending(), p.cut)
		}
		q.Flush()
		q.Drain()
	})
}
