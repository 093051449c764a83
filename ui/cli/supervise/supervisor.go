package supervise

import (
	"sync"
	"time"
)

// A Supervisor runs a command whenever this process leads. [Supervisor.Lead] and
// [Supervisor.Stop] are for the goroutine of the candidate, and [Supervisor.Close] for
// another.
type Supervisor struct {
	Command Command
	Once    bool // the command is not run again after leadership was in doubt
	// Lease is the present lease; it may be called by several goroutines.
	Lease func() Lease
	// Over is called, by a goroutine of its own, when the command will not be run any more.
	Over func()

	mu     sync.Mutex
	reign  *reign // nil while the command may not run
	over   bool
	result error
	exited bool
	code   int
}

// A reign is a time in which the command may run.
type reign struct {
	stop chan struct{}
	done chan struct{} // closed when nothing of the command is left
	once sync.Once
}

func (r *reign) end() {
	r.once.Do(func() { close(r.stop) })
	<-r.done
}

// Lead says that this process leads, and runs the command with env added to the
// environment. It does not wait. Until Stop it may be called again, without effect.
func (s *Supervisor) Lead(env []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.reign != nil {
		return
	}
	r := &reign{stop: make(chan struct{}), done: make(chan struct{})}
	s.reign = r
	go func() {
		defer close(r.done)
		s.rule(r, env)
	}()
}

// Stop says that leadership is in doubt, and returns when nothing of the command is left.
func (s *Supervisor) Stop() {
	s.mu.Lock()
	r := s.reign
	s.mu.Unlock()
	if r == nil {
		return
	}
	r.end()
	s.mu.Lock()
	s.reign = nil
	s.mu.Unlock()
}

// Close stops the command for good, and returns when nothing of it is left.
func (s *Supervisor) Close() {
	s.mu.Lock()
	s.over = true
	r := s.reign
	s.mu.Unlock()
	if r != nil {
		r.end()
	}
}

// Result is how it ended: exited tells whether the command ended by itself, with an exit
// code. err is a [*Failure], or nil.
func (s *Supervisor) Result() (code int, exited bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.code, s.exited, s.result
}

// rule runs the command in a reign. The guard may have stopped it while leadership was
// never in doubt, because this process was stopped: then it is run again.
func (s *Supervisor) rule(r *reign, env []string) {
	for {
		select {
		case <-r.stop:
			return
		default:
		}
		e := s.Command.run(r.stop, env, s.Lease)
		if s.ended(e) {
			return
		}
		select {
		case <-r.stop:
			return
		case <-time.After(look):
		}
	}
}

// ended takes in how a run ended, and tells whether it was the last.
func (s *Supervisor) ended(e ending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return true
	}
	switch {
	case e.failure != nil:
		s.result = e.failure
	case e.exited:
		s.code, s.exited = e.code, true
	case s.Once && e.ran:
		s.result = failed("leadership was in doubt, so %s was stopped", s.Command.Args[0])
	default:
		return false
	}
	s.over = true
	go s.Over()
	return true
}
