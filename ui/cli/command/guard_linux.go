package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// clock is the same for all processes, includes the machine's sleep, and cannot be set.
func clock() time.Duration { return read(unix.CLOCK_BOOTTIME) }

// Adopt makes this process the parent of orphaned descendants.
func Adopt() error {
	if _, err := os.Stat("/proc/thread-self/children"); err != nil {
		return fmt.Errorf("this kernel does not list the children of a process: %w", err)
	}
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// Descendants returns the descendants of a process, except those in spared and their descendants. It can
// miss a descendant that starts or becomes an orphan during the call.
func Descendants(pid int, spared []int) (found []int) {
	threads := fmt.Sprintf("/proc/%d/task", pid)
	entries, _ := os.ReadDir(threads)
	for _, thread := range entries {
		list, _ := os.ReadFile(filepath.Join(threads, thread.Name(), "children"))
		for word := range strings.FieldsSeq(string(list)) {
			if child, err := strconv.Atoi(word); err == nil && !slices.Contains(spared, child) {
				found = append(append(found, child), Descendants(child, spared)...)
			}
		}
	}
	return found
}

func descendants() []int { return Descendants(syscall.Getpid(), nil) }

// signalAll signals all descendants. If one has just ended, no other process has its ID: the kernel reuses IDs late.
func signalAll(_ int, sig syscall.Signal) {
	for _, pid := range descendants() {
		_ = syscall.Kill(pid, sig)
	}
}

// EndOrphans kills the descendants of this process, except those in spared and their descendants. It returns when
// none is left.
func EndOrphans(_ int, spared []int) {
	for pause := killPause; ; pause = min(pause+pause/8, checkInterval) { // less and less often: SIGKILL may fail
		left := Descendants(syscall.Getpid(), spared)
		if len(left) == 0 {
			return
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
		time.Sleep(pause)
	}
}

// killedWithParent returns attributes with which the kernel kills a new process when the starting thread ends.
func killedWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// self returns a path to this program that stays valid if an upgrade replaces the program's file.
func self() (string, error) { return "/proc/self/exe", nil }
