package client_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/sasl"
	"electop/zkwatch/wire"
)

// An account sends lines as tokens. The token of each reply except the last must be the line in capitals.
type account struct {
	lines  []string
	begins func(host string) error
}

func (a *account) Name() string { return "LINES" }

func (a *account) Begin(_ context.Context, host string) (sasl.Exchange, error) {
	if a.begins != nil {
		if err := a.begins(host); err != nil {
			return nil, err
		}
	}
	return &lineExchange{account: a}, nil
}

type lineExchange struct {
	*account
	sent int
}

func (x *lineExchange) Next(token []byte) ([]byte, bool, error) {
	if x.sent > 0 && string(token) != strings.ToUpper(x.lines[x.sent-1]) {
		return nil, false, sasl.ErrImpostor
	}
	x.sent++
	return []byte(x.lines[x.sent-1]), x.sent == len(x.lines), nil
}

func (x *lineExchange) Refused() error { return sasl.ErrRejected }

func capitals(f electiontest.Request, reply func(int32, int32, []byte), xid int32) bool {
	if f.Opcode != wire.OpSASL {
		return false
	}
	token := strings.ToUpper(string(f.Body[4:]))
	reply(xid, 0, append(binary.BigEndian.AppendUint32(nil, uint32(len(token))), token...))
	return true
}

func TestSASLIsFirstOnEachConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Answer: capitals}
		var hosts []string
		c := p.Session(t, func(cfg *client.Config) {
			cfg.SASL = &account{lines: []string{"a", "b", "c"}, begins: func(host string) error {
				hosts = append(hosts, host)
				return nil
			}}
			cfg.Auth = []client.Auth{client.NewAuth("digest", "u:p")}
		})
		if _, _, _, err := c.GetW(t.Context(), "/e"); err != nil {
			t.Fatal(err)
		}
		p.Drop(1)
		p.Connected(t, c, 2)
		if _, _, err := c.Get(t.Context(), "/e"); err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= 2; n++ {
			want := []wire.Op{wire.OpSASL, wire.OpSASL, wire.OpSASL, wire.OpAuth}
			if ops := p.Opcodes(n); len(ops) < 5 || !slices.Equal(ops[:4], want) {
				t.Errorf("connection %d: requests %d, want %d first", n, ops, want)
			}
			if token := string(p.Received(n)[1].Body); token != "\x00\x00\x00\x01b" {
				t.Errorf("connection %d: second token %q, want b", n, token)
			}
		}
		if !slices.Equal(hosts, []string{"peer", "peer"}) {
			t.Errorf("hosts %q, want peer for each connection", hosts)
		}
	})
}

func TestSASLThatFails(t *testing.T) {
	type reply = func(xid, code int32, body []byte)
	for what, c := range map[string]struct {
		answer func(n int, r reply, xid int32, drop func())
		final  bool // the error ends the Conn
		want   error
	}{
		"refused":        {func(_ int, r reply, xid int32, _ func()) { r(xid, -115, nil) }, true, sasl.ErrRejected},
		"SASL required":  {func(_ int, r reply, xid int32, _ func()) { r(xid, -124, nil) }, true, sasl.ErrRejected},
		"unimplemented":  {func(_ int, r reply, xid int32, _ func()) { r(xid, -6, nil) }, true, sasl.ErrUnsupported},
		"another error":  {func(_ int, r reply, xid int32, _ func()) { r(xid, -5, nil) }, true, zk.ErrAuthFailed},
		"null":           {func(_ int, r reply, xid int32, _ func()) { r(xid, 0, []byte{255, 255, 255, 255}) }, true, sasl.ErrImpostor},
		"empty":          {func(_ int, r reply, xid int32, _ func()) { r(xid, 0, []byte{0, 0, 0, 0}) }, true, sasl.ErrImpostor},
		"no token":       {func(_ int, r reply, xid int32, _ func()) { r(xid, 0, nil) }, false, client.ErrProtocol},
		"half a token":   {func(_ int, r reply, xid int32, _ func()) { r(xid, 0, []byte{0, 0, 0, 9, 'A'}) }, false, client.ErrProtocol},
		"another xid":    {func(_ int, r reply, xid int32, _ func()) { r(xid+1, 0, []byte{0, 0, 0, 1, 'A'}) }, false, client.ErrProtocol},
		"a large token":  {func(_ int, r reply, xid int32, _ func()) { r(xid, 0, make([]byte, 80<<10)) }, false, client.ErrProtocol},
		"closed":         {func(_ int, _ reply, _ int32, drop func()) { drop() }, false, nil},
		"silent":         {func(int, reply, int32, func()) {}, false, nil},
		"a wrong answer": {func(_ int, r reply, xid int32, _ func()) { r(xid, 0, []byte{0, 0, 0, 1, 'X'}) }, true, sasl.ErrImpostor},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &electiontest.Peer{}
				p.Answer = func(f electiontest.Request, r func(int32, int32, []byte), xid int32) bool {
					if f.Opcode == wire.OpSASL {
						c.answer(f.Conn, r, xid, func() { p.Drop(f.Conn) })
						return true
					}
					return false
				}
				conn := p.Connect(t, func(cfg *client.Config) { cfg.SASL = &account{lines: []string{"a", "b"}} })
				s := electiontest.Wait(t, conn, "with an error", func(s client.Status) bool { return s.Err != nil || s.State == client.Connected })
				if s.State == client.Connected || !strings.Contains(s.Err.Error(), "SASL LINES") || c.want != nil && !errors.Is(s.Err, c.want) {
					t.Errorf("status %+v, want an error of SASL LINES (%v)", s, c.want)
				}
				if !c.final {
					electiontest.Wait(t, conn, "after a third dial", func(client.Status) bool { return p.Dials() > 2 })
					conn.Close()
				} else if s.State != client.Closed || !errors.Is(s.Err, zk.ErrAuthFailed) {
					t.Errorf("status %+v, want Closed with ErrAuthFailed", s)
				}
				<-conn.Done()
				if ops := p.Opcodes(0); slices.ContainsFunc(ops, func(op wire.Op) bool { return op != wire.OpSASL }) {
					t.Errorf("requests %d, want only SASL", ops)
				}
			})
		})
	}
}

func TestSASLThatCannotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Answer: capitals}
		final, attempts := errors.New("no such account"), 0
		c := p.Connect(t, func(cfg *client.Config) {
			cfg.SASL = &account{lines: []string{"a"}, begins: func(string) error {
				if attempts++; attempts > 2 {
					return nil
				}
				return errors.New("no answer")
			}}
		})
		s := electiontest.Wait(t, c, "with an error", func(s client.Status) bool { return s.Err != nil })
		if s.State != client.Connecting || !strings.Contains(s.Err.Error(), "SASL LINES for peer:2181: no answer") {
			t.Errorf("status %+v, want Connecting with the error of Begin", s)
		}
		electiontest.WaitState(t, c, client.Connected)
		dials := p.Dials()
		c = p.Connect(t, func(cfg *client.Config) {
			cfg.SASL = &account{begins: func(string) error { return errors.Join(sasl.ErrRejected, final) }}
		})
		<-c.Done()
		if s := c.Status(); !errors.Is(s.Err, final) || !errors.Is(s.Err, zk.ErrAuthFailed) || p.Dials() != dials {
			t.Errorf("status %+v, %d connections; want ErrAuthFailed and no connection", s, p.Dials()-dials)
		}
	})
}

func TestSASLOfAFrozenConn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{}
		var c *client.Conn
		frozen := false
		p.Answer = func(f electiontest.Request, reply func(int32, int32, []byte), xid int32) bool {
			if f.Opcode == wire.OpSASL && !frozen {
				frozen = true
				c.Config().Gate.Freeze()
			}
			return capitals(f, reply, xid)
		}
		ready := make(chan struct{})
		c = p.Connect(t, func(cfg *client.Config) {
			cfg.SASL = &account{lines: []string{"a", "b"}}
			cfg.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				<-ready
				return p.Dial(ctx, network, addr)
			}
		})
		close(ready)
		time.Sleep(time.Minute)
		if s := c.Status(); s.State == client.Connected {
			t.Error("connected while frozen")
		}
		c.Config().Gate.Thaw()
		electiontest.WaitState(t, c, client.Connected)
	})
}

func TestTwoSASLAccountsAreRefused(t *testing.T) {
	one := client.NewAuth("sasl", "u:p")
	for _, cfg := range []client.Config{
		{Auth: []client.Auth{one, client.NewAuth("digest", "x:y"), client.NewAuth("sasl", "v:q")}},
		{Auth: []client.Auth{one}, SASL: &account{}},
	} {
		cfg.Servers.Servers = []string{"peer:2181"}
		if _, err := client.Connect(cfg); !errors.Is(err, client.ErrTwoAccounts) {
			t.Errorf("error %v, want ErrTwoAccounts", err)
		}
	}
}

func TestServerThatDemandsAuthentication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Answer: func(_ electiontest.Request, reply func(int32, int32, []byte), xid int32) bool {
			reply(xid, -124, nil)
			return true
		}}
		c := p.Session(t)
		if _, _, err := c.Get(t.Context(), "/e"); !errors.Is(err, client.ErrAuthRequired) || !errors.Is(err, zk.ErrAuthFailed) {
			t.Errorf("error %v, want ErrAuthRequired and ErrAuthFailed", err)
		}
		<-c.Done()
		if s := c.Status(); !errors.Is(s.Err, client.ErrAuthRequired) || p.Dials() != 1 {
			t.Errorf("status %+v, %d connections; want ErrAuthRequired after 1 connection", s, p.Dials())
		}
		idle := p.Connect(t)
		<-idle.Done()
		if s := idle.Status(); !errors.Is(s.Err, client.ErrAuthRequired) {
			t.Errorf("status %+v, want ErrAuthRequired", s)
		}
	})
}

func withAccount(account string) func(*client.Config) {
	return func(cfg *client.Config) { cfg.Auth = []client.Auth{client.NewAuth("sasl", account)} }
}

func refused(t *testing.T, addr, account string) error {
	t.Helper()
	servers := zktest.Must(client.ParseConnectString(addr))
	cfg := client.Config{Servers: servers}
	withAccount(account)(&cfg)
	c := electiontest.Connect(t, cfg)
	<-c.Done()
	err := c.Status().Err
	if !errors.Is(err, zk.ErrAuthFailed) || strings.Contains(err.Error(), "S3cret") {
		t.Errorf("error %v, want ErrAuthFailed and no password", err)
	}
	return err
}

func TestDigestMD5OnApache(t *testing.T) {
	t.Parallel()
	accounts := map[string]string{"ann": `s3cret:"x"\`, "jürgen": "straße", "žofie": "straße€"}
	server := zktest.NewApache(t, zktest.WithSASL(zktest.DigestUsers(accounts)))
	ctx := t.Context()
	other := connect(t, server.Addr)
	for user, password := range accounts {
		c := connect(t, server.Addr, withAccount(user+":"+password))
		path := "/of-" + user
		if _, err := c.Create(ctx, path, []byte("x"), 0, []zk.ACL{{Perms: zk.PermAll, Scheme: "sasl", ID: user}}); err != nil {
			t.Fatal(err)
		}
		if data, _, err := c.Get(ctx, path); err != nil || string(data) != "x" {
			t.Errorf("%s: data %q, %v; want x", user, data, err)
		}
		if _, _, err := other.Get(ctx, path); !errors.Is(err, zk.ErrNoAuth) {
			t.Errorf("%s: client without an account: got %v, want ErrNoAuth", user, err)
		}
		if user != "ann" {
			if _, _, err := connect(t, server.Addr, withAccount("ann:"+accounts["ann"])).Get(ctx, path); !errors.Is(err, zk.ErrNoAuth) {
				t.Errorf("%s: client ann: got %v, want ErrNoAuth", user, err)
			}
		}
	}

	for _, account := range []string{"ann:S3cret", "nobody:S3cret"} {
		err := refused(t, server.Addr, account)
		if !errors.Is(err, sasl.ErrRejected) || !strings.Contains(err.Error(), "password is wrong") || !strings.Contains(err.Error(), server.Addr) {
			t.Errorf("%s: error %v, want ErrRejected, 'password is wrong' and the server's address", account, err)
		}
	}

	c := connect(t, server.Addr, withAccount("ann:"+accounts["ann"]), func(cfg *client.Config) { cfg.SessionTimeout = time.Minute })
	_, _, changed, err := c.GetW(ctx, "/of-ann")
	if err != nil {
		t.Fatal(err)
	}
	session := c.Status().SessionID
	server.Kill(t)
	electiontest.WaitState(t, c, client.Disconnected)
	server.Start(t)
	electiontest.WaitState(t, c, client.Connected)
	if _, err := c.Set(ctx, "/of-ann", []byte("y"), -1); err != nil || c.Status().SessionID != session {
		t.Errorf("set: %v; session %#x, want %#x", err, c.Status().SessionID, session)
	}
	if e := event(t, changed); e.Type != zk.EventNodeDataChanged {
		t.Errorf("event %+v, want EventNodeDataChanged", e)
	}
}

func TestServerWithoutSASL(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		if err := refused(t, addr, "ann:S3cret"); !errors.Is(err, sasl.ErrUnsupported) {
			t.Errorf("error %v, want ErrUnsupported", err)
		}
	})
}
