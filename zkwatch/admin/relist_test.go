package admin

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestAClientMoves has a client go from one server to another between their
// lists.
func TestAClientMoves(t *testing.T) {
	const none, his = "\n", " /10.9.9.9:1[1](queued=0,recved=1,sent=1,sid=0x9,lop=PING,est=1,to=10000,lresp=5)\n\n"
	for name, c := range map[string]struct {
		lists [3][2]string // of each server, the first time and from then on
		where string       // "": nowhere
		asked int          // how often for cons
	}{
		"stays":              {[3][2]string{{none, none}, {his, his}, {none, none}}, "10.0.0.2:2181", 1},
		"goes":               {[3][2]string{{none, his}, {none, none}, {none, none}}, "10.0.0.1:2181", 2},
		"comes":              {[3][2]string{{his, none}, {none, his}, {none, none}}, "10.0.0.1:2181", 1},
		"goes and goes back": {[3][2]string{{none, none}, {none, his}, {none, none}}, "10.0.0.2:2181", 2},
		"is gone":            {[3][2]string{{none, none}, {none, none}, {none, none}}, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newFakeNet(t)
				servers := three(n)
				for i, s := range servers {
					s.replies["cons"] = c.lists[i][0]
					s.replies["dump"] = "SessionTracker dump:\nephemeral nodes dump:\n0x9:\n\t/election/n_0000000000\n\t/elsewhere\n0x8:\n\t/elsewhere2\n"
					s.turn = func() {
						if s.counts["cons"] > 1 {
							s.replies["cons"] = c.lists[i][1]
						}
					}
				}
				cfg := n.config(allThree...)
				cfg.Mode = FourLetter
				a := newFake(cfg)
				l := new(listener)
				defer a.Subscribe(l.election())()
				if err := a.Ask(t.Context(), everything); err != nil {
					t.Fatal(err)
				}
				got := l.last(t)
				var where []string
				for _, s := range got.Servers {
					if states(s) != allAnswered {
						t.Errorf("%+v", s)
					}
					if len(s.Clients) > 0 {
						where = append(where, s.Addr)
					}
				}
				if !got.Whole || strings.Join(where, " ") != c.where {
					t.Errorf("connected to %v; want %q; whole %v", where, c.where, got.Whole)
				}
				for _, s := range servers {
					if m := s.asked()["cons"]; m != c.asked {
						t.Errorf("%s was asked %d times; want %d", s.addr, m, c.asked)
					}
				}
				n.wait()
			})
		})
	}
}
