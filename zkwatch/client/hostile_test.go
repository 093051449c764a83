package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

func TestInvalidConnectResponses(t *testing.T) {
	for name, tt := range map[string]struct {
		answer string
		want   string
	}{
		"HTTP":     {"HTTP/1.1 400 Bad Request\r\n\r\n", "its answer is HTTP"},
		"TLS":      {"\x15\x03\x03\x00\x02\x02\x46", "TLS"},
		"SSH":      {"SSH-2.0-x\r\n", `"SSH-"`},
		"zeros":    {string(make([]byte, 64)), "not a ZooKeeper"},
		"negative": {"\xff\xff\xff\xff", "not a ZooKeeper"},
		"password": {"\x00\x00\x00\x14" + "\x00\x00\x00\x00" + "\x00\x00\x10\x00" + "\x00\x00\x00\x00\x00\x00\x00\x01" + "\x7f\xff\xff\xff", "password"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &electiontest.Peer{Intercept: func(n int, c net.Conn) bool {
					wire.ReadFrame(c, 1<<20)
					io.WriteString(c, tt.answer[:3])
					io.WriteString(c, tt.answer[3:])
					return true
				}}
				s := electiontest.WaitErr(t, p.Connect(t), client.ErrNotZooKeeper)
				if !strings.Contains(s.Err.Error(), tt.want) {
					t.Errorf("error %v, want %s", s.Err, tt.want)
				}
			})
		})
	}
}

func TestSilentServerIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Intercept: func(n int, c net.Conn) bool {
			if n > 1 {
				return false
			}
			io.Copy(io.Discard, c)
			return true
		}}
		c := p.Connect(t, func(cfg *client.Config) { cfg.SessionTimeout = 40 * time.Second })
		began := time.Now()
		electiontest.WaitErr(t, c, os.ErrDeadlineExceeded)
		electiontest.WaitState(t, c, client.Connected)
		if d := time.Since(began); d > 3*time.Second {
			t.Errorf("connected after %v, want 3 s at most", d)
		}
	})
}

func TestBrokenRepliesEndTheConnection(t *testing.T) {
	huge := []byte{0x7f, 0xff, 0xff, 0xff}
	for name, tt := range map[string]struct {
		answer func(reply func(xid, code int32, body []byte), xid int32)
		want   error
	}{
		"count":     {func(reply func(int32, int32, []byte), xid int32) { reply(xid, 0, append(huge, make([]byte, 68)...)) }, client.ErrProtocol},
		"too large": {func(reply func(int32, int32, []byte), xid int32) { reply(xid, 0, make([]byte, 100<<10)) }, client.ErrReplyTooLarge},
		"no body":   {func(reply func(int32, int32, []byte), xid int32) { reply(xid, 0, nil) }, client.ErrProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &electiontest.Peer{Answer: func(f electiontest.Request, reply func(int32, int32, []byte), xid int32) bool {
					if f.Opcode != wire.OpGetChildren2 {
						return false
					}
					tt.answer(reply, xid)
					return true
				}}
				c := p.Connect(t)
				states := c.Subscribe(t.Context())
				electiontest.WaitState(t, c, client.Connected)
				_, _, err := c.Children(t.Context(), "/e")
				if !errors.Is(err, tt.want) || !errors.Is(err, zk.ErrConnectionClosed) {
					t.Errorf("error %v, want %v and ErrConnectionClosed", err, tt.want)
				}
				for s := range states {
					if s.State == client.Disconnected {
						if !errors.Is(s.Err, tt.want) {
							t.Errorf("status %+v, want %v", s, tt.want)
						}
						break
					}
				}
				p.Connected(t, c, 2)
			})
		})
	}
}

func TestShortReplyAndZeroTimeoutDoNotPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{
			Grant: func(n int, requested time.Duration, session uint64) (time.Duration, uint64) {
				if n == 1 {
					return 0, 0x51
				}
				return requested, 0x51
			},
			Intercept: func(n int, c net.Conn) bool {
				if n != 2 {
					return false
				}
				wire.ReadFrame(c, 1<<20)
				response := make([]byte, 36)
				response[7], response[6], response[15], response[19] = 0, 40, 0x51, 16
				electiontest.WriteFrame(c, response)
				electiontest.WriteFrame(c, []byte{0, 0, 0, 1})
				return true
			},
		}
		c := p.Connect(t)
		electiontest.WaitErr(t, c, client.ErrProtocol)
		p.Connected(t, c, 3)
	})
}

func TestClientAheadOfTheServersGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		behind := false
		p := &electiontest.Peer{Refuse: func(lastZxid uint64) bool { return behind && lastZxid > 0 }}
		c := p.Session(t)
		if _, _, err := c.Get(t.Context(), "/e"); err != nil { // the client receives a zxid
			t.Fatal(err)
		}
		behind = true
		p.Drop(1)
		s := electiontest.WaitErr(t, c, client.ErrRefused)
		if !strings.Contains(s.Err.Error(), "zxid 0x1") {
			t.Errorf("error %v, want a hint at the zxid", s.Err)
		}
		<-c.Done()
		if s := c.Status(); s.State != client.Closed || !errors.Is(s.Err, client.ErrNoSession) {
			t.Errorf("status %+v, want Closed with ErrNoSession", s)
		}
		electiontest.WaitState(t, p.Connect(t), client.Connected)
	})
}

func TestRefusalsHintAtMaxClientCnxns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Intercept: func(n int, c net.Conn) bool { wire.ReadFrame(c, 1<<20); return true }}
		c := p.Connect(t)
		electiontest.Wait(t, c, "with ErrRefused and a hint at maxClientCnxns", func(s client.Status) bool {
			return errors.Is(s.Err, client.ErrRefused) && strings.Contains(s.Err.Error(), "maxClientCnxns")
		})
	})
}

func TestFailedWriteOfCredentialsDoesNotBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Dialled: func(n int, c net.Conn) (net.Conn, error) {
			if n%2 == 0 {
				// The first FailingConn fails when the client sends the credentials.
				return &electiontest.FailingConn{Conn: c, Writes: n / 2}, nil
			}
			return c, nil
		}}
		c := p.Session(t, func(cfg *client.Config) { cfg.Auth = []client.Auth{client.NewAuth("digest", "u:p")} })
		if _, _, _, err := c.GetW(t.Context(), "/e"); err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= 9; n += 2 {
			p.Drop(n)
			p.Connected(t, c, n+2)
			if _, _, err := c.Get(t.Context(), "/e"); err != nil {
				t.Errorf("connection %d: %v", n+2, err)
			}
			if ops := p.Opcodes(n + 2); len(ops) == 0 || ops[0] != wire.OpAuth {
				t.Errorf("connection %d: requests %d, want the credentials first", n+2, ops)
			}
		}
	})
}

func TestRefusedCredentialsAreTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Answer: func(f electiontest.Request, reply func(int32, int32, []byte), xid int32) bool {
			if f.Opcode == wire.OpAuth && string(f.Body[8:11]) == "bad" {
				reply(xid, -115, nil)
				return true
			}
			return false
		}}
		c := p.Connect(t, func(cfg *client.Config) {
			cfg.Auth = []client.Auth{client.NewAuth("digest", "u:p"), client.NewAuth("bad", "geheim")}
		})
		<-c.Done()
		s := c.Status()
		text := fmt.Sprint(s.Err)
		if s.State != client.Closed || !errors.Is(s.Err, zk.ErrAuthFailed) || !strings.Contains(text, "scheme bad") || strings.Contains(text, "geheim") {
			t.Errorf("status %+v, want ErrAuthFailed with the scheme and no credential", s)
		}
	})
}

func TestCredentialsAreNotPrinted(t *testing.T) {
	cfg := client.Config{Auth: []client.Auth{client.NewAuth("digest", "user:geheim")}}
	var out strings.Builder
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "auth", cfg.Auth[0], "all", cfg.Auth)
	b, err := json.Marshal(cfg.Auth)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(b)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%q"} {
		fmt.Fprintf(&out, verb+verb, cfg, &cfg.Auth[0])
	}
	for _, secret := range []string{"geheim", "67656865696d", "103 101 104", "0x67, 0x65", "Z2VoZWlt"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("output %s contains %q", out.String(), secret)
		}
	}
	if !strings.Contains(out.String(), "digest") {
		t.Errorf("output %s, want the scheme digest in it", out.String())
	}
}

type repeatingConn struct{ net.Conn }

func (c repeatingConn) Write(p []byte) (int, error) {
	_, err := c.Conn.Write(bytes.Repeat(p, 10))
	return len(p), err
}

func TestRepeatedRepliesDoNotBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var server net.Conn
		p := &electiontest.Peer{}
		p.Intercept = func(n int, c net.Conn) bool {
			server = c
			p.Serve(n, c)
			return true
		}
		p.Answer = func(f electiontest.Request, _ func(int32, int32, []byte), xid int32) bool {
			if f.Opcode != wire.OpExists {
				return false
			}
			h := wire.ReplyHeader{Xid: xid}
			electiontest.WriteFrame(repeatingConn{server}, append(wire.Append(nil, &h), make([]byte, 68)...))
			return true
		}
		c := p.Session(t)
		f, err := c.Follow("/e")
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, _, err := f.Exists(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		}
	})
}
