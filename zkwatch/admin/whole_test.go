package admin

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/model/session"
)

func TestWhole(t *testing.T) {
	for name, c := range map[string]struct {
		servers []string
		change  func(*fakeNet, *Config)
		count   int
		unwhole string // part of it; "" for whole
	}{
		"three":          {allThree, nil, 3, ""},
		"one is missing": {allThree[:2], nil, 2, "server.3 (10.0.0.3) has no address for clients"},
		"one fails":      {allThree, func(n *fakeNet, c *Config) { n.set("10.0.0.2:2181", nil); n.set("10.0.0.2:8080", nil) }, 3, ""},
		"the configuration has them": {allThree[:1], func(_ *fakeNet, c *Config) {
			c.Ensemble = always(strings.ReplaceAll(threeConfig, "participant", "participant;2181"))
		}, 3, ""},
		"there is no configuration": {allThree, func(_ *fakeNet, c *Config) { c.Ensemble = nil }, 3, "not known"},
		"it is empty":               {allThree, func(_ *fakeNet, c *Config) { c.Ensemble = always("") }, 3, "names no servers"},
		"it cannot be read": {allThree, func(_ *fakeNet, c *Config) {
			c.Ensemble = func(context.Context) (string, error) { return "", errors.New("zk: not authenticated\x1b") }
		}, 3, "not authenticated\\x1b"},
		"it does not come": {allThree, func(_ *fakeNet, c *Config) {
			c.Ensemble = func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
		}, 3, "cannot be read"},
		"it is not understood": {allThree, func(_ *fakeNet, c *Config) { c.Ensemble = always(threeConfig + "\nserver.x=what") }, 3, "not understood"},
		"two names for one": {append([]string{"zk1:2181"}, allThree...), func(n *fakeNet, _ *Config) {
			n.at["zk1:2181"], n.at["zk1:8080"] = n.at["10.0.0.1:2181"], n.at["10.0.0.1:8080"]
		}, 3, ""},
		"two names for one, no other": {[]string{"10.0.0.1:2181", "zk1:2181"}, func(n *fakeNet, _ *Config) {
			n.at["zk1:2181"], n.at["zk1:8080"] = n.at["10.0.0.1:2181"], n.at["10.0.0.1:8080"]
		}, 1, "server.2"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newFakeNet(t)
				servers := three(n)
				cfg := n.config(c.servers...)
				if c.change != nil {
					c.change(n, &cfg)
				}
				a := newFake(cfg)
				l := new(listener)
				defer a.Subscribe(l.election())()
				for range 2 { // the second time is like the first
					if err := a.Ask(t.Context(), everything); err != nil {
						t.Fatal(err)
					}
					got := l.last(t)
					if got.Whole != (c.unwhole == "") || !strings.Contains(got.Unwhole, c.unwhole) || got.Whole && got.Unwhole != "" || len(got.Servers) != c.count {
						t.Errorf("%d servers, whole %v, %q; want %d, %q", len(got.Servers), got.Whole, got.Unwhole, c.count, c.unwhole)
					}
					conns := 0
					for _, s := range got.Servers {
						conns += len(s.Clients)
					}
					if answered := c.count; name != "one fails" && conns != answered {
						t.Errorf("%d connections of %d servers", conns, answered)
					}
				}
				n.wait()
				names := 1 // of one server: it is asked under each
				if strings.HasPrefix(name, "two names") {
					names = 2
				}
				for _, s := range servers {
					if m := s.asked(); m["watches_by_path"] > 2*names || s.most > names {
						t.Errorf("%s was asked %v, %d at a time", s.addr, m, s.most)
					}
				}
			})
		})
	}
	for name, ensemble := range map[string]func(context.Context) (string, error){"empty": always(""), "unknown": nil} {
		alone(t, func(_ *fakeNet, _ *fakeServer, c *Config) { c.Ensemble = ensemble }, func(t *testing.T, n *fakeNet, a *Asker, s *fakeServer, l *listener) {
			if askNow(t, a, l); !l.last(t).Whole {
				t.Errorf("alone, configuration %s: %q", name, l.last(t).Unwhole)
			}
		})
	}
}

// TestNotOneServer has an address at which any member answers, as one of a
// load balancer does. It must not pass for the member that gave its number
// there: the clients of that member would seem to have no connection.
func TestNotOneServer(t *testing.T) {
	for _, mode := range []Mode{FourLetter, Auto} {
		for name, which := range map[string]func(i int) int{
			"in turn":   func(i int) int { return i % 3 },
			"each four": func(i int) int { return i / 4 % 3 },
			"random":    func(i int) int { return int(uint32(i)*2654435761>>13) % 3 },
			"rarely":    func(i int) int { return max(0, i/9%2) },
		} {
			t.Run(string(mode)+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := newFakeNet(t)
					servers := three(n)
					i := -1
					n.set("lb:2181", &fakePort{servers[0], func(_ *fakeServer, c net.Conn) {
						n.mu.Lock()
						i++
						s := servers[which(i)]
						n.mu.Unlock()
						s.words(c)
					}})
					cfg := n.config("lb:2181")
					cfg.Mode = mode
					cfg.Ensemble = always(strings.ReplaceAll(threeConfig, "participant", "participant;2181"))
					a := newFake(cfg)
					l := new(listener)
					defer a.Subscribe(l.election())()
					for range 6 {
						time.Sleep(10 * time.Second)
						if err := a.Ask(t.Context(), everything); err != nil {
							t.Fatal(err)
						}
						got := l.last(t)
						all := got.Whole
						sessions := make(map[uint64]bool)
						for _, s := range got.Servers {
							all = all && s.Connections.State == session.Answered
							for _, c := range s.Clients {
								sessions[c.Session] = true
							}
						}
						if all && len(sessions) != 3 {
							t.Errorf("whole, and only %d sessions: %+v", len(sessions), got)
						}
					}
					if got := l.last(t); !got.Whole || len(got.Servers) != 3 {
						t.Errorf("the members themselves: %v, %q, %d servers", got.Whole, got.Unwhole, len(got.Servers))
					}
					n.wait()
				})
			})
		}
	}
}

// TestForwarded has all members at other addresses than the configuration's,
// which cannot be reached. Each is shown once, by its number, but nothing is
// concluded from what they do not list: the number and the lists come over
// different connections, which a load balancer could spread over the members.
func TestForwarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNet(t)
		three(n)
		for i, addr := range allThree {
			to := []string{"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"}[i]
			n.set(to, n.at[addr])
			n.set(addr, nil)
		}
		cfg := n.config("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3")
		cfg.Mode = FourLetter
		cfg.Ensemble = always(strings.ReplaceAll(threeConfig, "participant", "participant;2181"))
		a := newFake(cfg)
		l := new(listener)
		defer a.Subscribe(l.election())()
		for i := range 3 {
			if err := a.Ask(t.Context(), everything); err != nil {
				t.Fatal(err)
			}
			got := l.last(t)
			if got.Whole || !strings.Contains(got.Unwhole, "127.0.0.1:1 answers as server.1") || len(got.Servers) != 3 {
				t.Errorf("poll %d: %v, %q, %d servers", i, got.Whole, got.Unwhole, len(got.Servers))
			}
			for _, s := range got.Servers {
				if states(s) != allAnswered {
					t.Errorf("poll %d: %+v", i, s)
				}
			}
		}
		n.wait()
	})
}

// TestTheEnsembleChanges has a member added while the asker runs.
func TestTheEnsembleChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNet(t)
		three(n)
		config := make(chan string, 1)
		config <- threeConfig
		reads := 0
		cfg := n.config(allThree...)
		cfg.Ensemble = func(context.Context) (string, error) {
			reads++
			s := <-config
			config <- s
			return s, nil
		}
		a := newFake(cfg)
		l := new(listener)
		defer a.Subscribe(l.election())()
		defer n.run(a)()
		synctest.Wait()
		<-config
		config <- threeConfig + "\nserver.4=10.0.0.4:2888:3888:observer;0.0.0.0:2181"
		n.member("10.0.0.4", 4, session.ModeObserver)
		time.Sleep(configInterval + 5*time.Second)
		synctest.Wait()
		got := l.last(t)
		if len(got.Servers) != 4 || !got.Whole || got.Servers[3].Mode != session.ModeObserver {
			t.Errorf("a member was added: %+v", got)
		}
		if reads != 2 {
			t.Errorf("the configuration was read %d times", reads)
		}
	})
}
