package watch

import (
	"time"

	"electop/zkwatch/client"
)

// Reach is what is known of the observing session, at one moment.
type Reach struct {
	// Connected is since when the session is connected; zero: it is not.
	Connected time.Time
	// Answered is when a server answered last, a request or a ping; zero: none did in
	// the present session. Timeout is that session's timeout; 0: there was none.
	Answered time.Time
	Timeout  time.Duration
	Err      string // why it is not connected, as far as known
	// Requests counts those of the session and its predecessors; Questions those to
	// the servers about themselves.
	Requests, Questions uint64
}

// Reach returns what is known of the session now.
func (w *Elections) Reach() Reach {
	r := Reach{Requests: w.session.Requests()}
	if w.asker != nil {
		r.Questions = w.asker.Requests()
	}
	if refused := w.session.Refused(); refused != nil {
		r.Err = refused.Error()
	}
	c := w.session.Conn()
	if c == nil {
		return r
	}
	st := c.Status()
	r.Timeout = st.Timeout
	if st.State == client.Connected {
		r.Connected = st.Since
	} else if st.Err != nil {
		r.Err = st.Err.Error()
	}
	if a, ok := c.Anchor(); ok {
		r.Answered = a.Sent.Add(st.RTT)
	}
	return r
}
