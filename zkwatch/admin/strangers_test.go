package admin

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"electop/model/session"
	"electop/model/znode"
)

// TestWhatListensInstead puts strangers where an AdminServer should be. In
// mode HTTP that is a failure that says so; in mode Auto the words answer. No
// redirect is followed.
func TestWhatListensInstead(t *testing.T) {
	page := func(head, body string) string {
		return "HTTP/1.1 " + head + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
	for name, reply := range map[string]string{
		"a page":            page("200 OK\r\nContent-Type: text/html", "<html>hello</html>"),
		"no type":           page("200 OK", "{}"),
		"other JSON":        page("200 OK\r\nContent-Type: application/json", `{"status":"UP"}`),
		"another command":   `{"command":"ruok","error":null}`,
		"not JSON":          page("200 OK\r\nContent-Type: application/json", "<html>"),
		"a redirect":        page("302 Found\r\nLocation: http://10.0.0.9:8080/", ""),
		"a redirect (JSON)": page("307 T\r\nContent-Type: application/json\r\nLocation: http://10.0.0.9:8080/", `{"command":"server_stats"}`),
		"not found":         page("404 Not Found\r\nContent-Type: application/json", "{}"),
		"compressed":        page("200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip", "\x1f\x8b\x08\x00"),
		"long headers":      page("200 OK\r\nX: "+strings.Repeat("x", 100<<10), ""),
		"no HTTP":           "HTTP/but not quite\r\n\x1b[31mhello\r\n\r\n",
		"a cut-off body":    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
		"control characters": page("200 OK\r\nContent-Type: application/json",
			`{"command":"server_stats","error":"\u001b]0;title\u0007\u202e"}`),
	} {
		stranger := func(mode Mode) func(*fakeNet, *fakeServer, *Config) {
			return func(n *fakeNet, s *fakeServer, c *Config) {
				c.Mode = mode
				for _, command := range []string{"server_stats", "configuration", "monitor", "watch_summary", "connections", "dump_", "watches_by_path"} {
					s.replies[command] = reply
				}
			}
		}
		t.Run(name, func(t *testing.T) {
			alone(t, stranger(HTTP), func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
				other := n.member("10.0.0.9", 0, session.ModeStandalone)
				got := askNow(t, a, l)
				if m := other.asked(); len(m) > 0 {
					t.Errorf("followed: %v", m)
				}
				if got.Basic.State != session.Failed || got.Watches.State != session.Failed || got.Basic.Why == "" || strings.ContainsFunc(got.Basic.Why, znode.Unsafe) {
					t.Errorf("HTTP: %+v", got.Basic)
				}
			})
			alone(t, stranger(Auto), func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
				got := askNow(t, a, l)
				if states(got) != allAnswered || got.Basic.Via != "4lw" || len(got.Watched) != 1 {
					t.Errorf("auto: %+v", got)
				}
				if name != "a page" && name != "a cut-off body" {
					return
				}
				s.asked()
				defer n.run(a)()
				pass(4 * time.Minute)
				want := "monitor=49 server_stats=49 watch_summary=49"
				if name == "a cut-off body" { // no answer in time, which may have been bad luck: each minute, by HTTP and then the word
					want = "configuration=6 " + want
				}
				if m := questions(s.asked()); m != want || l.last(t).Servers[0].Basic.Via != "4lw" {
					t.Errorf("in four minutes: %s", m)
				}
				for what, reply := range replies(0, session.ModeStandalone, 2181) {
					s.set(what, reply)
				}
				a.Verify() // asks for all there is: the AdminServer may be there by now
				pass(4 * time.Second)
				if b := l.last(t).Servers[0].Basic; b.Via != "http" {
					t.Errorf("when it is there: %+v", b)
				}
			})
		})
	}
}

// TestOneAdminServerForAll has three members on one host: only the first got
// the usual port.
func TestOneAdminServerForAll(t *testing.T) {
	hosts := func(n *fakeNet) (addrs []string) {
		for i := range 3 {
			addr := "127.0.0.1:218" + strconv.Itoa(i+1)
			s := &fakeServer{addr: addr, counts: make(map[string]int), replies: replies(i+1, session.ModeFollower, 2181+i)}
			n.set(addr, &fakePort{s, (*fakeServer).words})
			if addrs = append(addrs, addr); i == 0 {
				n.set("127.0.0.1:8080", &fakePort{s, (*fakeServer).commands})
			}
		}
		return addrs
	}
	for _, mode := range []Mode{Auto, HTTP} {
		alone(t, func(n *fakeNet, _ *fakeServer, c *Config) {
			c.Mode, c.Servers = mode, hosts(n)
		}, func(t *testing.T, n *fakeNet, a *Asker, _ *fakeServer, l *listener) {
			for i, s := range askAll(t, a, l).Servers {
				switch {
				case i == 0 && (s.Basic.Via != "http" || states(s) != allAnswered):
					t.Errorf("%s, the first: %+v", mode, s)
				case i > 0 && mode == Auto && (s.Basic.Via != "4lw" || states(s) != allAnswered || s.Clients != nil && s.Clients[0].Session>>56 != uint64(i+1)):
					t.Errorf("%s, number %d: %+v", mode, i+1, s)
				case i > 0 && mode == HTTP && (s.Basic.State != session.Failed || s.Basic.Hint != "--admin-url" || !strings.Contains(s.Basic.Why, "port 2181")):
					t.Errorf("%s, number %d: %+v", mode, i+1, s)
				}
			}
		})
	}
	// The one server that is asked is not the one that got the port.
	for _, c := range []struct {
		url, via string
	}{{"", "4lw"}, {"http://{host}:8080/commands", "4lw"}, {"http://127.0.0.1:8080/commands/", "http"}} {
		alone(t, func(n *fakeNet, _ *fakeServer, cfg *Config) {
			cfg.Servers, cfg.URL = hosts(n)[1:2], c.url
		}, func(t *testing.T, n *fakeNet, a *Asker, _ *fakeServer, l *listener) {
			if got := askNow(t, a, l); got.Basic.Via != c.via {
				t.Errorf("URL %q: %+v", c.url, got)
			}
		})
	}
}

func TestNoSecretsInAnswers(t *testing.T) {
	alone(t, func(n *fakeNet, s *fakeServer, c *Config) {
		c.Mode, c.URL = HTTP, "http://user:secret@{host}:8080/commands"
		c.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no route") }
	}, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
		if b := askNow(t, a, l).Basic; b.State != session.Failed || strings.Contains(b.Why, "secret") || !strings.Contains(b.Why, "no route") {
			t.Errorf("%+v", b)
		}
	})
}
