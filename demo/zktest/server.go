package zktest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// defaultTick is short, because the shortest session timeout is two ticks.
const defaultTick = 100 * time.Millisecond

// serverJars are the jars in the server's class path. The manifest of zookeeper.jar names the other jars.
var serverJars = []string{"zookeeper", "zookeeper-jute", "servlet-api", "slf4j-nop"}

var tlsJars = []string{"netty-codec", "netty-resolver", "netty-transport-native-unix-common"}

func requireApache(t testing.TB) {
	t.Helper()
	Require(t, "zookeeper", append(strings.Split(ClassPath(serverJars...), ":"), "java")...)
}

// A Server is an Apache ZooKeeper process. Only one goroutine at a time may start or end it.
type Server struct {
	Addr   string // host:port for clients; the same after a restart
	Admin  string // host:port of the AdminServer; empty without [WithAdmin]
	Secure string // host:port for clients with TLS; empty without [WithTLS]

	admin  bool
	quick  bool
	tick   time.Duration
	stock  bool          // Apache's default bounds of session timeouts
	words  string        // allowed four-letter words
	tls    *Certificates // nil: no TLS
	login  string        // section Server of the JAAS configuration; empty: no SASL
	dir    string        // directory of zoo.cfg and the data
	id     int           // in an ensemble: 1, 2, ...
	quorum []string      // in an ensemble: the server.N lines of zoo.cfg
	links  bool

	initLimit, syncLimit int // in an ensemble, in ticks; 0: the default

	properties []string // -Dkey=value, for Java

	held reservation // reserves the ports of a standalone server

	mu   sync.Mutex
	proc *Program // nil before a start, and after Stop, Kill or a failed start
}

func newServer(dir string, options ...Option) *Server {
	s := &Server{dir: dir, quick: true, tick: defaultTick, words: "*"}
	for _, o := range options {
		o(s)
	}
	return s
}

// Start starts a stopped server with the same data and ports, and waits until it serves.
// In an ensemble, a quorum must run.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	s.Launch(t)
	if err := s.waitServing(); err != nil {
		t.Fatalf("start Apache ZooKeeper %s: %v", s.Addr, err)
	}
}

// Launch is Start without the wait.
func (s *Server) Launch(t testing.TB) {
	t.Helper()
	if err := s.spawn(); err != nil {
		t.Fatalf("start Apache ZooKeeper %s: %v", s.Addr, err)
	}
}

// Serving returns whether the server serves clients. In an ensemble, that needs a quorum.
func (s *Server) Serving() bool { return modeOf(s.Addr) != "" }

// Stop ends the server with SIGTERM, after 10 s with SIGKILL, and waits for its end.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if p := s.takeProgram(); p != nil {
		p.stop()
	}
}

// Kill kills the server with SIGKILL and waits for its end.
func (s *Server) Kill(testing.TB) { s.end() }

// Pause stops the server's process with SIGSTOP. Its connections stay open.
func (s *Server) Pause(t testing.TB) { s.running(t).Pause(t) }

// Resume resumes a paused server with SIGCONT.
func (s *Server) Resume(t testing.TB) { s.running(t).Resume(t) }

func (s *Server) running(t testing.TB) *Program {
	t.Helper()
	p := s.program()
	if p == nil {
		t.Fatalf("Apache ZooKeeper %s is not running", s.Addr)
	}
	return p
}

func (s *Server) program() *Program {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proc
}

func (s *Server) end() {
	if p := s.takeProgram(); p != nil {
		p.Kill()
	}
}

func (s *Server) dispose() {
	s.end()
	s.held.release()
}

func (s *Server) takeProgram() *Program {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.proc
	s.proc = nil
	return p
}

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

func (s *Server) spawn() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc != nil {
		return errors.New("the server is already running")
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
	args, err := s.javaArgs()
	if err != nil {
		return err
	}
	p, err := start("java", append(args, "org.apache.zookeeper.server.quorum.QuorumPeerMain", cfg)...)
	if err == nil {
		s.proc = p
	}
	return err
}

func (s *Server) javaArgs() ([]string, error) {
	args, jars := []string{"-Xmx512m"}, serverJars
	if s.quick {
		args = append(JavaOptions(), "-Xmx256m", "-Dzookeeper.preAllocSize=64") // in KiB; the default is 64 MiB
	}
	if s.tls != nil {
		jars = append(jars[:len(jars):len(jars)], tlsJars...)
	}
	if s.login != "" {
		jaas := filepath.Join(s.dir, "jaas.conf")
		if err := os.WriteFile(jaas, []byte("Server {\n"+s.login+"\n};\n"), 0o600); err != nil {
			return nil, err
		}
		args = append(args, "-Djava.security.auth.login.config="+jaas,
			"-Dzookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider")
	}
	args = append(args, s.properties...)
	return append(args, "-Dzookeeper.forceSync=no", "-cp", ClassPath(jars...)), nil
}

func (s *Server) config() string {
	host, port, _ := net.SplitHostPort(s.Addr)
	var b strings.Builder
	tick := s.tick.Milliseconds()
	fmt.Fprintf(&b, "tickTime=%d\n", tick)
	if !s.stock {
		fmt.Fprintf(&b, "minSessionTimeout=%d\nmaxSessionTimeout=60000\n", 2*tick)
	}
	fmt.Fprintf(&b, "dataDir=%s\nclientPort=%s\nclientPortAddress=%s\n", filepath.ToSlash(filepath.Join(s.dir, "data")), port, host)
	fmt.Fprintf(&b, "maxClientCnxns=0\n4lw.commands.whitelist=%s\n", s.words)
	if s.admin {
		host, port, _ := net.SplitHostPort(s.Admin)
		fmt.Fprintf(&b, "admin.serverAddress=%s\nadmin.serverPort=%s\n", host, port)
	} else {
		b.WriteString("admin.enableServer=false\n")
	}
	if s.tls != nil {
		host, port, _ := net.SplitHostPort(s.Secure)
		fmt.Fprintf(&b, "secureClientPort=%s\nsecureClientPortAddress=%s\n", port, host)
		b.WriteString("serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory\nssl.clientAuth=need\n")
		fmt.Fprintf(&b, "ssl.keyStore.location=%s\nssl.keyStore.type=PEM\n", filepath.ToSlash(s.tls.server))
		fmt.Fprintf(&b, "ssl.trustStore.location=%s\nssl.trustStore.type=PEM\n", filepath.ToSlash(s.tls.CA))
	}
	if s.quorum != nil {
		initLimit := cmp.Or(s.initLimit, int(max(5, 10_000/tick)))
		syncLimit := cmp.Or(s.syncLimit, int(max(2, 5_000/tick)))
		fmt.Fprintf(&b, "initLimit=%d\nsyncLimit=%d\n", initLimit, syncLimit)
		// With reconfiguration, a follower would take over the leader's server lines, and so the leader's links.
		b.WriteString("reconfigEnabled=false\n")
		for _, line := range s.quorum {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// waitServing uses srvr, because a server replies to ruok before its data is loaded. The TLS port opens last.
func (s *Server) waitServing() error {
	p := s.program()
	deadline := time.Now().Add(waitTimeout)
	for {
		if modeOf(s.Addr) != "" && (s.Secure == "" || listens(s.Secure)) {
			return nil
		}
		select {
		case <-p.exited:
			s.takeProgram()
			return fmt.Errorf("ended while starting: %v\n%s", p.err, p.Output())
		case <-time.After(pollInterval):
		}
		if time.Now().After(deadline) {
			s.end()
			return fmt.Errorf("does not serve after %v\n%s", waitTimeout, p.Output())
		}
	}
}

// FourLetterWord sends a four-letter word and returns the reply.
func (s *Server) FourLetterWord(t testing.TB, word string) string {
	t.Helper()
	reply, err := fourLetterWord(s.Addr, word, waitTimeout)
	if err != nil {
		t.Fatalf("send %s to Apache ZooKeeper %s: %v", word, s.Addr, err)
	}
	return reply
}

const wordTimeout = 2 * time.Second

func modeOf(addr string) string {
	reply, _ := fourLetterWord(addr, "srvr", wordTimeout)
	_, rest, _ := strings.Cut(reply, "\nMode: ")
	mode, _, _ := strings.Cut(rest, "\n")
	return mode
}

func fourLetterWord(addr, word string, timeout time.Duration) (string, error) {
	c, err := net.DialTimeout("tcp", addr, timeout)
	if err != nil {
		return "", err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(timeout))
	if _, err := io.WriteString(c, word); err != nil {
		return "", err
	}
	reply, err := io.ReadAll(io.LimitReader(c, 1<<20))
	return string(reply), err
}

func listens(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, wordTimeout)
	if err != nil {
		return false
	}
	c.Close()
	return true
}
