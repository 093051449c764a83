package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"electop/demo"
	"electop/demo/zktest"
)

// TestWhyTheFailoverWasSlow: after a leader was frozen each part of the handoff is a number within bounds, or
// null with its reason, and both leaders, the election and the cluster are named.
func TestWhyTheFailoverWasSlow(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		const timeout = 4 * time.Second
		path := unique("slow")
		cast := candidates(t, addr, path, timeout, 2)
		asked := run(t, "events", path, "-s", addr, "--json", "--admin", "4lw", "--admin-sessions", "200ms")
		unasked := run(t, "events", path, "-s", addr, "--json", "--admin", "off")
		for _, c := range []*command{asked, unasked} {
			c.out.await(t, "the state", func(s string) bool { return strings.Contains(s, "\n") })
		}
		if err := cast.Fault("amber", demo.Freeze, true); err != nil {
			t.Fatal(err)
		}
		type handoff struct {
			Cluster, Path, From, To string
			FromName                string     `json:"from_name"`
			ToName                  string     `json:"to_name"`
			Silent                  *float64   `json:"silent_ms"`
			SilentIn                [2]float64 `json:"silent_range_ms"`
			Takeover                *float64   `json:"takeover_ms"`
			Vacant                  *float64   `json:"vacant_ms"`
			Timeout                 *float64   `json:"session_timeout_ms"`
			NoSilence               *string    `json:"silent_unknown"`
			NoVacancy               *string    `json:"vacant_unknown"`
			NoTimeout               *string    `json:"session_timeout_unknown"`
			Cause                   string
		}
		of := func(c *command) (h handoff) {
			c.out.await(t, "the handoff", func(s string) bool {
				for line := range strings.Lines(s) {
					if strings.Contains(line, `"type":"handoff"`) {
						return json.Unmarshal([]byte(line), &h) == nil
					}
				}
				return false
			})
			if h.Cluster != addr || h.Path != path || h.FromName != "amber" || h.ToName != "birch" || h.From == "" || h.To == "" ||
				h.Takeover == nil || h.Vacant != nil || h.NoVacancy == nil {
				t.Errorf("the handoff: %+v", h)
			}
			return h
		}
		h := of(asked)
		ms := float64(timeout.Milliseconds())
		switch {
		case h.Timeout == nil || *h.Timeout != ms:
			t.Errorf("the session timeout: %+v", h)
		case h.Cause == "unknown": // the last answer was too early to tell
			if h.Silent != nil || h.NoSilence == nil {
				t.Errorf("unknown silence: %+v", h)
			}
		case h.Silent == nil || *h.Silent < ms || h.SilentIn[0] > *h.Silent || h.SilentIn[1] < *h.Silent:
			t.Errorf("silence: %+v", h)
		}
		if h = of(unasked); h.Silent != nil || h.Timeout != nil || h.NoSilence == nil || h.NoTimeout == nil || !strings.Contains(*h.NoTimeout, "not asked") {
			t.Errorf("without the servers' answers: %+v", h)
		}
	})
}
