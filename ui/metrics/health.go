package metrics

import (
	"fmt"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
)

// Health is what the health of an election's observation is judged by.
type Health struct {
	State *doctor.State
	// Connected is since when the session is connected; zero: it is not. Answered is
	// when a server answered last.
	Connected, Answered time.Time
	// Timeout is the session's timeout: it bounds how old an answer may be.
	Timeout time.Duration
	Behind  time.Duration // for how long observations have waited to be applied
	Now     time.Time
}

// behindMax is how long observations may wait. It takes more than a moment only if
// nobody reads the command's output.
const behindMax = 5 * time.Second

// Why returns why the observation is not healthy, "" if it is. An election that does
// not exist is observed all the same: its parent may appear.
func (h Health) Why() string {
	s := h.State
	switch age := h.Now.Sub(h.Answered); {
	case h.Connected.IsZero() && s.Link.Err != "":
		return "not connected to ZooKeeper: " + s.Link.Err
	case h.Connected.IsZero():
		return "not connected to ZooKeeper"
	case age > h.Timeout:
		return fmt.Sprintf("no answer from ZooKeeper for %s, longer than the session timeout of %s", units.Took(age), units.Exact(h.Timeout))
	case h.Behind > behindMax:
		return fmt.Sprintf("what was observed has waited for %s: the command's output is not read", units.Took(h.Behind))
	case s.Phase == model.Forbidden:
		return "the ACL does not allow READ"
	case s.ReadAt.IsZero():
		return "connected, but not read yet"
	case s.ReadAt.Before(h.Connected):
		return "connected again, but not read again yet"
	}
	return ""
}
