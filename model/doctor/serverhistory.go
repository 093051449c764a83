package doctor

import (
	"slices"

	"electop/model/session"
)

// serverHistory is the tables that rules about the ensemble compare: the last
// two that have ephemerals, calm apart.
type serverHistory struct{ last, next, base *session.Table }

func (h *serverHistory) add(t *session.Table) {
	if !slices.ContainsFunc(t.Servers, func(s session.Server) bool { return s.Sessions.State == session.Answered }) {
		return
	}
	switch {
	case h.last != nil && t.At.Before(h.last.At):
		*h = serverHistory{next: t}
	case h.next == nil:
		h.next = t
	case t.At.Sub(h.next.At) >= calm:
		h.base, h.next = h.next, t
	}
	h.last = t
}
