package candidate_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
)

// A candidate whose credentials are refused before it ever waited ends with the reason.
func TestRefusedCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &clienttest.Peer{Answer: func(_ clienttest.Request, reply func(int32, int32, []byte), xid int32) bool {
			reply(xid, -124, nil)
			return true
		}}
		c := candidate.New(candidate.Config{
			Path: "/e",
			Conn: client.Config{Servers: client.ConnectString{Servers: []string{"peer:2181"}}, Dial: p.Dial},
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := c.Run(ctx); !errors.Is(err, client.ErrAuthRequired) || !errors.Is(err, zk.ErrAuthFailed) || p.Dials() > 3 {
			t.Errorf("%v after %d connections", err, p.Dials())
		}
		p.Served.Wait()
	})
}
