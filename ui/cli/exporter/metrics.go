package exporter

import (
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
	"electop/ui/cli/election"
)

type collector struct {
	descs  map[string]*prometheus.Desc
	sample func(put)
}

type put func(metric string, v float64, label ...string)

// description describes a metric; label is "" if the metric has none.
type description struct{ name, label, help string }

func describe(all []description, labels prometheus.Labels, sample func(put)) *collector {
	c := &collector{make(map[string]*prometheus.Desc), sample}
	for _, d := range all {
		c.descs[d.name] = prometheus.NewDesc("electop_"+d.name, d.help, strings.Fields(d.label), labels)
	}
	return c
}

// Describe implements [prometheus.Collector].
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *collector) Collect(to chan<- prometheus.Metric) {
	c.sample(func(metric string, v float64, label ...string) {
		kind := prometheus.GaugeValue
		if strings.HasSuffix(metric, "_total") {
			kind = prometheus.CounterValue
		}
		to <- prometheus.MustNewConstMetric(c.descs[metric], kind, v, label...)
	})
}

func electionMetrics() []description {
	return []description{
		{"leader_state", "state", "What is known of the leader: 1 for the state that holds, 0 for the others."},
		{"leader_info", "leader", "The leader's name, from its znode: always 1. No sample while nobody leads or the leader is not known."},
		{"leader_since_seconds", "bound", "When the leader began to lead, in Unix time: between the bounds earliest and latest."},
		{"leader_known", "", "Whether electop is connected and knows who leads: 1 or 0."},
		{"candidates", "", "Candidates in the queue, the leader among them; no sample while their number is not known."},
		{"own_candidates_leading", "", "Candidates of this process that believe that they lead."},
		{"last_handoff_session_timeout_seconds", "", "Session timeout of the last leader that left and whose timeout is known."},
		{"missed_changes_total", "change", "Candidates created or deleted between two reads, which electop did not see."},
		{"uncounted_gaps_total", "", "Gaps of the observation in which an unknown number of changes was missed."},
		{"findings", "severity", "Findings of the doctor, by severity."},
		{"connected", "", "Whether electop's observing session is connected: 1 or 0."},
		{"reconnects_total", "", "Connections of the observing session after the first."},
		{"last_read_timestamp_seconds", "", "When the election was read last. It is read when it changes, not at intervals."},
	}
}

func sampleElection(s *doctor.State, put put) {
	now := stateOf(s)
	for _, state := range []leaderState{known, none, free, unknown} {
		put("leader_state", oneIf(now == state), string(state))
	}
	put("leader_known", oneIf(now == known))
	if now == known {
		put("leader_info", 1, znode.Safe(phrase.Label(s.Leader()), leaderMax))
		if r, ok := s.Reign(); ok {
			putTime(put, "leader_since_seconds", r.Earliest, "earliest")
			putTime(put, "leader_since_seconds", r.Latest, "latest")
		}
	}
	if current(s) {
		put("candidates", float64(s.Queue.Len()))
	}
	put("own_candidates_leading", float64(len(s.Properties.Believers)))
	for _, h := range slices.Backward(s.Handoffs) {
		if h.Timeout > 0 {
			put("last_handoff_session_timeout_seconds", h.Timeout.Seconds())
			break
		}
	}
	put("missed_changes_total", float64(s.Totals.MissedCreates), "create")
	put("missed_changes_total", float64(s.Totals.MissedDeletes), "delete")
	put("uncounted_gaps_total", float64(s.Totals.Unknown))
	n := map[doctor.Severity]float64{}
	for _, f := range s.Findings {
		n[f.Severity]++
	}
	for _, severity := range []doctor.Severity{doctor.Info, doctor.Warning, doctor.Critical} {
		put("findings", n[severity], string(severity))
	}
	put("connected", oneIf(s.Link.Link == model.Connected))
	put("reconnects_total", float64(s.Reconnects))
	putTime(put, "last_read_timestamp_seconds", s.ReadAt)
}

// These constants bound the values of the labels leader and path, in runes.
const (
	leaderMax = 80
	pathMax   = 1024
)

type leaderState string

const (
	known   leaderState = "known"
	none    leaderState = "none"    // nobody leads
	free    leaderState = "free"    // nobody holds the lock or waits for it
	unknown leaderState = "unknown" // the leader is unknown, or the path is no election
)

func stateOf(s *doctor.State) leaderState {
	why := s.NoLeader()
	switch {
	case !current(s):
		return unknown
	case s.Leader() != nil:
		return known
	case why.Unknown(), why == model.NoRole, s.ElectionUnseen():
		return unknown
	case why == model.NoCandidate && s.Dialect.Locks():
		return free
	}
	return none
}

func current(s *doctor.State) bool {
	return s.Link.Link == model.Connected && (s.Phase == model.Live || s.Phase == model.NoParent)
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func putTime(put put, metric string, t time.Time, label ...string) {
	if !t.IsZero() {
		put(metric, float64(t.UnixMilli())/1000, label...)
	}
}

type events struct {
	handoffs  *prometheus.CounterVec
	durations map[string]*prometheus.HistogramVec // by [model.Measure.Name]
}

func newEvents(labels prometheus.Labels) *events {
	// The bounds are in seconds. A handoff can take milliseconds, or several session timeouts.
	buckets := []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}
	histogram := func(name, help string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets, ConstLabels: labels}, []string{"quality"})
		h.WithLabelValues(measured)
		h.WithLabelValues(guess)
		return h
	}
	e := &events{
		handoffs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name:        "electop_handoffs_total",
			Help:        "Changes of the leader, also to and from nobody, by cause: why the old leader's znode was deleted, as far as electop knew when it saw the change.",
			ConstLabels: labels,
		}, []string{"cause"}),
		durations: map[string]*prometheus.HistogramVec{
			"silent": histogram("electop_silent_seconds", "Time from a leader's last sign of life to the deletion of its znode, as far as the servers report it."),
			"takeover": histogram("electop_takeover_seconds", "Time from the deletion of a leader's znode, or from the creation of the next leader's znode "+
				"if nobody led, to the acknowledgement of the next leader, as electop saw it."),
			"vacant": histogram("electop_vacancy_seconds", "Time for which an election had no candidate before it had a leader again, as electop saw it."),
		},
	}
	e.handoffs.WithLabelValues(nobody)
	for _, c := range phrase.Causes() {
		e.handoffs.WithLabelValues(string(c))
	}
	return e
}

const nobody = "none"

// The values of the label quality.
const (
	measured = "measured"
	guess    = "guess"
)

// count is for feed.Config.Events. The error is always nil.
func (e *events) count(all []model.Event) error {
	for _, ev := range all {
		var measures []model.Measure
		switch b := ev.Body.(type) {
		case model.Handoff:
			cause := string(b.Cause)
			if b.From == nil {
				cause = nobody
			}
			e.handoffs.WithLabelValues(cause).Inc()
			all := b.Measures()
			measures = all[:]
		case model.Acknowledged:
			measures = []model.Measure{b.Handoff.Measures()[1]} // the takeover
		}
		for _, m := range measures {
			h := e.durations[m.Name]
			if m.Took == nil || h == nil {
				continue
			}
			quality := measured
			if m.In == nil || m.Guess() {
				quality = guess
			}
			h.WithLabelValues(quality).Observe(m.Took.Seconds())
		}
	}
	return nil
}

type overview struct {
	election.Health
	elections []*doctor.State
	searches  *searches // nil: no searches
}

func commonMetrics() []description {
	return []description{
		{"up", "", "Whether electop's observing session is connected to ZooKeeper: 1 or 0."},
		{"elections", "", "Elections that electop watches."},
		{"elections_without_leader", "", "Elections whose electop_leader_state is none; no sample without a connection or before the first search ended."},
		{"elections_unwatched", "", "Elections that the last search found and electop does not watch: beyond the limit of 200, or with the path label of another."},
		{"search_complete", "", "Whether the last successful search for elections read every znode that it had to read: 1 or 0."},
		{"last_answer_timestamp_seconds", "", "When a ZooKeeper server last answered a request or ping of electop's observing session."},
		{"requests_total", "to", "Electop's own requests without pings: of the observing session, of searches, and to the servers about themselves."},
	}
}

func (o overview) sample(put put) {
	put("up", oneIf(!o.Connected.IsZero()))
	put("elections", float64(len(o.elections)))
	without := 0.0
	for _, s := range o.elections {
		without += oneIf(stateOf(s) == none)
	}
	if !o.Connected.IsZero() && (o.searches == nil || o.searches.ended) {
		put("elections_without_leader", without)
	}
	putTime(put, "last_answer_timestamp_seconds", o.Answered)
	put("requests_total", float64(o.Requests), "session")
	put("requests_total", float64(o.ServerRequests), "servers")
	if o.searches == nil {
		return
	}
	put("requests_total", float64(o.searches.requests), "search")
	if o.searches.ended {
		put("elections_unwatched", float64(o.searches.unwatched))
		put("search_complete", oneIf(o.searches.complete))
	}
}
