package zktest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	defaultTick = 100 * time.Millisecond // the shortest session is two ticks

	loopback = "127.0.0.1"

	startTimeout = 60 * time.Second // a JVM on a busy machine with two cores
	stopTimeout  = 10 * time.Second // after SIGTERM, then SIGKILL
	askTimeout   = 2 * time.Second  // a four-letter command on loopback
	pollInterval = 20 * time.Millisecond
)

// jars is the class path that Debian's package needs. The manifest of
// zookeeper.jar names most of its dependencies; servlet-api is one it forgets,
// and a binding of slf4j keeps it from complaining about having none.
var jars = [...]string{
	"/usr/share/java/zookeeper.jar",
	"/usr/share/java/zookeeper-jute.jar",
	"/usr/share/java/servlet-api.jar",
	"/usr/share/java/slf4j-nop.jar",
}

// tlsJars is what the manifest forgets of Netty, which TLS needs.
var tlsJars = [...]string{
	"/usr/share/java/netty-codec.jar",
	"/usr/share/java/netty-resolver.jar",
	"/usr/share/java/netty-transport-native-unix-common.jar",
}

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
func (s *Server) Serving() bool { return s.mode() != "" }

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
func (s *Server) Pause(t testing.TB) {
	t.Helper()
	s.program(t).Pause(t)
}

// Resume lets a paused server run on (SIGCONT).
func (s *Server) Resume(t testing.TB) {
	t.Helper()
	s.program(t).Resume(t)
}

func (s *Server) program(t testing.TB) *Program {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		t.Fatalf("Apache ZooKeeper %s is not running", s.Addr)
	}
	return s.proc
}

// end kills the server, however it is.
func (s *Server) end() {
	if p := s.take(); p != nil {
		p.Kill()
	}
}

func (s *Server) take() *Program {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.proc
	s.proc = nil
	return p
}

func (s *Server) running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proc != nil
}

// startOnFreePort starts a standalone server. Between the moment a port is
// found free and the moment the server listens on it a program other than these tests
// can take it, so it tries more than once.
func (s *Server) startOnFreePort() error {
	var err error
	for range 3 {
		var ports []string
		s.held.release()
		if ports, s.held, err = freeAddrs(loopback, loopback, loopback); err != nil {
			return err
		}
		s.Addr = ports[0]
		if s.admin {
			s.Admin = ports[1]
		}
		if s.tls != nil {
			s.Secure = ports[2]
		}
		if err = s.spawn(); err == nil {
			err = s.waitServing()
		}
		if err == nil || !strings.Contains(err.Error(), "in use") {
			return err
		}
	}
	return err
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
	args := []string{"-Xmx512m"}
	if s.quick {
		args = []string{"-Xms16m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
			"-Dzookeeper.preAllocSize=64"} // KiB, instead of 64 MiB a log file
	}
	if s.login != "" {
		jaas := filepath.Join(s.dir, "jaas.conf")
		if err := os.WriteFile(jaas, []byte("Server {\n"+s.login+"\n};\n"), 0o600); err != nil {
			return err
		}
		args = append(args, "-Djava.security.auth.login.config="+jaas,
			"-Dzookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider")
	}
	args = append(args, s.properties...)
	args = append(args, "-Dzookeeper.forceSync=no",
		"-cp", s.classPath(),
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", cfg)
	p, err := start("java", args...)
	if err == nil {
		s.proc = p
	}
	return err
}

func (s *Server) classPath() string {
	path := slices.Clone(jars[:])
	if s.tls != nil {
		path = append(path, tlsJars[:]...)
	}
	return strings.Join(path, string(os.PathListSeparator))
}

// waitServing returns when the server answers clients. It answers ruok before
// it has loaded its data; the Mode of srvr appears only when it serves. The port
// for TLS is opened after the other.
func (s *Server) waitServing() error {
	s.mu.Lock()
	p := s.proc
	s.mu.Unlock()
	deadline := time.Now().Add(startTimeout)
	for {
		if s.mode() != "" && (s.Secure == "" || listens(s.Secure)) {
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

func listens(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, askTimeout)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// Ask sends a four-letter word and returns the reply.
func (s *Server) Ask(t testing.TB, word string) string {
	t.Helper()
	reply, err := ask(s.Addr, word)
	if err != nil {
		t.Fatalf("ask Apache ZooKeeper %s %s: %v", s.Addr, word, err)
	}
	return reply
}

// mode is "standalone", "leader", "follower" or, when it does not serve, "".
func (s *Server) mode() string {
	reply, err := ask(s.Addr, "srvr")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(reply) {
		if m, ok := strings.CutPrefix(line, "Mode: "); ok {
			return strings.TrimSpace(m)
		}
	}
	return ""
}

// ask sends a four-letter command and returns the reply.
func ask(addr, command string) (string, error) {
	c, err := net.DialTimeout("tcp", addr, askTimeout)
	if err != nil {
		return "", err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(askTimeout))
	if _, err := io.WriteString(c, command); err != nil {
		return "", err
	}
	reply, err := io.ReadAll(io.LimitReader(c, 1<<20))
	return string(reply), err
}
