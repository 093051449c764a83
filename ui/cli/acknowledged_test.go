package cli_test

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
)

// TestEventsFollowTheAcknowledgement: what the leader of a recognised system acknowledges is in
// the first line of events, and its takeover is a number there and in the metrics, however long
// it takes.
func TestEventsFollowTheAcknowledgement(t *testing.T) {
	t.Parallel()
	server := zktest.Apache(t).Addr
	root := unique("acked")
	setup := zktest.Client(t, server)
	create(t, setup, root, "", 0)
	for i, x := range []struct {
		election, ack string
		name          func(session int64, i int) string
	}{
		{"/overseer_elect/election", "/overseer_elect/leader", func(s int64, i int) string { return fmt.Sprintf("%d-10.0.0.%d:8983_solr-n_", s, i) }},
		{"/collections/books/leader_elect/shard1/election", "/collections/books/leaders/shard1/leader", func(s int64, i int) string { return fmt.Sprintf("%d-core_node%d-n_", s, i) }},
		{"/flink/app/leader/latch", "/flink/app/leader/dispatcher/connection_info", func(_ int64, i int) string { return fmt.Sprintf("_c_0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5%d-latch-", i) }},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			at, ack := root+x.election, root+x.ack
			for _, dir := range []string{at, path.Dir(ack)} {
				for end, r := range dir + "/" {
					if exists, _, err := setup.Exists(dir[:end]); end > 0 && r == '/' && err == nil && !exists {
						create(t, setup, dir[:end], "", 0)
					}
				}
			}
			var sessions [3]*zk.Conn
			for i := range sessions {
				sessions[i] = session(t, server)
				create(t, sessions[i], at+"/"+x.name(sessions[i].SessionID(), i), "", contender)
			}
			acknowledge := func(i int) { create(t, sessions[i], ack, "{}", zk.FlagEphemeral) }
			acknowledge(0)
			c := run(t, "events", at, "-s", server, "--json")
			url := metricsURL(t, run(t, "exporter", at, "-s", server, "--listen", "0"))
			exposes(t, url, fmt.Sprintf(`electop_leader_state{path=%q,state="known"} 1`, at))
			line := func(kind string, nth int) (l struct {
				State    string   `json:"leader_state"`
				Leader   *string  `json:"leader"`
				Takeover *float64 `json:"takeover_ms"`
				To       *string
			}) {
				t.Helper()
				c.out.await(t, kind, func(s string) bool {
					n := 0
					for text := range strings.Lines(s) {
						if strings.Contains(text, fmt.Sprintf(`"type":%q`, kind)) {
							if n++; n == nth {
								return json.Unmarshal([]byte(text), &l) == nil
							}
						}
					}
					return false
				})
				return l
			}
			if l := line("state", 1); l.State != "leads" || l.Leader == nil {
				t.Errorf("the first line: %+v", l)
			}
			sessions[0].Close()
			h := line("handoff", 1) // it waits for a second in vain
			if h.Takeover != nil {
				t.Errorf("a takeover before the acknowledgement: %v", *h.Takeover)
			}
			acknowledge(1)
			if l := line("takeover", 1); l.Takeover == nil || *l.Takeover < 900 || l.Leader == nil || *l.Leader != *h.To {
				t.Errorf("a late acknowledgement after %+v: %+v", h, l)
			}
			counted := regexp.MustCompile(`(?m)^electop_takeover_seconds_count\{path="` + at + `",.*\} 1$`)
			zktest.Await(t, "the takeover in the metrics", func() bool {
				_, body := page(t, "GET", url+"/metrics")
				return counted.MatchString(body)
			})
		})
	}
}
