// Package exporter serves Prometheus metrics at /metrics, and the health of the observation at
// /healthz. A scrape reads the states of the watched elections; events are counted when they are observed.
// The user names the elections, or repeated searches find them.
package exporter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/ui/plain"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
)

const (
	requestTimeout  = 5 * time.Second
	responseTimeout = 10 * time.Second
	idleTimeout     = time.Minute
	headerMax       = 8 << 10
	scrapesMax      = 4 // at a time
)

// Exporter serves the metrics of watched elections. Call Flag, Listen and Start in this order.
type Exporter struct {
	flag, address string // the flag's name without --, and its value
	listener      net.Listener
	registry      *prometheus.Registry
	tasks         *process.Tasks
	watched       *election.Elections
	searcher      *searcher // nil: Search was not called
}

// Start runs w, and serves metrics until t ends. [Exporter.Watch] adds elections to w.
func (x *Exporter) Start(t *process.Tasks, w *election.Elections) {
	x.tasks, x.watched = t, w
	x.registry.MustRegister(describe(commonMetrics(), nil, func(put put) { x.overview().sample(put) }))
	w.Start(t)
	if x.searcher != nil {
		t.Start("search for elections", x.searcher.run)
	}
	t.Start("metrics", func(ctx context.Context) error { return serve(ctx, x.listener, x.handler()) })
}

// Exported is a watched election with its metrics.
type Exported struct {
	*election.Election
	metrics []prometheus.Collector
}

// Watch watches another election, after Start. ok is false if a watched election has the same path label.
func (x *Exporter) Watch(cfg model.Config) (e Exported, ok bool) {
	var count func([]model.Event) error
	e.metrics, count = metricsOf(cfg.Path, func() *doctor.State { return e.Feed.State() })
	if x.registry.Register(e.metrics[0]) != nil {
		return e, false
	}
	e.Election = x.watched.Add(x.tasks, feed.Config{Election: cfg, Events: count})
	x.registry.MustRegister(e.metrics[1:]...)
	return e, true
}

func metricsOf(path string, state func() *doctor.State) (all []prometheus.Collector, count func([]model.Event) error) {
	labels := prometheus.Labels{"path": znode.Safe(path, pathMax)}
	e := newEvents(labels)
	now := describe(electionMetrics(), labels, func(put put) { sampleElection(state(), put) })
	all = []prometheus.Collector{e.handoffs, now}
	for _, h := range e.durations {
		all = append(all, h)
	}
	return all, e.count
}

func (x *Exporter) remove(e Exported) {
	for _, c := range e.metrics {
		x.registry.Unregister(c)
	}
	x.watched.Remove(e.Election)
}

func (x *Exporter) overview() overview {
	o := overview{Health: x.watched.Health()}
	for _, e := range x.watched.All() {
		o.elections = append(o.elections, e.Feed.State())
	}
	if x.searcher != nil {
		o.searches = x.searcher.state()
	}
	return o
}

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

func (x *Exporter) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(x.registry, promhttp.HandlerOpts{MaxRequestsInFlight: scrapesMax}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		if why := x.overview().unhealthy(feed.Now()); why != "" {
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, why)
			return
		}
		io.WriteString(w, "ok\n")
	})
	return mux
}

func (o overview) unhealthy(now time.Time) string {
	why := ""
	switch age := now.Sub(o.Answered); {
	case o.Connected.IsZero():
		if why = "not connected to ZooKeeper"; o.Err != "" {
			why += ": " + o.Err
		}
	case age > o.Timeout:
		why = fmt.Sprintf("no answer from ZooKeeper for %s, longer than the session timeout of %s", units.Took(age), units.Exact(o.Timeout))
	case o.searches != nil && o.searches.err != nil:
		why = fmt.Sprintf("the search for elections failed: %v", o.searches.err)
	case o.searches != nil && !o.searches.ended:
		why = "connected, but no search for elections has ended yet"
	}
	if why != "" {
		return znode.Safe(why, 0) + "\n"
	}
	var out strings.Builder
	for _, s := range o.elections {
		switch { // a missing election is healthy, because it may appear
		case s.Phase == model.Forbidden:
			why = "the ACL does not allow READ"
		case s.ReadAt.IsZero():
			why = "connected, but not read yet"
		case s.ReadAt.Before(o.Connected):
			why = "connected again, but not read again yet"
		default:
			continue
		}
		fmt.Fprintf(&out, "%s: %s\n", znode.Safe(s.Path, 0), why)
	}
	return out.String()
}

const addressHelp = "serve Prometheus metrics and /healthz at `[HOST:]PORT`, on 127.0.0.1 without HOST (electop help metrics)"

// Flag declares the flag for the address, with its default.
func (x *Exporter) Flag(cmd *cobra.Command, name, value string) {
	x.flag = name
	help.Output.Add(cmd, func(f *pflag.FlagSet) { f.StringVar(&x.address, name, value, addressHelp) })
}

// Wanted reports whether the flag gives an address.
func (x *Exporter) Wanted() bool { return x.address != "" }

// Listen listens at the flag's address, and passes the metrics' address to note.
func (x *Exporter) Listen(note func(format string, args ...any)) error {
	addr := x.address
	if !strings.Contains(addr, ":") {
		addr = ":" + addr
	}
	if strings.HasPrefix(addr, ":") {
		addr = "127.0.0.1" + addr
	}
	if strings.HasSuffix(addr, ":") { // net.Listen would choose any free port
		return process.Usagef("--%s %q has no port: give PORT or HOST:PORT, as in 9141", x.flag, x.address)
	}
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return process.Usagef("--%s %s: another program listens there: give another port", x.flag, addr)
	case err != nil:
		return process.Usagef("--%s: %w: give PORT or HOST:PORT, as in 9141", x.flag, err)
	}
	x.listener, x.registry = l, prometheus.NewRegistry()
	open := ""
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		open = ", open to other machines"
	}
	note("metrics on http://%s/metrics%s", l.Addr(), open)
	return nil
}

// Close closes the listener, in case the command ends before [Exporter.Start].
func (x *Exporter) Close() {
	if x.listener != nil {
		x.listener.Close()
	}
}

const (
	// Max bounds an exporter's elections, because each has many series.
	Max = 200

	overMax        = 15 * time.Minute       // metrics stay at least this long after the deletion of an election or the last use of a lock
	retryAfter     = 5 * time.Second        // the shortest pause after a failed search
	connectedEvery = 100 * time.Millisecond // between checks for a connection before a search
)

type searcher struct {
	exporter *Exporter
	conn     client.Config
	reach    cluster.Reach
	watched  map[string]Exported
	removed  map[string]time.Time // paths that were watched; an election read before this time no longer exists

	mu  sync.Mutex
	now searches
}

type searches struct {
	ended     bool  // a search ended without an error
	complete  bool  // the last search that ended without an error was complete (see [election.Search.Complete])
	err       error // of the last search
	unwatched int   // number of elections that the method follow could not watch
	requests  uint64
}

// Search makes the exporter search for elections; call Search before Start.
func (x *Exporter) Search(conn client.Config, reach cluster.Reach) {
	x.searcher = &searcher{exporter: x, conn: conn, reach: reach, watched: make(map[string]Exported), removed: make(map[string]time.Time)}
}

func (s *searcher) state() *searches {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now
	return &now
}

func (s *searcher) run(ctx context.Context) error {
	var last plain.Discovery
	for process.Sleep(ctx, connectedEvery) == nil {
		// A search logs in again. If the servers refuse the credentials, more logins could lock the account.
		if s.exporter.watched.Health().Connected.IsZero() {
			continue
		}
		began := time.Now()
		found, err := s.once(ctx, last)
		last = found
		pause := election.Pause(time.Since(began))
		if err != nil {
			pause = max(retryAfter, time.Since(began))
		}
		process.Sleep(ctx, pause)
	}
	return nil
}

func (s *searcher) once(ctx context.Context, last plain.Discovery) (plain.Discovery, error) {
	found := election.NewSearch(election.Below("/"))
	found.Keep(last)
	found.Changed = func() { s.follow(found.Discovery()) }
	requests, err := found.Over(ctx, s.conn, s.reach)
	d := found.Discovery()
	s.follow(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.requests += requests
	if s.now.err = err; err == nil {
		s.now.ended, s.now.complete = true, found.Complete()
	}
	return d, err
}

func (s *searcher) follow(d plain.Discovery) {
	for path, e := range s.watched {
		if since, over := over(e.Feed.State()); over && time.Since(since) > overMax {
			s.exporter.remove(e)
			delete(s.watched, path)
			s.removed[path] = time.Now()
		}
	}
	unwatched, listed := 0, make(map[string]bool)
	for _, f := range d.Elections {
		path := f.State.Path
		listed[path] = true
		_, watched := s.watched[path]
		_, over := over(f.State)
		vacant := f.State.Queue.Len() == 0 && f.State.Dialect == nil // an earlier search found candidates here
		if watched || over || vacant || f.State.Roleless() || f.State.ReadAt.Before(s.removed[path]) {
			continue
		}
		if len(s.watched) < Max {
			if e, ok := s.exporter.Watch(model.Config{Path: path, AckPath: path + "-leader", AckFollows: true, Found: true}); ok {
				s.watched[path] = e
				continue
			}
		}
		unwatched++
	}
	maps.DeleteFunc(s.removed, func(path string, _ time.Time) bool { return !listed[path] })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.unwatched = unwatched
}

func over(s *doctor.State) (since time.Time, over bool) {
	if v, ok := s.Vacancy(); ok && stateOf(s) == free {
		return v.Since, true
	}
	return s.ReadAt, current(s) && s.Phase == model.NoParent
}
