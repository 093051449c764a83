package admin

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"electop/model/session"
	"electop/model/units"
	"electop/zkwatch/admin/command"
	"electop/zkwatch/admin/transport"
)

// touchTimeout is how long deadlines wait until our sessions are heard from.
const touchTimeout = 500 * time.Millisecond

// anchorFresh is how old an anchor may be that serves as well as a new one: a hundredth of
// the tick to which servers round deadlines up, if that is the default of two seconds.
const anchorFresh = 20 * time.Millisecond

// poll asks one server all that p wants.
func (s *server) poll(ctx context.Context, p plan) (r result) {
	r = newResult(s.addr)
	defer func() { r.number = s.identity.Number }()
	defer func() {
		if e := recover(); e != nil { // no reply may end the program
			r = newResult(s.addr)
			r.fail(p.Want, s.panicked(e))
		}
	}()
	if now := time.Now(); !p.retry && now.Before(s.backoff.until) {
		r.fail(p.Want, session.Answer{State: session.Failed, At: s.cfg.Now(),
			Why: fmt.Sprintf("%s (asked again in %s)", s.backoff.why, units.AtMost(s.backoff.until.Sub(now)))})
		return r
	}
	s.alive, s.gotAnswers = false, false
	if a := s.identify(ctx, p.retry); a.State == session.Failed && !s.gotAnswers {
		r.fail(p.Want, a)
		s.failed(a.Why)
		return r
	}
	s.status(ctx, p, &r)
	if s.alive {
		s.backoff.reset()
	} else {
		s.failed(r.Basic.Why)
	}
	if r.Basic.State != session.Answered && r.Basic.State != session.Refused {
		r.fail(p.Want, r.Basic)
		return r
	}
	p.awaitRead(ctx) // if not, ctx is done, and what follows fails at once
	several := s.several(&r)
	p.each(several,
		func() bool {
			if p.Sessions {
				s.lists(ctx, p, several, &r)
			}
			return true
		},
		func() bool {
			if p.Watches {
				s.watches(ctx, p, &r)
			}
			return true
		})
	return r
}

// pollConnections asks one server for its connections alone.
func (s *server) pollConnections(ctx context.Context, p plan, version string) (r result) {
	defer func() {
		if e := recover(); e != nil { // as in poll
			r = result{}
			r.Connections = s.panicked(e)
		}
	}()
	r.Version = version
	s.connections(ctx, p, &r)
	return r
}

// panicked is the answer of a server whose reply a parser panicked on.
func (s *server) panicked(e any) session.Answer {
	s.cfg.Logger.Error("asking a server", "server", s.addr, "panic", e, "stack", string(debug.Stack()))
	return session.Answer{State: session.Failed, At: s.cfg.Now(), Why: "its reply could not be parsed"}
}

// failed makes polls of the server less frequent; the next one starts with identify.
func (s *server) failed(why string) {
	s.backoff.fail(why, s.cfg.Interval)
	s.identifyAt = time.Time{}
}

// status asks for what costs the server almost nothing.
func (s *server) status(ctx context.Context, p plan, r *result) {
	p.each(true,
		func() bool {
			var st command.Status
			if st, r.Basic = ask(ctx, s.access, command.ForStatus(), p.retry); r.Basic.State == session.Failed {
				return false
			}
			r.Version, r.Mode, r.Zxid, r.ConnectionCount = st.Version, st.Mode, st.Zxid, st.Connections
			r.Tick = s.identity.Tick
			return true
		},
		func() bool {
			if n, a := ask(ctx, s.access, command.ForCounts(), p.retry); a.State == session.Answered {
				r.WatchCount, r.Expired = n.Watches, n.Expired
			}
			return true
		},
		func() bool {
			if n, a := ask(ctx, s.access, command.ForDataWatches(), p.retry); a.State == session.Answered {
				r.DataWatches = n
			}
			return true
		})
	if p.read != nil {
		r.Expired = nil // it was counted before Table.At
	}
}

// several reports whether the server may be asked for several lists at once: they are
// short, and its list of connections needs no comparison with a count, in which the
// connections of other words would be.
func (s *server) several(r *result) bool {
	return r.small() && (s.onePort(r.Version) || s.httpWorks)
}

// lists asks for connections, sessions and ephemerals.
func (s *server) lists(ctx context.Context, p plan, several bool, r *result) {
	s.takeTook()
	before := s.touch(ctx, p, r)
	var answered time.Time
	p.each(several,
		func() bool { s.connections(ctx, p, r); return true },
		func() bool { answered = s.sessions(ctx, p, r); return true })
	if len(r.deadlines) > 0 {
		r.anchors = bracket(before, answered, r.conns)
	}
	r.took = s.takeTook()
}

// touch has a server that has deadlines hear of our sessions, and returns when it did.
// Its connections and its deadlines are asked for after that. A session that has just read
// the election was heard of.
func (s *server) touch(ctx context.Context, p plan, r *result) []session.Anchor {
	if p.read != nil {
		if before := s.cfg.Anchors(); len(before) > 0 && !slices.ContainsFunc(before, s.old) {
			return before
		}
	}
	if r.Mode != session.ModeFollower && r.Mode != session.ModeObserver { // those have no deadlines
		touch, cancel := context.WithTimeout(ctx, touchTimeout)
		s.cfg.Touch(touch)
		cancel()
	}
	return s.cfg.Anchors()
}

// old reports whether the anchor is too old for exact deadlines.
func (s *server) old(a session.Anchor) bool { return s.cfg.Now().Sub(a.Sent).Abs() > anchorFresh }

// sessions asks for sessions and ephemerals, and returns when they were answered.
func (s *server) sessions(ctx context.Context, p plan, r *result) time.Time {
	var d command.Dump
	d, r.Sessions = ask(ctx, s.access, command.ForDump(), p.retry)
	r.deadlines, r.ephemerals = d.Deadlines, d.Ephemerals
	return s.cfg.Now()
}

// watches asks for the table of watches, unless there are too many of them.
func (s *server) watches(ctx context.Context, p plan, r *result) {
	count := r.DataWatches
	if count < 0 {
		count = r.WatchCount
	}
	switch heavy := s.cfg.Heavy; {
	case ctx.Err() != nil: // the poll is over
		r.Watches = session.Answer{State: session.Failed, At: s.cfg.Now(), Why: text(transport.ErrNoAnswer)}
	case count < 0 && !heavy:
		r.Watches = session.Answer{State: session.Refused, At: s.cfg.Now(),
			Why: "the server does not report how many watches it has, and a large table would block it", Hint: transport.AllWords + ", or " + heavyHint}
	case count > MaxWatches && !heavy:
		r.Watches = session.Answer{State: session.Refused, At: s.cfg.Now(),
			Why: fmt.Sprintf("it has %d watches: a table of more than %d blocks the server", count, MaxWatches), Hint: heavyHint}
	default:
		r.watches, r.Watches = ask(ctx, s.access, command.ForWatches(), p.retry)
	}
}
