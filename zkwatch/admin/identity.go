package admin

import (
	"context"
	"fmt"
	"time"

	"electop/model/session"
	"electop/zkwatch/admin/command"
)

// identify finds out who the server is, and whether the AdminServer is its own:
// of several servers on one host only the first gets the usual port.
func (s *server) identify(ctx context.Context, retry bool) session.Answer {
	now := time.Now()
	if retry && !s.httpWorks && s.cfg.Mode == Auto {
		s.httpRetry, s.identifyAt = time.Time{}, time.Time{} // it may have an AdminServer by now
	}
	if now.Before(s.identifyAt) {
		return session.Answer{}
	}
	s.notItsOwn = ""
	id, a := ask(ctx, s.access, command.ForIdentity(), retry)
	if a.Via == string(overHTTP) && a.State == session.Answered {
		if s.notItsOwn = s.notOwned(id); s.notItsOwn != "" {
			s.httpWorks = false
			id, a = ask(ctx, s.access, command.ForIdentity(), retry)
		}
	} else if s.sharedURL && s.cfg.Mode != FourLetter {
		s.notItsOwn, s.httpWorks = "several servers share this URL, and its AdminServer does not say which server it belongs to", false
	}
	switch {
	case a.State == session.Answered:
		s.identity = id
		fallthrough
	case s.alive:
		s.identifyAt = now.Add(identityValid)
		if s.httpRetry.After(now) && s.httpRetry.Before(s.identifyAt) {
			s.identifyAt = s.httpRetry // HTTP is not trusted without it
		}
	}
	return a
}

// notOwned says why an AdminServer is not that of this server; "" if it is.
func (s *server) notOwned(id command.Identity) string {
	trusted := !s.sharedURL && (s.cfg.URL != DefaultURL || s.cfg.Mode == HTTP || s.cfg.DialTLS != nil)
	if trusted || id.Port == s.port || id.Port == 0 && !s.sharedURL {
		return ""
	}
	return fmt.Sprintf("the AdminServer there belongs to the server at port %d", id.Port)
}
