package detail

import (
	"cmp"

	"electop/model/session"
	"electop/model/znode"
	"electop/ui/term"
)

// topic is something that a server can be asked for.
type topic struct {
	name   string
	answer func(*session.Server) *session.Answer
}

var topics = [...]topic{
	{"mode and counts", func(s *session.Server) *session.Answer { return &s.Basic }},
	{"connections", func(s *session.Server) *session.Answer { return &s.Connections }},
	{"sessions", func(s *session.Server) *session.Answer { return &s.Sessions }},
	{"watches", func(s *session.Server) *session.Answer { return &s.Watches }},
}

// gaps are what a server was asked for and did not report: which topics, why, and
// which setting would allow it. Topics with the same reason are one gap.
func gaps(s *session.Server) []term.Span {
	type gap struct {
		what, why, hint string
		refused         bool
	}
	var list []gap
	for _, t := range topics {
		a := t.answer(s)
		if a.State == session.NotAsked || a.State == session.Answered {
			continue
		}
		why := znode.Safe(a.Why, 160)
		if why == "" {
			why = string(a.State)
		}
		hint := znode.Safe(a.Hint, 80)
		if n := len(list); n > 0 && list[n-1].why == why && list[n-1].hint == hint {
			list[n-1].what += ", " + t.name
			continue
		}
		list = append(list, gap{t.name, why, hint, a.State == session.Refused})
	}
	if s.Leftover {
		list = append(list, gap{"the rest", "there are more than electop keeps", "", false})
	}
	var out []term.Span
	for _, h := range list {
		x := term.Span{Style: term.Trouble, Text: h.what + ": " + h.why}
		if h.refused {
			x.Style = term.Muted // nothing is wrong with the server
		}
		if h.hint != "" {
			x.Text += "; " + h.hint + " would allow it"
		}
		out = append(out, x)
	}
	return out
}

// incomplete says why t may not be the whole ensemble.
func incomplete(t *session.Table) string {
	return cmp.Or(znode.Safe(t.Unwhole, 0), "not every member of the ensemble is known")
}
