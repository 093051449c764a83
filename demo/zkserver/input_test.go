package zkserver

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"testing"

	"electop/zkwatch/wire"
)

// TestInput sends frames in pieces of any size. They all arrive as they were sent, a
// burst takes the large buffer, and an idle connection has given it back.
func TestInput(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed) // shown on failure
	rng := rand.New(rand.NewPCG(seed, 0))
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	in := &input{nc: server, s: &Server{}}
	var sent []byte
	for range 2000 {
		frame, at := wire.BeginFrame(nil)
		for range rng.IntN(100) * (1 + rng.IntN(50)) {
			frame = append(frame, byte(rng.Uint32()))
		}
		wire.EndFrame(frame, at)
		sent = append(sent, frame...)
	}
	go func() {
		defer client.Close()
		for rest := sent; len(rest) > 0; {
			n := min(len(rest), 1+rng.IntN(1<<rng.IntN(16)))
			if _, err := client.Write(rest[:n]); err != nil {
				return
			}
			rest = rest[n:]
		}
	}()
	head, err := in.head()
	if err != nil || !bytes.Equal(head[:], sent[:4]) {
		t.Fatalf("head %x, %v", head, err)
	}
	var got, buf []byte
	bursts, ready := 0, 0
	for {
		whole := in.frameUnread()
		unread := len(in.unread)
		buf, err = wire.ReadFrameInto(in, buf, wire.MaxFrame)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if in.burst != nil {
			bursts++
		}
		if whole {
			if ready++; unread-len(in.unread) != 4+len(buf) {
				t.Fatalf("of %d unread bytes %d are left after a frame of %d that was all there", unread, len(in.unread), len(buf))
			}
		}
		got = wire.AppendInt32(got, int32(len(buf)))
		got = append(got, buf...)
	}
	if !bytes.Equal(got, sent) {
		t.Error("other bytes arrived than were sent")
	}
	if bursts == 0 || ready == 0 {
		t.Errorf("%d frames in the large buffer, %d all there", bursts, ready)
	}
	if in.fill(); in.burst != nil {
		t.Error("a large buffer is held although nothing came")
	}
}
