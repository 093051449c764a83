package client_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/sasl"
)

func as(account string) func(*client.Config) {
	return func(cfg *client.Config) { cfg.Auth = []client.Auth{client.NewAuth("sasl", account)} }
}

// refused connects to a server that does not accept the account, and returns why.
func refused(t *testing.T, addr, account string) error {
	t.Helper()
	servers := zktest.Must(client.ParseConnectString(addr))
	cfg := client.Config{Servers: servers}
	as(account)(&cfg)
	c := clienttest.Connect(t, cfg)
	<-c.Done()
	err := c.Status().Err
	if !errors.Is(err, zk.ErrAuthFailed) || strings.Contains(err.Error(), "S3cret") {
		t.Errorf("%v", err)
	}
	return err
}

func TestDigestMD5OnApache(t *testing.T) {
	t.Parallel()
	accounts := map[string]string{"ann": `s3cret:"x"\`, "jürgen": "straße", "žofie": "straße€"}
	server := zktest.NewApache(t, zktest.WithSASL(zktest.DigestUsers(accounts)))
	ctx := t.Context()
	stranger := dial(t, server.Addr)
	for user, password := range accounts {
		c := dial(t, server.Addr, as(user+":"+password))
		path := "/of-" + user
		if _, err := c.Create(ctx, path, []byte("x"), 0, []zk.ACL{{Perms: zk.PermAll, Scheme: "sasl", ID: user}}); err != nil {
			t.Fatal(err)
		}
		if data, _, err := c.Get(ctx, path); err != nil || string(data) != "x" {
			t.Errorf("%s: %q, %v", user, data, err)
		}
		if _, _, err := stranger.Get(ctx, path); !errors.Is(err, zk.ErrNoAuth) {
			t.Errorf("%s: a stranger: %v", user, err)
		}
		if user != "ann" {
			if _, _, err := dial(t, server.Addr, as("ann:"+accounts["ann"])).Get(ctx, path); !errors.Is(err, zk.ErrNoAuth) {
				t.Errorf("%s: ann: %v", user, err)
			}
		}
	}

	for _, account := range []string{"ann:S3cret", "nobody:S3cret"} {
		if err := refused(t, server.Addr, account); !errors.Is(err, sasl.ErrRejected) || !strings.Contains(err.Error(), "password is wrong") || !strings.Contains(err.Error(), server.Addr) {
			t.Errorf("%s: %v", account, err)
		}
	}

	// The session goes on over another connection, which authenticates again.
	c := dial(t, server.Addr, as("ann:"+accounts["ann"]), func(cfg *client.Config) { cfg.SessionTimeout = time.Minute })
	_, _, changed, err := c.GetW(ctx, "/of-ann")
	if err != nil {
		t.Fatal(err)
	}
	session := c.Status().SessionID
	server.Kill(t)
	clienttest.WaitState(t, c, client.Disconnected)
	server.Start(t)
	clienttest.WaitState(t, c, client.Connected)
	if _, err := c.Set(ctx, "/of-ann", []byte("y"), -1); err != nil || c.Status().SessionID != session {
		t.Errorf("session %#x after %#x: %v", c.Status().SessionID, session, err)
	}
	if e := event(t, changed); e.Type != zk.EventNodeDataChanged {
		t.Errorf("event %+v", e)
	}
}

func TestServerWithoutSASL(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		if err := refused(t, addr, "ann:S3cret"); !errors.Is(err, sasl.ErrUnsupported) {
			t.Errorf("%v", err)
		}
	})
}
