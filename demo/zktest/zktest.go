package zktest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"electop/demo/zkserver"
)

// A JVM takes about a second to start, so all tests share a server.
var (
	scratch = sync.OnceValue(func() string {
		dir := Must(os.MkdirTemp("", "zktest-"))
		atEnd(func() { os.RemoveAll(dir) })
		return dir
	})
	shared = sync.OnceValues(func() (*Server, error) {
		s := newServer(filepath.Join(scratch(), "server"))
		atEnd(s.dispose)
		return s, s.startAlone()
	})
)

var ends struct {
	sync.Mutex
	do []func() // called after the tests, in reverse order
}

func atEnd(f func()) {
	ends.Lock()
	defer ends.Unlock()
	ends.do = append(ends.do, f)
}

// Apache returns a running standalone Apache ZooKeeper that all tests share.
// Tests use their own paths; session timeouts are 200 ms to 60 s.
func Apache(t testing.TB) *Server {
	t.Helper()
	requireApache(t)
	s, err := shared()
	if err != nil {
		t.Fatalf("shared Apache ZooKeeper: %v", err)
	}
	return s
}

// NewApache returns a running standalone Apache ZooKeeper that ends with the test.
func NewApache(t testing.TB, options ...Option) *Server {
	t.Helper()
	requireApache(t)
	s := newServer(t.TempDir(), options...)
	t.Cleanup(s.dispose)
	if err := s.startAlone(); err != nil {
		t.Fatalf("Apache ZooKeeper: %v", err)
	}
	return s
}

// Each runs f, which needs its own paths, with the embedded server and with Apache's.
func Each(t *testing.T, f func(t *testing.T, addr string)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) {
		_, addr := zkserver.Start(t, zkserver.Options{})
		f(t, addr)
	})
	t.Run("apache", func(t *testing.T) { f(t, Apache(t).Addr) })
}

// Main calls [Tests] and exits with its result.
func Main(m *testing.M, options ...goleak.Option) {
	os.Exit(Tests(m, options...))
}

// garbage is GOGC for the tests and for the programs that they run.
const garbage = "400"

// Tests runs the tests, ends the shared server, fails if a goroutine is left.
// The tests mostly wait, so they run testsPerProcessor for each processor.
func Tests(m *testing.M, options ...goleak.Option) int {
	if !flag.Parsed() { // a -parallel on the command line overrides this default later
		flag.Set("test.parallel", strconv.Itoa(testsPerProcessor*runtime.GOMAXPROCS(0)))
	}
	// Fewer garbage collections save a fifth of the CPU time.
	if os.Getenv("GOGC") == "" {
		os.Setenv("GOGC", garbage)
		percent, _ := strconv.Atoi(garbage)
		debug.SetGCPercent(percent)
	}
	code := m.Run()
	for _, end := range slices.Backward(ends.do) {
		end()
	}
	if code == 0 {
		if err := goleak.Find(options...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}

// Await polls for at most a minute; use it only without an event to wait for.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); !holds(); time.Sleep(pollInterval) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", startTimeout, what)
		}
	}
}

// Must returns v, or panics.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
