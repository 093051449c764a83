package exporter

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/cli/election"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func TestServeEndsConnections(t *testing.T) {
	const request = "GET / HTTP/1.1\r\nHost: x\r\n"
	for _, c := range []struct {
		name string
		hold func(net.Conn) error // returns when the server ends the connection
		want time.Duration
	}{
		{"sends nothing", func(c net.Conn) error {
			_, err := io.Copy(io.Discard, c)
			return err
		}, requestTimeout},
		{"sends its header slowly", func(c net.Conn) error {
			go io.Copy(io.Discard, c)
			fmt.Fprint(c, request)
			for {
				if _, err := fmt.Fprint(c, "X-Slow: 1\r\n"); err != nil {
					return nil
				}
				time.Sleep(time.Second)
			}
		}, requestTimeout},
		{"sends an endless header", func(c net.Conn) error {
			go io.Copy(io.Discard, c)
			fmt.Fprint(c, request)
			for {
				if _, err := fmt.Fprintf(c, "X-Long: %s\r\n", strings.Repeat("x", 1000)); err != nil {
					return nil
				}
			}
		}, 0},
		{"does not read", func(c net.Conn) error {
			fmt.Fprint(c, request+"\r\n")
			for { // blocks until the other end is closed, then fails
				if _, err := fmt.Fprint(c, "x"); err != nil {
					return nil
				}
			}
		}, responseTimeout},
		{"sends no second request", func(c net.Conn) error {
			fmt.Fprint(c, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
			_, err := io.Copy(io.Discard, c)
			return err
		}, idleTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
				ctx, cancel := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() {
					served <- serve(ctx, p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						io.Copy(w, strings.NewReader(strings.Repeat("metric 1\n", 100_000)))
					}))
				}()
				near, far := net.Pipe()
				p.conns <- far
				began := time.Now()
				if err := c.hold(near); err != nil && !errors.Is(err, io.ErrClosedPipe) {
					t.Error(err)
				}
				if took := time.Since(began); took < c.want || took > c.want+2*time.Second {
					t.Errorf("got a connection that lasted %v, want %v to %v", took, c.want, c.want+2*time.Second)
				}
				near.Close()
				cancel()
				if err := <-served; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestServeReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() {
			served <- serve(ctx, p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }))
		}()
		near, far := net.Pipe()
		p.conns <- far
		go fmt.Fprint(near, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		r, err := http.ReadResponse(bufio.NewReader(near), nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(r.Body); err != nil || string(body) != "ok" {
			t.Errorf("got body %q, error %v; want ok", body, err)
		}
		near.Close()
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := newScript("/election")
	s.link(model.Connected)
	unread, connected := s.journal.State(), s.at
	s.pass(time.Millisecond).read("host", 1, 0)
	read := s.journal.State()
	now := s.pass(time.Hour).at
	s.apply(&model.Read{At: now, Presence: model.Denied})
	denied := s.journal.State()
	s.apply(&model.Read{At: now, Presence: model.Absent})
	for _, c := range []struct {
		name   string
		change func(*overview)
		want   string
	}{
		{"healthy", func(*overview) {}, ""},
		{"old answer", func(o *overview) { o.Answered = now.Add(-11 * time.Second) }, "no answer from ZooKeeper for 11.0 s"},
		{"disconnected", func(o *overview) { o.Connected = time.Time{} }, "not connected to ZooKeeper"},
		{"refused", func(o *overview) { o.Connected, o.Err = time.Time{}, "connection refused" }, "ZooKeeper: connection refused"},
		{"searching", func(o *overview) { o.searches = &searches{} }, "no search for elections has ended"},
		{"searched", func(o *overview) { o.searches = &searches{ended: true} }, ""},
		{"search failed", func(o *overview) { o.searches = &searches{ended: true, err: errors.New("no root\x1b")} }, `no root\x1b`},
		{"unread", func(o *overview) { o.elections[1] = unread }, "/election: connected, but not read yet"},
		{"reconnected", func(o *overview) { o.Connected = now }, "/election: connected again, but not read again yet"},
		{"forbidden", func(o *overview) { o.elections[1] = denied }, "/election: the ACL does not allow READ"},
		{"no such election", func(o *overview) { o.elections[1] = s.journal.State() }, ""},
	} {
		o := overview{
			Health:    election.Health{Connected: connected, Answered: now.Add(-9 * time.Second), Timeout: 10 * time.Second},
			elections: []*doctor.State{read, read},
		}
		c.change(&o)
		if got := o.unhealthy(now); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: got reasons %q, want %q", c.name, got, c.want)
		}
	}
}
