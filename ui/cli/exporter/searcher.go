package exporter

import (
	"context"
	"sync"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/plain"
	"electop/zkwatch/client"
)

const (
	// Max bounds the elections of an exporter: each has about a hundred series.
	Max = 200
	// overMax is for how long an election that was found stays in the metrics after it is
	// no longer there or, of a lock, in use. A search may find it again.
	overMax = 15 * time.Minute
	// retryAfter is the least time after a search that failed.
	retryAfter = 5 * time.Second
	// connectedEvery is how often a search that waits looks whether there is a connection.
	connectedEvery = 100 * time.Millisecond
)

// searcher searches for elections, again and again, and has the exporter watch them.
type searcher struct {
	exporter *Exporter
	conn     client.Config // each search has a session of its own
	reach    cluster.Reach
	watched  map[string]Exported

	mu  sync.Mutex
	now searches
}

// searches is what the searches up to now found.
type searches struct {
	ended     bool  // one did, without failure
	complete  bool  // that one read everything
	err       error // of the last one
	unwatched int   // elections that were found and are not watched
	requests  uint64
}

// Search makes the exporter watch the elections that it finds over conn. Call it before
// Start.
func (x *Exporter) Search(conn client.Config, reach cluster.Reach) {
	x.searcher = &searcher{exporter: x, conn: conn, reach: reach, watched: make(map[string]Exported)}
}

func (s *searcher) state() *searches {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now
	return &now
}

// run searches until ctx ends.
func (s *searcher) run(ctx context.Context) error {
	var last plain.Discovery
	for s.wait(ctx, connectedEvery) {
		if s.exporter.watched.Reach().Connected.IsZero() { // the servers may refuse this client: each attempt counts
			continue
		}
		began := time.Now()
		found, err := s.once(ctx, last)
		last = found
		pause := election.Rest(time.Since(began))
		if err != nil {
			pause = max(retryAfter, time.Since(began))
		}
		s.wait(ctx, pause)
	}
	return nil
}

// wait reports whether ctx goes on for that long.
func (s *searcher) wait(ctx context.Context, d time.Duration) bool {
	over, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-over.Done()
	return ctx.Err() == nil
}

// once searches once. last is what the search before found.
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
		s.now.ended, s.now.complete = true, d.Stopped == "" && d.Denied == 0
	}
	return d, err
}

// follow watches what was found, and no longer what is over.
func (s *searcher) follow(d plain.Discovery) {
	for path, e := range s.watched {
		if since, over := over(e.Feed.State()); over && time.Since(since) > overMax {
			s.exporter.remove(e)
			delete(s.watched, path)
		}
	}
	unwatched := 0
	for _, f := range d.Elections {
		path := f.State.Path
		_, watched := s.watched[path]
		_, over := over(f.State)
		known := f.State.Queue.Len() == 0 && f.State.Dialect == nil // from an earlier search, and nobody is a candidate
		if watched || over || known || f.State.Dialect.Kind() == dialect.KindRegistry {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.unwatched = unwatched
}

// over reports whether the election is no longer there or, of a lock, in use, and since
// when electop knows that.
func over(s *doctor.State) (since time.Time, over bool) {
	if v, ok := s.Vacancy(); ok && stateOf(s) == free {
		return v.Since, true
	}
	return s.ReadAt, current(s) && s.Phase == model.NoParent
}
