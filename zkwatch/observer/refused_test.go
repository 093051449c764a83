package observer_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/observer"
)

// Servers that refuse the credentials are asked rarely, and observed as soon as they
// accept them.
func TestRefusedCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var accepts atomic.Bool
		p := &clienttest.Peer{Answer: func(f clienttest.Request, reply func(int32, int32, []byte), xid int32) bool {
			if accepts.Load() {
				return false
			}
			reply(xid, -124, nil)
			return true
		}}
		ctx, cancel := context.WithCancel(t.Context())
		g := observer.NewGroup(client.Config{Servers: client.ConnectString{Servers: []string{"peer:2181"}}, Dial: p.Dial})
		read := make(chan struct{}, 1)
		g.Add(observer.New(observer.Config{Path: "/e", Put: func(_ context.Context, o model.Observation) {
			if _, ok := o.(*model.Read); ok {
				select {
				case read <- struct{}{}:
				default:
				}
			}
		}}))
		done := make(chan error, 1)
		go func() { done <- g.Run(ctx) }()
		time.Sleep(10 * time.Minute)
		// 1 + 2 + 4 + 8 + 16 s, then every 30 s.
		if n := p.Dials(); n < 15 || n > 30 {
			t.Errorf("%d attempts in ten minutes", n)
		}
		if err := g.Refused(); !errors.Is(err, client.ErrAuthRequired) || !errors.Is(err, zk.ErrAuthFailed) {
			t.Errorf("refused: %v", err)
		}
		accepts.Store(true)
		<-read
		if err := g.Refused(); err != nil {
			t.Errorf("accepted, and refused: %v", err)
		}
		cancel()
		<-done
		p.Served.Wait()
	})
}
