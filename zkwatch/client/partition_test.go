package client_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"electop/zkwatch/client"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/wire"
)

// linedPeer is a connection to a peer over a line.
func linedPeer(t *testing.T, p *clienttest.Peer, change ...func(*client.Config)) (*client.Conn, *fault.Line) {
	line := new(fault.Line)
	c := p.Session(t, append(change, func(cfg *client.Config) { cfg.Line = line })...)
	return c, line
}

// A request that was sent over a connection that ended is lost; its caller gets an
// error that says that the outcome is unknown.
func TestLineLoses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &clienttest.Peer{}
		c, line := linedPeer(t, p)
		line.Partition()
		began := time.Now()
		_, err := c.Create(t.Context(), "/e/0", nil, 0, nil)
		if !errors.Is(err, client.ErrUnknownOutcome) {
			t.Errorf("create: %v", err)
		}
		if took := time.Since(began); took < 2*time.Second || took > 6*time.Second { // of 9 s
			t.Errorf("the connection was missed after %v", took)
		}
		if s := c.Status(); s.State != client.Disconnected || !errors.Is(s.Err, os.ErrDeadlineExceeded) {
			t.Errorf("status %+v", s)
		}
		// Dials are not answered: one a DialTimeout of 2 s.
		clienttest.WaitErr(t, c, os.ErrDeadlineExceeded)
		time.Sleep(5 * time.Second)
		if p.Dials() != 1 {
			t.Errorf("%d connections over a line that is down", p.Dials())
		}
		line.Heal()
		healed := time.Now()
		p.Connected(t, c, 2)
		if took := time.Since(healed); took > 10*time.Millisecond {
			t.Errorf("connected %v after the healing", took)
		}
		if got := p.Opcodes(0); slices.Contains(got, wire.OpCreate) {
			t.Errorf("requests %d: what was lost has arrived", got)
		}
	})
}

// That the other end closes a connection is not seen while the line is down.
func TestLineKeepsTheEndOfAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &clienttest.Peer{}
		c, line := linedPeer(t, p)
		line.Partition()
		p.Drop(1)
		time.Sleep(time.Second)
		if s := c.Status(); s.State != client.Connected {
			t.Errorf("status %+v: the end of the connection got through", s)
		}
		line.Heal()
		p.Connected(t, c, 2)
	})
}

func TestCloseWhileTheLineIsDown(t *testing.T) {
	for _, down := range []time.Duration{0, 4 * time.Second, 7 * time.Second, 15 * time.Second} {
		for name, end := range map[string]func(*client.Conn){
			"Close": func(c *client.Conn) { c.Close() },
			"Cut":   (*client.Conn).Cut,
		} {
			t.Run(fmt.Sprintf("%s after %v", name, down), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := &clienttest.Peer{}
					c, line := linedPeer(t, p)
					line.Partition()
					go c.Create(t.Context(), "/e/0", nil, 0, nil)
					time.Sleep(down)
					began := time.Now()
					end(c)
					if took := time.Since(began); took > time.Second {
						t.Errorf("it took %v", took)
					}
					line.Heal()
					time.Sleep(time.Minute)
					if got := p.Opcodes(0); len(got) > 0 {
						t.Errorf("requests %d arrived", got)
					}
				})
			})
		}
	}
}

// A client that goes on sending into a line that is down is not given memory
// without end.
func TestLineTakesOnlySoMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &clienttest.Peer{}
		c, line := linedPeer(t, p, func(cfg *client.Config) { cfg.BufferSize = 256 << 10 })
		line.Partition()
		var sent atomic.Int64
		for range 10 {
			go func() {
				c.Set(t.Context(), "/e", make([]byte, 40<<10), -1)
				sent.Add(1)
			}()
		}
		synctest.Wait()
		if s := c.Status(); s.State == client.Connected {
			t.Error("it took 400 KiB")
		}
		line.Heal()
		clienttest.WaitState(t, c, client.Connected)
		if _, err := c.Set(t.Context(), "/e", make([]byte, 200<<10), -1); err != nil { // more at once than it takes
			t.Error(err)
		}
	})
}
