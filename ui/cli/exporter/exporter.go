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
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model"
	"electop/model/znode"
	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
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

// loopback is the host of an address that names none.
const loopback = "127.0.0.1"

// Flags declares --metrics.
func (x *Exporter) Flags(cmd *cobra.Command) {
	flaggroup.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&x.flag, "metrics", "", "serve Prometheus metrics and /healthz at `[HOST:]PORT`, on 127.0.0.1 without HOST (electop help metrics)")
	})
}

// Wanted reports whether --metrics was given.
func (x *Exporter) Wanted() bool { return x.flag != "" }

// address is the HOST:PORT that the flag means.
func address(flag string) (string, error) {
	if !strings.Contains(flag, ":") {
		flag = ":" + flag
	}
	host, port, err := net.SplitHostPort(flag)
	if err != nil {
		return "", exit.Usagef("--metrics %q is not an address: give PORT or HOST:PORT, as in 9141", flag)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", exit.Usagef("--metrics: %q is not a port: give a number up to 65535, as in 9141", port)
	} else {
		port = strconv.FormatUint(n, 10)
	}
	if host == "" {
		host = loopback
	}
	return net.JoinHostPort(host, port), nil
}

// Listen listens where --metrics says and reports the address to note. Without the flag
// it does nothing. An address that cannot be used is wrong usage.
func (x *Exporter) Listen(note func(format string, args ...any)) error {
	if !x.Wanted() {
		return nil
	}
	addr, err := address(x.flag)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return exit.Usagef("--metrics %s: another program listens there: give another port", addr)
	case err != nil:
		return exit.Usagef("--metrics: %w", err)
	}
	x.listener = l
	open := ""
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		open = ", open to other machines"
	}
	note("metrics on http://%s/metrics%s", l.Addr(), open)
	return nil
}

// Close ends the listening, for a command that ends before [Exporter.Run].
func (x *Exporter) Close() {
	if x.listener != nil {
		x.listener.Close()
	}
}
