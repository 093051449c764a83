package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"electop/demo/zktest"
)

// TestCampaignShowsItsLease, and warns of a session timeout that may be too
// short for one where the servers do not tell their tick.
func TestCampaignShowsItsLease(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words string
		warns bool
	}{
		"tick is told":     {"*", false},
		"tick is not told": {"", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := zktest.NewApache(t, zktest.WithWords(c.words))
			began := time.Now()
			cmd := run(t, "campaign", "/lease", "--create", "--json", "--session-timeout", "2s", "--servers", server.Addr)
			cmd.out.await(t, "a leader with a lease", func(said string) bool {
				for line := range strings.Lines(said) {
					var l struct {
						Belief string
						Lease  *time.Time `json:"lease_until"`
					}
					if json.Unmarshal([]byte(line), &l) != nil || l.Belief != "leading" {
						continue
					}
					if l.Lease == nil || l.Lease.Before(began) || l.Lease.After(time.Now().Add(2*time.Second)) {
						t.Fatalf("a leader says %s", line)
					}
					return true
				}
				return false
			})
			if said := cmd.errs.all(); strings.Contains(said, "tick") != c.warns {
				t.Errorf("it said %q", said)
			}
		})
	}
}
