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

// adopt makes this process the parent of orphaned descendants.
func adopt() error {
	if _, err := os.Stat("/proc/thread-self/children"); err != nil {
		return fmt.Errorf("this kernel does not list the children of a process: %w", err)
	}
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// below can miss a process that starts meanwhile, or whose parent ends meanwhile.
func below(pid int, spared []int) (found []int) {
	threads := fmt.Sprintf("/proc/%d/task", pid)
	entries, _ := os.ReadDir(threads)
	for _, thread := range entries {
		list, _ := os.ReadFile(filepath.Join(threads, thread.Name(), "children"))
		for word := range strings.FieldsSeq(string(list)) {
			if child, err := strconv.Atoi(word); err == nil && !slices.Contains(spared, child) {
				found = append(append(found, child), below(child, spared)...)
			}
		}
	}
	return found
}

func family() []int { return below(syscall.Getpid(), nil) }

// A process ID freed meanwhile is unused, because the kernel assigns all other IDs first.
func signalAll(_ int, sig syscall.Signal) {
	for _, pid := range family() {
		_ = syscall.Kill(pid, sig)
	}
}

// endOrphans runs after the guard's end, when this process has inherited the guard's children.
func endOrphans(_ int, spared []int) {
	for pause := gonePause; ; pause = min(pause+pause/8, look) { // another user's process may resist
		left := below(syscall.Getpid(), spared)
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

// tied makes the kernel kill a new process at the end of the thread that started the process.
func tied() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// self returns a path that stays valid if another version replaces the file.
func self() (string, error) { return "/proc/self/exe", nil }
