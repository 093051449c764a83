package admin

import (
	"errors"
	"strings"

	"electop/model/session"
	"electop/model/znode"
	"electop/zkwatch/admin/command"
	"electop/zkwatch/admin/transport"
)

// A way is how a command is sent: the value of session.Answer.Via.
type way string

const (
	overHTTP way = "http"
	asWord   way = "4lw"
)

// Flags of electop that help.
const (
	heavyHint = "--admin-heavy"
	urlHint   = "--admin-url"
)

type failure struct {
	by  way
	err error
}

// failures are those of one question, in the order of the attempts.
type failures []failure

// of returns the first error of a way, nil if it has none.
func (f failures) of(by way) error {
	for _, x := range f {
		if x.by == by {
			return x.err
		}
	}
	return nil
}

// refusal returns the refusal in an error, nil if there is none.
func refusal(err error) *transport.Refusal {
	var r *transport.Refusal
	errors.As(err, &r)
	return r
}

// alive reports whether a ZooKeeper server answered, if only to refuse.
func (f failures) alive() bool {
	for _, x := range f {
		if refusal(x.err) != nil || errors.Is(x.err, command.ErrNotServing) || errors.Is(x.err, command.ErrServerSays) {
			return true
		}
	}
	return false
}

// wordRefused reports whether a word was refused.
func (f failures) wordRefused() bool {
	for _, x := range f {
		if x.by == asWord && refusal(x.err) != nil {
			return true
		}
	}
	return false
}

// answer says what went wrong, and which setting of the server or flag of electop
// would help. The caller sets its time.
func (f failures) answer(heavy bool) session.Answer {
	a := session.Answer{State: session.Failed}
	var whys []string
	for _, x := range f {
		why := text(x.err)
		if len(f) > 1 {
			why = string(x.by) + ": " + why
		}
		whys = append(whys, why)
		a.Via = string(x.by)
		if r := refusal(x.err); r != nil {
			a.State = session.Refused
			if r.Hint != "" {
				a.Hint = r.Hint
			}
		} else if errors.Is(x.err, command.ErrTooLarge) {
			a.State = session.TooLarge
			if !heavy {
				a.Hint = heavyHint
			}
		}
	}
	a.Why = znode.Safe(strings.Join(whys, "; "), 0)
	return a
}

// text is err for people.
func text(err error) string { return znode.Safe(err.Error(), 0) }
