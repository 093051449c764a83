package plain

import (
	"fmt"
	"math"
	"strings"
	"time"

	"electop/model/doctor"
	"electop/model/units"
)

// observeFor is how long the doctor has to observe to tell what lasts: by then it
// has asked the servers twice, with time between.
const observeFor = 6 * time.Second

// tooEarly lists what the doctor had no time for when it observed for that long.
func tooEarly(s *doctor.State, observed time.Duration) []Unchecked {
	var out []Unchecked
	add := func(what, why string, left time.Duration) {
		seconds := math.Ceil(max(observeFor, observed+max(left, time.Second)).Seconds())
		out = append(out, Unchecked{What: what, Servers: []string{}, Why: why, Setting: text(fmt.Sprintf("--for %.0fs", seconds))})
	}
	short := "observed for only " + observed.String()
	early, why := 0, ""
	for i := range s.Queue.Len() {
		if e := s.Edge(i); e.Early {
			if early++; why == "" {
				why = e.Why
			}
		}
	}
	if early > 0 {
		add("whether "+units.Count(early, "candidate watches", "candidates watch")+" the predecessor", short+": "+why, 0)
	}
	if n, left := s.Tracked.Unheard(); n > 0 {
		add("whether the "+units.Count(n, "client of a candidate is", "clients of candidates are")+" alive", short+", and a healthy client may be silent for as long", left)
	}
	for i, p := range s.Pending {
		if p.Early != nil && p.Severity == p.Early.Severity {
			continue // a finding already
		}
		if i == listMax {
			add("more suspicions of this kind", short, observeFor)
			break
		}
		what := p.Rule + ": " + p.Title
		if len(p.Znodes) > 0 {
			what += " (" + strings.Join(p.Znodes[:min(len(p.Znodes), listMax)], ", ") + ")"
		}
		add(what, short+", too short to tell this from a moment of a healthy handoff", p.Left)
	}
	return out
}
