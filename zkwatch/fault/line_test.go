package fault_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"electop/zkwatch/fault"
)

type pipes struct {
	line  fault.Line
	peers chan net.Conn
	wg    sync.WaitGroup
}

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	owner := fault.Owner{Life: ctx, Go: func(f func()) bool { p.wg.Go(f); return true }}
	return p.line.Dial(ctx, owner, "tcp", "peer", func(context.Context, string, string) (net.Conn, error) {
		client, peer := net.Pipe()
		p.peers <- peer
		return client, nil
	})
}

func inBubble(t *testing.T, f func(t *testing.T, p *pipes, client, peer net.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		p := &pipes{peers: make(chan net.Conn, 1)}
		client, err := p.dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		peer := <-p.peers
		f(t, p, client, peer)
		p.line.Heal()
		client.Close()
		peer.Close()
		p.wg.Wait()
	})
}

func read(c net.Conn, d time.Duration) (string, error) {
	c.SetReadDeadline(time.Now().Add(d))
	b := make([]byte, 99)
	n, err := c.Read(b)
	return string(b[:n]), err
}

func TestPartitionDelaysBothDirections(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipes, client, peer net.Conn) {
		p.line.Partition()
		for _, s := range []string{"one ", "two"} {
			if _, err := io.WriteString(client, s); err != nil {
				t.Fatal(err)
			}
		}
		go io.WriteString(peer, "answer")
		for what, c := range map[string]net.Conn{"the client": client, "the peer": peer} {
			if got, err := read(c, time.Minute); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("during the partition %s read %q, %v; want ErrDeadlineExceeded", what, got, err)
			}
		}
		p.line.Heal()
		if got, err := read(peer, time.Second); got != "one two" {
			t.Errorf("after the partition the peer read %q, %v; want one two", got, err)
		}
		if got, err := read(client, time.Second); got != "answer" {
			t.Errorf("after the partition the client read %q, %v; want answer", got, err)
		}
	})
}

func TestCloseArrivesAfterThePartition(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipes, client, peer net.Conn) {
		p.line.Partition()
		io.WriteString(client, "lost")
		client.Close()
		if got, err := read(peer, time.Minute); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("during the partition the peer read %q, %v; want ErrDeadlineExceeded", got, err)
		}
		p.line.Heal()
		if got, err := read(peer, time.Second); err != io.EOF {
			t.Errorf("the peer read %q, %v; want only EOF", got, err)
		}
	})
}

func TestDialWaitsForTheEndOfThePartition(t *testing.T) {
	inBubble(t, func(t *testing.T, p *pipes, _, _ net.Conn) {
		p.line.Partition()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := p.dial(ctx); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("dial during a partition: got %v, want ErrDeadlineExceeded", err)
		}
		begin := time.Now()
		time.AfterFunc(time.Hour, p.line.Heal)
		c, err := p.dial(t.Context())
		if err != nil || time.Since(begin) != time.Hour {
			t.Fatalf("dial with a partition of 1h: %v after %v, want success after 1h", err, time.Since(begin))
		}
		c.Close()
		(<-p.peers).Close()
	})
}

func TestOwnerDoesNotWaitForTheEndOfThePartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pipes{peers: make(chan net.Conn, 1)}
		ctx, end := context.WithCancel(t.Context())
		client, err := p.dial(ctx)
		if err != nil {
			t.Fatal(err)
		}
		peer := <-p.peers
		defer peer.Close()
		p.line.Partition()
		client.Close()
		end()
		p.wg.Wait()
		if got, err := read(peer, time.Second); err != io.EOF {
			t.Errorf("the peer read %q, %v; want EOF", got, err)
		}
	})
}

func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g fault.Gate
		if g.Frozen() || g.OpenFor() < 24*time.Hour {
			t.Errorf("new gate: frozen %t, open for %v; want false and at least 24h", g.Frozen(), g.OpenFor())
		}
		g.Freeze()
		g.Freeze()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := g.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) || g.OpenFor() != 0 {
			t.Errorf("frozen gate: Wait %v, open for %v; want DeadlineExceeded and 0", err, g.OpenFor())
		}
		time.AfterFunc(time.Hour, g.Thaw)
		if err := g.Wait(t.Context()); err != nil || g.Frozen() {
			t.Errorf("after the thaw: Wait %v, frozen %t; want nil and false", err, g.Frozen())
		}
		if time.Sleep(time.Minute); g.OpenFor() != time.Minute {
			t.Errorf("open for %v, want a minute", g.OpenFor())
		}
	})
}
