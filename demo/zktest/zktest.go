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

var (
	scratch = sync.OnceValue(func() string {
		dir := Must(os.MkdirTemp("", "zktest-"))
		atEnd(func() { os.RemoveAll(dir) })
		return dir
	})
	// The tests share one server, because a JVM starts slowly.
	shared = sync.OnceValues(func() (*Server, error) {
		s := newServer(filepath.Join(scratch(), "server"))
		atEnd(s.dispose)
		return s, s.startAlone()
	})
)

var cleanups struct {
	sync.Mutex
	all []func()
}

func atEnd(f func()) {
	cleanups.Lock()
	defer cleanups.Unlock()
	cleanups.all = append(cleanups.all, f)
}

// Apache returns a running standalone Apache ZooKeeper that all tests of the binary share.
// Each test must use its own paths. Session timeouts are 200 ms to 60 s.
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

// Each runs f with a new embedded server and with the server of [Apache], so f must use its own paths.
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

const gogc = "400" // saves CPU time of the tests and of the Go programs that they run

// Tests runs the tests with defaults for -parallel and GOGC, and ends the shared server. A goroutine leak is a failure.
func Tests(m *testing.M, options ...goleak.Option) int {
	if !flag.Parsed() { // -parallel on the command line overrides this default later
		flag.Set("test.parallel", strconv.Itoa(testsPerProcessor*runtime.GOMAXPROCS(0)))
	}
	if os.Getenv("GOGC") == "" {
		os.Setenv("GOGC", gogc)
		percent, _ := strconv.Atoi(gogc)
		debug.SetGCPercent(percent)
	}
	code := m.Run()
	for _, f := range slices.Backward(cleanups.all) {
		f()
	}
	if code == 0 {
		if err := goleak.Find(options...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}

// Await polls until holds() is true, for at most a minute. Use it only if there is no event to wait for.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(waitTimeout); !holds(); time.Sleep(pollInterval) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", waitTimeout, what)
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
