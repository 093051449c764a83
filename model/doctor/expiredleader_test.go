package doctor_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/session"
)

// A leader is stopped until its session expired. When it continues, its client
// connects with another session.
func TestExpiredLeaderIsBack(t *testing.T) {
	const other = 77
	for name, want := range map[string][]string{
		"back":            {"expired-leader warning"},
		"there before":    nil,
		"on another host": nil,
		"stands again":    nil,
		"unlisted":        nil,
	} {
		t.Run(name, func(t *testing.T) {
			c, names := three(t, model.Config{}, "n_")
			client := session.Client{Session: other, Addr: "10.0.0.1:4001", Timeout: 10 * time.Second}
			if name == "on another host" {
				client.Addr = "10.0.0.9:4001"
			}
			table := func(back bool) *session.Table {
				x := c.healthy()
				x.Hosts = c.J.State().Hosts()
				if name == "unlisted" {
					x.Hosts = nil
				}
				if back || name == "there before" {
					x.Servers[1].Clients = append(x.Servers[1].Clients, client)
				}
				return x
			}
			if hosts := c.J.State().Hosts(); !slices.Equal(hosts, []string{"10.0.0.1"}) {
				t.Fatalf("hosts %q", hosts)
			}
			stop := c.freezes()
			for range 4 {
				c.pass(3 * time.Second)
				x := table(false)
				stop(x)
				c.put(x)
			}
			c.leaves(names[0])
			if h := c.J.State().Handoffs[0]; h.Cause != model.CauseExpired {
				t.Fatalf("%s: %s", h.Cause, h.Evidence)
			}
			c.pass(time.Second)
			c.put(table(false))
			c.has()
			if name == "stands again" {
				c.joins("n_", other)
			}
			for range 3 {
				c.pass(2 * time.Second)
				client.Received++ // it pings
				c.put(table(true))
			}
			c.has(want...)
			if want == nil {
				return
			}
			f := c.J.State().Findings[0]
			if text := strings.Join(f.Evidence, "\n"); !strings.Contains(text, "0x1, from 10.0.0.1, expired") || !strings.Contains(text, "session 0x4d came from the same host") {
				t.Errorf("evidence %q", f.Evidence)
			}
			c.pass(11 * time.Minute)
			c.put(table(true))
			c.after(time.Second)
		})
	}
}
