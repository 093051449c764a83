package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
)

// Election is one of the elections to describe.
type Election struct {
	Path  string // as the user named it
	State func() *doctor.State
}

// Observer is what is known of the observing session.
type Observer struct {
	Answered            time.Time // when a server answered last; zero: none did
	Requests, Questions uint64    // to the elections' znodes, and to the servers about themselves
}

// Collector collects the metrics. It implements [prometheus.Collector].
type Collector struct {
	elections []Election
	observer  func() Observer

	handoffs          *prometheus.CounterVec
	takeover, vacancy *prometheus.HistogramVec
}

// New returns a collector for the elections. observer may be called at any time.
func New(elections []Election, observer func() Observer) *Collector {
	c := &Collector{elections: elections, observer: observer}
	c.handoffs = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "electop_handoffs_total",
		Help: "Changes of the leader, also to and from nobody, by why the old leader's znode was deleted, as far as that was known then.",
	}, []string{"path", "cause"})
	c.takeover = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "electop_takeover_seconds",
		Help:    "Time from the deletion of a leader's znode, or from the creation of the next one's if nobody led, to the acknowledgement of the next leader, as electop saw it.",
		Buckets: buckets(),
	}, []string{"path", "quality"})
	c.vacancy = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "electop_vacancy_seconds",
		Help:    "Time for which an election had no candidate before it had a leader again, as electop saw it.",
		Buckets: buckets(),
	}, []string{"path", "quality"})
	for _, e := range elections {
		for _, cause := range causes() {
			c.handoffs.WithLabelValues(e.Path, cause)
		}
		for _, quality := range []string{measured, guess} {
			c.takeover.WithLabelValues(e.Path, quality)
			c.vacancy.WithLabelValues(e.Path, quality)
		}
	}
	return c
}

// none is the cause of a handoff before which nobody led.
const none = "none"

// causes are the values of the label cause.
func causes() []string {
	all := []string{none}
	for _, c := range phrase.Causes() {
		all = append(all, string(c))
	}
	return all
}

// buckets are from a handoff on a good network to several session timeouts, in seconds.
func buckets() []float64 {
	return []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}
}

// The values of the label quality: see [model.Measure].
const (
	measured = "measured"
	guess    = "guess"
)

// Count counts events of the election at path. A duration that is not known is in no
// histogram.
func (c *Collector) Count(path string, events []model.Event) {
	for _, e := range events {
		var measures []model.Measure
		switch b := e.Body.(type) {
		case model.Handoff:
			cause := string(b.Cause)
			if b.From == nil {
				cause = none
			}
			c.handoffs.WithLabelValues(path, cause).Inc()
			all := b.Measures()
			measures = all[:]
		case model.Acknowledged:
			measures = []model.Measure{b.Handoff.Measures()[1]}
		}
		for _, m := range measures {
			if m.Took == nil {
				continue
			}
			quality := measured
			if m.In == nil || m.Guess() {
				quality = guess
			}
			switch m.Name {
			case "takeover":
				c.takeover.WithLabelValues(path, quality).Observe(m.Took.Seconds())
			case "vacant":
				c.vacancy.WithLabelValues(path, quality).Observe(m.Took.Seconds())
			}
		}
	}
}
