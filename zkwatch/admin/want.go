package admin

import (
	"context"
	"sync"
	"time"
)

// Want says what a poll asks for besides the status of each server.
type Want struct {
	Watches  bool // the tables of watches
	Sessions bool // connections, sessions and their deadlines
}

func (w Want) tables() bool { return w.Watches || w.Sessions }

// A poll ends then, with or without all answers.
const (
	statusPollTimeout = 4 * time.Second
	tablePollTimeout  = 15 * time.Second
)

// limit is how long a poll may take.
func (w Want) limit() time.Duration {
	if w.tables() {
		return tablePollTimeout
	}
	return statusPollTimeout
}

// A plan is what one poll asks for.
type plan struct {
	Want
	retry bool // somebody asks: servers that failed or refused are tried again
	// read is closed when the election has been read: what is evidence about its
	// candidates is asked for after that. nil: it had been before, and nobody waits.
	read <-chan struct{}
}

// awaitRead waits until the election is read. It reports false if ctx is done.
func (p plan) awaitRead(ctx context.Context) bool {
	if p.read == nil {
		return ctx.Err() == nil
	}
	select {
	case <-p.read:
		return true
	case <-ctx.Done():
		return false
	}
}

// each puts questions to one server that need nothing of each other's answers: at once
// if somebody waits and several may be. Otherwise one that returns false is the last.
func (p plan) each(several bool, questions ...func() (next bool)) {
	if p.read == nil || !several {
		for _, ask := range questions {
			if !ask() {
				return
			}
		}
		return
	}
	var all sync.WaitGroup
	panics := make([]any, len(questions))
	for i, ask := range questions {
		all.Go(func() {
			defer func() { panics[i] = recover() }()
			ask()
		})
	}
	all.Wait()
	for _, e := range panics {
		if e != nil {
			panic(e) // in the goroutine that recovers
		}
	}
}
