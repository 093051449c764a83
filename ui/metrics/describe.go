package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"electop/model"
	"electop/model/doctor"
)

// gauge is a metric that is computed from a state. add reports its samples, with the
// value of the label that it has besides path, if it has one.
type gauge struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	add  func(s *doctor.State, sample func(v float64, label ...string))
}

// gauges are those of each election.
func gauges() []gauge {
	describe := func(name, help string, label ...string) *prometheus.Desc {
		return prometheus.NewDesc("electop_"+name, help, append([]string{"path"}, label...), nil)
	}
	return []gauge{
		{describe("leader_known", "Whether electop is connected and knows who leads: 1 or 0."), prometheus.GaugeValue,
			func(s *doctor.State, sample func(float64, ...string)) { sample(truth(current(s) && s.Leader() != nil)) }},
		{describe("candidates", "Candidates in the queue, the leader among them; no sample while not known."), prometheus.GaugeValue,
			func(s *doctor.State, sample func(float64, ...string)) {
				if current(s) {
					sample(float64(s.Queue.Len()))
				}
			}},
		{describe("own_candidates_leading", "Candidates of this process that believe that they lead."), prometheus.GaugeValue,
			func(s *doctor.State, sample func(float64, ...string)) { sample(float64(len(s.Properties.Believers))) }},
		{describe("missed_changes_total", "Candidates created or deleted between two reads, which electop did not see.", "change"), prometheus.CounterValue,
			func(s *doctor.State, sample func(float64, ...string)) {
				sample(float64(s.Totals.MissedCreates), "create")
				sample(float64(s.Totals.MissedDeletes), "delete")
			}},
		{describe("uncounted_gaps_total", "Times that changes were missed and their number is not known."), prometheus.CounterValue,
			func(s *doctor.State, sample func(float64, ...string)) { sample(float64(s.Totals.Unknown)) }},
		{describe("findings", "Findings of the doctor, by severity.", "severity"), prometheus.GaugeValue,
			func(s *doctor.State, sample func(float64, ...string)) {
				n := map[doctor.Severity]int{}
				for _, f := range s.Findings {
					n[f.Severity]++
				}
				for _, severity := range []doctor.Severity{doctor.Info, doctor.Warning, doctor.Critical} {
					sample(float64(n[severity]), string(severity))
				}
			}},
		{describe("connected", "Whether electop's observing session is connected: 1 or 0."), prometheus.GaugeValue,
			func(s *doctor.State, sample func(float64, ...string)) { sample(truth(s.Link.Link == model.Connected)) }},
		{describe("reconnects_total", "Connections of the observing session after the first."), prometheus.CounterValue,
			func(s *doctor.State, sample func(float64, ...string)) { sample(float64(s.Reconnects)) }},
		{describe("last_read_timestamp_seconds", "When the election was read last. It is read when it changes, not at intervals."), prometheus.GaugeValue,
			func(s *doctor.State, sample func(float64, ...string)) {
				if !s.ReadAt.IsZero() {
					sample(unix(s.ReadAt))
				}
			}},
	}
}

// current reports whether the state is the election's as it is now.
func current(s *doctor.State) bool {
	return s.Link.Link == model.Connected && (s.Phase == model.Live || s.Phase == model.NoParent)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// answeredDesc and requestsDesc are of the session, which all elections share.
func answeredDesc() *prometheus.Desc {
	return prometheus.NewDesc("electop_last_answer_timestamp_seconds", "When a ZooKeeper server answered electop's observing session last, if only a ping.", nil, nil)
}

func requestsDesc() *prometheus.Desc {
	return prometheus.NewDesc("electop_requests_total", "Electop's own requests: of the observing session, without pings, and to the servers about themselves.", []string{"to"}, nil)
}

// Describe implements [prometheus.Collector].
func (c *Collector) Describe(to chan<- *prometheus.Desc) {
	for _, g := range gauges() {
		to <- g.desc
	}
	c.handoffs.Describe(to)
	c.takeover.Describe(to)
	c.vacancy.Describe(to)
	to <- answeredDesc()
	to <- requestsDesc()
}

// Collect implements [prometheus.Collector].
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	all := gauges()
	for _, e := range c.elections {
		s := e.State()
		for _, g := range all {
			g.add(s, func(v float64, label ...string) {
				to <- prometheus.MustNewConstMetric(g.desc, g.kind, v, append([]string{e.Path}, label...)...)
			})
		}
	}
	c.handoffs.Collect(to)
	c.takeover.Collect(to)
	c.vacancy.Collect(to)
	o := c.observer()
	if !o.Answered.IsZero() {
		to <- prometheus.MustNewConstMetric(answeredDesc(), prometheus.GaugeValue, unix(o.Answered))
	}
	to <- prometheus.MustNewConstMetric(requestsDesc(), prometheus.CounterValue, float64(o.Requests), "session")
	to <- prometheus.MustNewConstMetric(requestsDesc(), prometheus.CounterValue, float64(o.Questions), "servers")
}
