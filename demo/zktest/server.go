package zktest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// defaultTick: the shortest session is two ticks.
const defaultTick = 100 * time.Millisecond

// requireApache is Require for Apache ZooKeeper.
func requireApache(t testing.TB) {
	t.Helper()
	Require(t, "zookeeper", append(jars[:], "java")...)
}

// A Server is one Apache ZooKeeper in a process of its own. Its methods are for
// one goroutine at a time.
type Server struct {
	Addr   string // host:port for clients, the same over restarts
	Admin  string // host:port of the AdminServer; empty unless asked for
	Secure string // host:port for clients with TLS; empty unless asked for

	admin  bool
	quick  bool // to start, at the expense of speed afterwards
	tick   time.Duration
	stock  bool          // sessions as without any configuration of them
	words  string        // the four-letter words that it answers
	tls    *Certificates // nil: no TLS
	login  string        // of the JAAS configuration; empty: no SASL
	dir    string        // zoo.cfg and the data
	id     int           // in an ensemble: 1, 2, ...
	quorum []string      // in an ensemble: the server.N lines of zoo.cfg
	links  bool          // in an ensemble: the others are reached over links

	initLimit, syncLimit int // in an ensemble, in ticks; 0: see config

	properties []string // -Dkey=value, for the virtual machine

	held reservation // its ports

	mu   sync.Mutex
	proc *Program // nil: not running
}

func newServer(dir string, options ...Option) *Server {
	s := &Server{dir: dir, quick: true, tick: defaultTick, words: "*"}
	for _, o := range options {
		o(s)
	}
	return s
}

// Start starts a server that was stopped or killed, with the same data and
// port, and waits until it serves. In an ensemble that takes a majority.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	s.Launch(t)
	if err := s.waitServing(); err != nil {
		t.Fatalf("start Apache ZooKeeper %s: %v", s.Addr, err)
	}
}

// Launch starts a server as Start does and does not wait.
func (s *Server) Launch(t testing.TB) {
	t.Helper()
	if err := s.spawn(); err != nil {
		t.Fatalf("start Apache ZooKeeper %s: %v", s.Addr, err)
	}
}

// Serving tells whether the server serves clients now, which a member of an
// ensemble does while it belongs to a quorum, as far as it knows.
func (s *Server) Serving() bool { return modeOf(s.Addr) != "" }

// Stop ends the server in order (SIGTERM) and waits until it is gone.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if p := s.take(); p != nil {
		p.stop()
	}
}

// Kill ends the server at once (SIGKILL) and waits until it is gone.
func (s *Server) Kill(testing.TB) { s.end() }

// Pause stops the server's process (SIGSTOP): its connections stay open and
// nothing answers. Resume undoes it; Stop, Kill and the cleanup see to a paused
// server too.
func (s *Server) Pause(t testing.TB) { s.running(t).Pause(t) }

// Resume lets a paused server run on (SIGCONT).
func (s *Server) Resume(t testing.TB) { s.running(t).Resume(t) }

func (s *Server) running(t testing.TB) *Program {
	t.Helper()
	p := s.program()
	if p == nil {
		t.Fatalf("Apache ZooKeeper %s is not running", s.Addr)
	}
	return p
}

// program returns the server's process; nil: it does not run.
func (s *Server) program() *Program {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proc
}

// end kills the server, however it is.
func (s *Server) end() {
	if p := s.take(); p != nil {
		p.Kill()
	}
}

// dispose ends the server for good.
func (s *Server) dispose() {
	s.end()
	s.held.release()
}

func (s *Server) take() *Program {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.proc
	s.proc = nil
	return p
}

// startAlone starts a standalone server on free ports.
func (s *Server) startAlone() error {
	ports, held, err := freeAddrs(loopback, loopback, loopback)
	if err != nil {
		return err
	}
	s.held, s.Addr = held, ports[0]
	if s.admin {
		s.Admin = ports[1]
	}
	if s.tls != nil {
		s.Secure = ports[2]
	}
	if err := s.spawn(); err != nil {
		return err
	}
	return s.waitServing()
}

// spawn starts the process and does not wait until it serves.
func (s *Server) spawn() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc != nil {
		return errors.New("it is running")
	}
	data := filepath.Join(s.dir, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return err
	}
	if s.quorum != nil {
		if err := os.WriteFile(filepath.Join(data, "myid"), fmt.Appendln(nil, s.id), 0o644); err != nil {
			return err
		}
	}
	cfg := filepath.Join(s.dir, "zoo.cfg")
	if err := os.WriteFile(cfg, []byte(s.config()), 0o644); err != nil {
		return err
	}
	vm := jvm{quick: s.quick, tls: s.tls != nil, properties: s.properties}
	if s.login != "" {
		vm.jaas = filepath.Join(s.dir, "jaas.conf")
		if err := os.WriteFile(vm.jaas, []byte("Server {\n"+s.login+"\n};\n"), 0o600); err != nil {
			return err
		}
	}
	p, err := start("java", vm.command(cfg)...)
	if err == nil {
		s.proc = p
	}
	return err
}

// waitServing returns when the server answers clients. It answers ruok before
// it has loaded its data; the Mode of srvr appears only when it serves. The port
// for TLS is opened after the other.
func (s *Server) waitServing() error {
	p := s.program()
	deadline := time.Now().Add(startTimeout)
	for {
		if modeOf(s.Addr) != "" && (s.Secure == "" || listens(s.Secure)) {
			return nil
		}
		select {
		case <-p.exited:
			s.take()
			return fmt.Errorf("ended while starting: %v\n%s", p.err, p.Output())
		case <-time.After(pollInterval):
		}
		if time.Now().After(deadline) {
			s.end()
			return fmt.Errorf("does not serve after %v\n%s", startTimeout, p.Output())
		}
	}
}

// Ask sends a four-letter word and returns the reply.
func (s *Server) Ask(t testing.TB, word string) string {
	t.Helper()
	reply, err := ask(s.Addr, word, startTimeout)
	if err != nil {
		t.Fatalf("ask Apache ZooKeeper %s %s: %v", s.Addr, word, err)
	}
	return reply
}
