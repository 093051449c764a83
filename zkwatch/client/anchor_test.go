package client_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zktest"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
)

func TestEnsembleConfigWhateverTheChroot(t *testing.T) {
	t.Parallel()
	e := zktest.NewEnsemble(t, 3)
	for _, chroot := range []string{"", "/app"} {
		c := clienttest.Connected(t, clienttest.Config(t, e.ConnectString()+chroot))
		text, err := c.EnsembleConfig(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"server.1=", "server.2=", "server.3="} {
			if !strings.Contains(text, want) {
				t.Errorf("chroot %q: no %s in %q", chroot, want, text)
			}
		}
	}
}

func TestAnchor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, _ := clienttest.Embedded(t)
		line := new(fault.Line)
		c := clienttest.Connected(t, electiontest.Conn(server, line))
		defer c.Close()
		a, ok := c.Anchor()
		if !ok || a.Session != c.Status().SessionID || a.Timeout != c.Status().Timeout {
			t.Fatalf("anchor %+v, %v; status %+v", a, ok, c.Status())
		}
		time.Sleep(time.Minute)
		b, _ := c.Anchor() // a ping moved it
		if !b.Sent.After(a.Sent) || time.Since(b.Sent) > electiontest.LeaseTimeout {
			t.Errorf("anchor %+v a minute after %+v", b, a)
		}
		if end := b.Sent.Add(b.Timeout); !end.Equal(c.Status().ExpiresFrom) {
			t.Errorf("the anchor's session lasts until %v, it expires from %v", end, c.Status().ExpiresFrom)
		}
		line.Partition() // what is not answered moves nothing
		time.Sleep(electiontest.LeaseTimeout / 2)
		if got, _ := c.Anchor(); time.Since(got.Sent) < electiontest.LeaseTimeout/2 {
			t.Errorf("anchor %+v with nobody answering", got)
		}
		line.Heal()
	})
}
