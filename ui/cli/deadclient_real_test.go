package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
)

// TestStatusOfADeadClient: one call of status says for how long the session of a client without
// a connection lasts, and counts who watches its znode.
func TestStatusOfADeadClient(t *testing.T) {
	t.Parallel()
	server := zktest.NewApache(t, zktest.WithAdmin())
	link := zktest.NewLink(t, server.Addr)
	c := session(t, server.Addr)
	if _, err := c.Create("/e", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	dead := session(t, link.Addr)
	znode, err := dead.Create("/e/n_", []byte("web1"), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := c.ExistsW(znode); err != nil {
		t.Fatal(err)
	}
	link.Cut()
	for range 50 {
		out := printed(t, 0, "status", "/e", "--json", "-s", server.Addr, "--admin", "http", "--admin-url", "http://"+server.Admin+"/commands")
		var s struct {
			Candidates []struct {
				Connected *bool
				Expires   float64 `json:"expires_within_ms"`
				Risk      string
			}
			Watchers struct{ Total, Others int } `json:"leader_watchers"`
		}
		if err := json.Unmarshal([]byte(out), &s); err != nil || len(s.Candidates) != 1 {
			t.Fatalf("%v in %s", err, out)
		}
		x := s.Candidates[0]
		if x.Connected == nil || *x.Connected {
			continue // the server has not noticed it yet
		}
		if x.Expires <= 0 || x.Expires > 25_000 || !strings.HasPrefix(x.Risk, "not connected when asked at ") {
			t.Errorf("at risk: %+v", x)
		}
		if s.Watchers.Total != 1 || s.Watchers.Others != 1 {
			t.Errorf("watchers %+v", s.Watchers)
		}
		return
	}
	t.Error("status does not say that the client is not connected")
}
