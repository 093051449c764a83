package zktest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	tickTime = 100 // ms; the shortest session is two ticks

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

// requireApache skips the test, or fails it if the environment says so, where
// Apache ZooKeeper cannot be started.
func requireApache(t testing.TB) {
	t.Helper()
	_, err := exec.LookPath("java")
	for _, jar := range jars {
		if err == nil {
			_, err = os.Stat(jar)
		}
	}
	if err == nil {
		return
	}
	if os.Getenv("ELECTOP_TEST_ZOOKEEPER") == "required" {
		t.Fatalf("Apache ZooKeeper not found: apt-get install zookeeper (ELECTOP_TEST_ZOOKEEPER=required): %v", err)
	}
	t.Skip("SKIP: Apache ZooKeeper not found: apt-get install zookeeper (real half not run)")
}

// A Server is one Apache ZooKeeper in a process of its own. Its methods are for
// one goroutine at a time.
type Server struct {
	Addr  string // host:port for clients, the same over restarts
	Admin string // host:port of the AdminServer; empty unless asked for

	admin  bool
	quick  bool     // to start, at the expense of speed afterwards
	dir    string   // zoo.cfg, the log and the data
	id     int      // in an ensemble: 1, 2, ...
	quorum []string // in an ensemble: the server.N lines of zoo.cfg

	properties []string // -Dkey=value, for the virtual machine

	mu   sync.Mutex
	proc *process // nil: not running
}

func newServer(dir string) *Server { return &Server{dir: dir, quick: true} }

// An Option of [NewApache].
type Option func(*Server)

// WithAdmin turns the AdminServer on: see Server.Admin.
func WithAdmin() Option { return func(s *Server) { s.admin = true } }

// ForSpeed lets Java compile and collect garbage as it does by default, for
// benchmarks. Otherwise it runs such that it starts quickly.
func ForSpeed() Option { return func(s *Server) { s.quick = false } }

// WithProperty sets a system property of the virtual machine.
func WithProperty(key, value string) Option {
	return func(s *Server) { s.properties = append(s.properties, "-D"+key+"="+value) }
}

// Start starts a server that was stopped or killed, with the same data and
// port, and waits until it serves. In an ensemble that takes a majority.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	err := s.spawn()
	if err == nil {
		err = s.waitServing()
	}
	if err != nil {
		t.Fatalf("start Apache ZooKeeper %s: %v", s.Addr, err)
	}
}

// Stop ends the server in order (SIGTERM) and waits until it is gone.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if p := s.take(); p != nil {
		p.stop(false)
	}
}

// Kill ends the server at once (SIGKILL) and waits until it is gone.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	if p := s.take(); p != nil {
		p.stop(true)
	}
}

// Pause stops the server's process (SIGSTOP): its connections stay open and
// nothing answers. Resume undoes it; Stop, Kill and the cleanup see to a paused
// server too.
func (s *Server) Pause(t testing.TB) { s.signal(t, pauseProcess, "pause") }

// Resume lets a paused server run on (SIGCONT).
func (s *Server) Resume(t testing.TB) { s.signal(t, resumeProcess, "resume") }

func (s *Server) signal(t testing.TB, send func(*os.Process) error, what string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		t.Fatalf("%s Apache ZooKeeper %s: it is not running", what, s.Addr)
	}
	if err := send(s.proc.cmd.Process); err != nil {
		t.Fatalf("%s Apache ZooKeeper %s: %v", what, s.Addr, err)
	}
}

// end kills the server, however it is.
func (s *Server) end() {
	if p := s.take(); p != nil {
		p.stop(true)
	}
}

func (s *Server) take() *process {
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
// found free and the moment the server listens on it somebody else can take
// it, so it tries more than once.
func (s *Server) startOnFreePort() error {
	var err error
	for range 3 {
		var ports []string
		if ports, err = freeAddrs(2); err != nil {
			return err
		}
		s.Addr = ports[0]
		if s.admin {
			s.Admin = ports[1]
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

// config is the text of zoo.cfg.
func (s *Server) config() string {
	host, port, _ := net.SplitHostPort(s.Addr)
	var b strings.Builder
	fmt.Fprintf(&b, "tickTime=%d\nminSessionTimeout=%d\nmaxSessionTimeout=60000\n", tickTime, 2*tickTime)
	fmt.Fprintf(&b, "dataDir=%s\nclientPort=%s\nclientPortAddress=%s\n", filepath.ToSlash(filepath.Join(s.dir, "data")), port, host)
	b.WriteString("maxClientCnxns=0\n4lw.commands.whitelist=*\nextendedTypesEnabled=true\n")
	if s.admin {
		host, port, _ := net.SplitHostPort(s.Admin)
		fmt.Fprintf(&b, "admin.serverAddress=%s\nadmin.serverPort=%s\n", host, port)
	} else {
		b.WriteString("admin.enableServer=false\n")
	}
	if s.quorum != nil {
		// In ticks: ten seconds to catch up with the ensemble leader, five to answer it.
		b.WriteString("initLimit=100\nsyncLimit=50\n")
		for _, line := range s.quorum {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
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
	args = append(args, s.properties...)
	args = append(args, "-Dzookeeper.forceSync=no",
		"-cp", strings.Join(jars[:], string(os.PathListSeparator)),
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", cfg)
	p, err := startProcess(filepath.Join(s.dir, "log"), "java", args...)
	if err != nil {
		return err
	}
	s.proc = p
	return nil
}

// waitServing returns when the server answers clients. It answers ruok before
// it has loaded its data; the Mode of srvr appears only when it serves.
func (s *Server) waitServing() error {
	s.mu.Lock()
	p := s.proc
	s.mu.Unlock()
	deadline := time.Now().Add(startTimeout)
	for {
		if s.mode() != "" {
			return nil
		}
		select {
		case <-p.exited:
			s.take()
			return fmt.Errorf("ended while starting: %v\n%s", p.err, p.tail())
		case <-time.After(pollInterval):
		}
		if time.Now().After(deadline) {
			s.end()
			return fmt.Errorf("does not serve after %v\n%s", startTimeout, p.tail())
		}
	}
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

// freeAddrs returns n loopback addresses on which nobody listens.
func freeAddrs(n int) ([]string, error) {
	var addrs []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		// All are held until the last is found, or one could come twice.
		defer l.Close()
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, nil
}

// A process is a running server. One goroutine starts it, waits for it and
// ends with it.
type process struct {
	cmd     *exec.Cmd
	logPath string
	exited  chan struct{}
	err     error // why it ended; valid once exited is closed
}

func startProcess(logPath, name string, args ...string) (*process, error) {
	log, err := os.Create(logPath)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(name, args...), logPath: logPath, exited: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	tieToParent(p.cmd)
	started := make(chan error)
	go func() {
		defer log.Close()
		// The kernel ties the child to the thread that started it, not to the
		// process: the thread must live as long as the child does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// stop ends the process and waits for it: kindly first unless kill is set.
func (p *process) stop(kill bool) {
	if !kill {
		resumeProcess(p.cmd.Process) // a paused process would not see the other signal
		terminateProcess(p.cmd.Process)
		select {
		case <-p.exited:
			return
		case <-time.After(stopTimeout):
		}
	}
	p.cmd.Process.Kill()
	<-p.exited
}

// tail is the end of what the process wrote, for an error message.
func (p *process) tail() string {
	b, _ := os.ReadFile(p.logPath)
	if len(b) > 2000 {
		b = b[len(b)-2000:]
	}
	return string(b)
}
