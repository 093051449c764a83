// Package exporter serves the metrics of watched elections, and whether the observation
// is healthy, over HTTP.
package exporter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"electop/model"
	"electop/model/znode"
	"electop/ui/cli/watch"
	"electop/ui/metrics"
	"electop/zkwatch/feed"
)

// Bounds of what a client of the HTTP server may cost.
const (
	requestTimeout  = 5 * time.Second
	responseTimeout = 10 * time.Second
	idleTimeout     = time.Minute
	headerMax       = 8 << 10
	scrapesMax      = 4 // at a time
)

// Exporter serves what --metrics asks for. Its zero value has no flag.
type Exporter struct {
	flag      string
	listener  net.Listener
	watched   *watch.Elections
	elections []*watch.Election // those of the command line
	collector *metrics.Collector
}

// Attach implements [watch.Metrics].
func (x *Exporter) Attach(w *watch.Elections) {
	x.watched, x.elections = w, w.All()
	var described []metrics.Election
	for _, e := range x.elections {
		described = append(described, metrics.Election{Path: e.Path, State: e.Feed.State})
	}
	x.collector = metrics.New(described, func() metrics.Observer {
		r := w.Reach()
		return metrics.Observer{Answered: r.Answered, Requests: r.Requests, Questions: r.Questions}
	})
}

// Count implements [watch.Metrics].
func (x *Exporter) Count(path string, events []model.Event) { x.collector.Count(path, events) }

// Run implements [watch.Metrics]: it serves until ctx ends.
func (x *Exporter) Run(ctx context.Context) error { return serve(ctx, x.listener, x.handler()) }

// serve serves h on l until ctx ends, within the bounds.
func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{
		Handler:                      h,
		ReadHeaderTimeout:            requestTimeout,
		ReadTimeout:                  requestTimeout,
		WriteTimeout:                 responseTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               headerMax,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(io.Discard, "", 0),
	}
	defer context.AfterFunc(ctx, func() { s.Close() })()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics on %s: %w", l.Addr(), err)
	}
	return nil
}

// handler serves the two pages, and nothing else.
func (x *Exporter) handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(x.collector)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: scrapesMax}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		why := x.unhealthy()
		if why != "" {
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, why)
			return
		}
		io.WriteString(w, "ok\n")
	})
	return mux
}

// unhealthy says, a line for each election, why its observation is not healthy; "" if all
// are.
func (x *Exporter) unhealthy() string {
	r := x.watched.Reach()
	var out strings.Builder
	for _, e := range x.elections {
		why := metrics.Health{
			State: e.Feed.State(), Connected: r.Connected, Answered: r.Answered, Timeout: r.Timeout,
			Behind: e.Feed.Behind(), Now: feed.Now(),
		}.Why()
		if why != "" {
			fmt.Fprintf(&out, "%s: %s\n", znode.Safe(e.Path, 0), znode.Safe(why, 300))
		}
	}
	return out.String()
}
