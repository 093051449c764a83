package command_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"electop/demo/zktest"
)

func signal(t *testing.T, dir, name string, sig syscall.Signal) {
	t.Helper()
	pid, err := strconv.Atoi(await(t, dir, name))
	if err == nil {
		err = syscall.Kill(pid, sig)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if b, _ := os.ReadFile(file); slices.Contains(strings.Split(string(b), "\x00"), "DIR="+dir) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			t.Errorf("process %d is left", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if b, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid())); err != nil || len(b) > 0 {
		t.Errorf("children of the supervisor: %.100q, error %v; want none", b, err)
	}
}

func TestNothingOutlivesTheCommand(t *testing.T) {
	const worker = `sh -c 'trap "" TERM; echo $$ > $DIR/worker; while :; do sleep 0.01; done'`
	commands := map[string]string{
		"timeout":        `exec timeout 600 ` + worker,
		"timeout, shell": `timeout 600 ` + worker + `; true`,
		"job control":    `exec bash -c 'set -m; sh -c "trap \"\" TERM; echo > \$DIR/worker; while :; do sleep 0.01; done" & wait'`,
		"setsid":         `exec setsid --wait ` + worker,
		"daemon":         `(setsid ` + worker + ` &); while :; do sleep 0.01; done`,
		"fork and exit":  `echo 'echo > $DIR/worker; setsid sh $DIR/fork & exit' > $DIR/fork; sh $DIR/fork; while :; do sleep 0.01; done`,
	}
	endings := map[string]func(t *testing.T, s *supervised, dir string){
		"stop":            func(_ *testing.T, s *supervised, _ string) { s.Stop() },
		"command killed":  func(t *testing.T, s *supervised, dir string) { signal(t, dir, "command", syscall.SIGKILL); <-s.over },
		"guard killed":    func(t *testing.T, s *supervised, dir string) { signal(t, dir, "guard", syscall.SIGKILL); <-s.over },
		"guard suspended": func(t *testing.T, s *supervised, dir string) { signal(t, dir, "guard", syscall.SIGSTOP); s.Stop() },
	}
	for name, script := range commands {
		for how, end := range endings {
			t.Run(name+"/"+how, func(t *testing.T) {
				if how != "stop" && name != "daemon" {
					zktest.SecondTier(t)
				}
				s, dir := lead(t, time.Minute, 50*time.Millisecond, true, `echo $$ > $DIR/command; echo $PPID > $DIR/guard; `+script)
				await(t, dir, "worker")
				end(t, s, dir)
				nothingLeft(t, dir)
			})
		}
	}
}

func TestGraceInOtherProcessGroup(t *testing.T) {
	s, dir := lead(t, time.Minute, waitFor, true, `export COMMAND=$$
timeout 600 sh -c 'trap "while kill -0 $COMMAND; do sleep 0.01; done; echo > $DIR/ended; exit" TERM
	echo > $DIR/worker; while :; do sleep 0.01; done'; true`)
	await(t, dir, "worker")
	s.Stop()
	nothingLeft(t, dir)
	if _, err := os.Stat(filepath.Join(dir, "ended")); err != nil {
		t.Errorf("the worker was killed: %v", err)
	}
}

func TestSupervisorSparesOtherChildren(t *testing.T) {
	other := exec.Command("sleep", "600")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	s, dir := lead(t, time.Minute, waitFor, true, `echo $PPID > $DIR/guard; exec setsid sleep 600`)
	signal(t, dir, "guard", syscall.SIGKILL)
	<-s.over
	if !alive(t, strconv.Itoa(other.Process.Pid)) {
		t.Error("the other child was killed")
	}
	_ = other.Process.Kill()
	_ = other.Wait()
	nothingLeft(t, dir)
}
