package zktest

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// Memory is what a process has of the machine's memory, in bytes, as the kernel
// counts it: shared pages are included, swapped ones are not.
type Memory struct{ Resident, Peak int64 }

// Memory returns the memory of the program's process, without its children. Only
// Linux tells it: elsewhere the test is skipped.
func (p *Program) Memory(t testing.TB) Memory {
	t.Helper()
	file := fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid)
	status, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("SKIP: memory of %s: %v", p.name, err)
	}
	field := func(name string) int64 {
		match := regexp.MustCompile(`(?m)^` + name + `:\s+(\d+) kB$`).FindSubmatch(status)
		if match == nil {
			t.Fatalf("memory of %s: no %s in %s:\n%s", p.name, name, file, status)
		}
		kB, _ := strconv.ParseInt(string(match[1]), 10, 64)
		return kB << 10
	}
	return Memory{Resident: field("VmRSS"), Peak: field("VmHWM")}
}

// Memory returns the memory of the server's process: see [Program.Memory].
func (s *Server) Memory(t testing.TB) Memory {
	t.Helper()
	return s.program(t).Memory(t)
}
