package zktest

import (
	"os"
	"os/exec"
	"runtime"
	"time"
)

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
