package zktest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// CPU returns the CPU time that the program's process has taken: that of the threads
// that it has now. Only Linux tells it: elsewhere the test is skipped.
func (p *Program) CPU(t testing.TB) time.Duration {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	if err != nil || len(threads) == 0 {
		t.Skipf("SKIP: CPU time of %s: no threads, %v", p.name, err)
	}
	var total time.Duration
	for _, name := range threads {
		text, err := os.ReadFile(name)
		if err != nil { // the thread has ended
			continue
		}
		onCPU, _, _ := strings.Cut(string(text), " ")
		ns, err := strconv.ParseInt(onCPU, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		total += time.Duration(ns)
	}
	return total
}

// CPU returns the CPU time of the server's process: see [Program.CPU].
func (s *Server) CPU(t testing.TB) time.Duration {
	t.Helper()
	return s.program(t).CPU(t)
}
