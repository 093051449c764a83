package candidate_test

import (
	"context"
	"fmt"
	"net"

	"electop/demo/zktest"
	"electop/zkwatch/candidate"
	"electop/zkwatch/internal/clienttest"
)

// A seat is a place where one candidate stands after the other.
type seat struct {
	place
	number, generation int
	links              map[string]*zktest.Link // by the server's address

	name string // of the present candidate
	*candidate.Candidate
	cancel context.CancelFunc
	ended  chan error
}

// stand has a new candidate stand in a seat.
func (s *seat) stand(c *chaos) {
	s.generation++
	s.name = fmt.Sprintf("%c%d", 'a'+s.number, s.generation)
	cfg := candidate.Config{Conn: clienttest.Config(c.T, c.e.ConnectString()), Path: c.path, Create: true, Ack: c.path + "-leader"}
	cfg.Conn.SessionTimeout, cfg.Conn.DialTimeout = c.session, c.session/2
	cfg.Conn.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.links[addr].Addr)
	}
	c.w.attend(s.name, &cfg)
	s.Candidate = candidate.New(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.ended = cancel, make(chan error, 1)
	go func(candidate *candidate.Candidate, ended chan<- error) { ended <- candidate.Run(ctx) }(s.Candidate, s.ended)
}

// leave ends a seat's candidate, whatever was made of it.
func (s *seat) leave() {
	s.Thaw()
	s.cancel()
	<-s.ended
}

// onLinks does something to all of a seat's links and returns what heals them.
func (s *seat) onLinks(do func(*zktest.Link)) (heal func()) {
	for _, l := range s.links {
		do(l)
	}
	return func() {
		for _, l := range s.links {
			l.Heal()
			l.SetLatency(0, 0)
		}
	}
}
