package admin

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"electop/model"
	"electop/model/units"
)

// A result is what one server said in a round, not yet cut to anybody's
// election: the lists of server are empty, those here are whole, and paths are
// full.
type result struct {
	model.Server
	conns      []model.ServerConn
	deadlines  []model.Deadline
	ephemerals []model.Ephemeral
	watches    []model.Watch
	anchors    []model.Anchor // for deadlines
	id         int            // the number that the server gave, now or earlier; 0: none
}

// round asks one server all that p wants, one request after the other.
func (s *server) round(ctx context.Context, p plan) (r result) {
	r.Server = model.Server{Addr: s.addr, WatchCount: -1, DataWatches: -1}
	defer func() { r.id = s.ident.id }()
	defer func() {
		if e := recover(); e != nil { // what strangers send must not end the program
			s.asker.cfg.Logger.Error("asking a server", "server", s.addr, "panic", e, "stack", string(debug.Stack()))
			r = result{Server: model.Server{Addr: s.addr, WatchCount: -1, DataWatches: -1}}
			r.fail(p, model.Answer{State: model.Failed, At: s.asker.cfg.Now(), Why: "its reply could not be taken apart"})
		}
	}()
	if now := time.Now(); !p.asked && now.Before(s.again) {
		r.fail(p, model.Answer{State: model.Failed, At: s.asker.cfg.Now(),
			Why: fmt.Sprintf("%s (asked again in %s)", s.why, units.AtMost(s.again.Sub(now)))})
		return r
	}
	s.alive, s.reached = false, false
	if a := s.identify(ctx, p.asked); a.State == model.Failed && !s.reached {
		r.fail(p, a)
		s.failed(a.Why)
		return r
	}
	s.basics(ctx, p, &r)
	if s.alive {
		s.fails, s.again = 0, time.Time{}
	} else {
		s.failed(r.Basic.Why)
	}
	if r.Basic.State != model.Answered && r.Basic.State != model.Refused {
		r.fail(p, r.Basic)
		return r
	}
	if p.Sessions {
		s.connections(ctx, p, &r)
		s.sessions(ctx, p, &r)
	}
	if p.Watches {
		s.watches(ctx, p, &r)
	}
	return r
}

// basics asks the cheap part.
func (s *server) basics(ctx context.Context, p plan, r *result) {
	var b basics
	b, r.Basic = ask(ctx, s, &askBasics, p.asked)
	if r.Basic.State == model.Failed {
		return
	}
	r.Version, r.Mode, r.Zxid, r.ConnectionCount = b.version, b.mode, b.zxid, b.connections
	r.Tick = s.ident.tick
	if n, a := ask(ctx, s, &askWatchCount, p.asked); a.State == model.Answered {
		r.WatchCount = n
	}
	if n, a := ask(ctx, s, &askDataWatches, p.asked); a.State == model.Answered {
		r.DataWatches = n
	}
}

// sessions asks for sessions and ephemerals. The connections were asked for
// before, which tells whether a session of ours is connected to this server.
func (s *server) sessions(ctx context.Context, p plan, r *result) {
	if r.Mode != model.ModeFollower && r.Mode != model.ModeObserver { // those have no deadlines
		touch, cancel := context.WithTimeout(ctx, touchTimeout)
		s.asker.cfg.Touch(touch)
		cancel()
	}
	before := s.asker.cfg.Anchors()
	var d dump
	d, r.Sessions = ask(ctx, s, &askSessions, p.asked)
	if r.Sessions.State != model.Answered {
		return
	}
	r.deadlines, r.ephemerals = d.deadlines, d.ephemerals
	if len(d.deadlines) > 0 {
		r.anchors = bracket(before, s.asker.cfg.Now(), r.conns)
	}
}

// watches asks for the table of watches, unless there are too many of them.
func (s *server) watches(ctx context.Context, p plan, r *result) {
	count := r.DataWatches
	if count < 0 {
		count = r.WatchCount
	}
	switch heavy := s.asker.cfg.Heavy; {
	case ctx.Err() != nil: // the round is over
		r.Watches = model.Answer{State: model.Failed, At: s.asker.cfg.Now(), Why: text(errNoAnswer)}
	case count < 0 && !heavy:
		r.Watches = model.Answer{State: model.Refused, At: s.asker.cfg.Now(),
			Why: "the server does not tell how many watches it has, and the table of many would hold it up", Hint: allWords + ", or " + heavyHint}
	case count > MaxWatches && !heavy:
		r.Watches = model.Answer{State: model.Refused, At: s.asker.cfg.Now(),
			Why: fmt.Sprintf("it has %d watches: a table of more than %d holds the server up", count, MaxWatches), Hint: heavyHint}
	default:
		r.watches, r.Watches = ask(ctx, s, &askWatches, p.asked)
	}
}

// fail gives all that is wanted the same answer.
func (r *result) fail(p plan, a model.Answer) {
	r.Basic = a
	if p.Sessions {
		r.Connections, r.Sessions = a, a
	}
	if p.Watches {
		r.Watches = a
	}
}

// failed has the server asked less often. The first time it may be restarting:
// the next round asks it as ever.
func (s *server) failed(why string) {
	s.why = why
	pause := longestPause
	if s.fails < 8 {
		pause = min(pause, s.asker.cfg.Interval<<s.fails)
	}
	if s.fails++; s.fails > 1 {
		s.again = time.Now().Add(pause)
	}
	s.identAgain = time.Time{}
}
