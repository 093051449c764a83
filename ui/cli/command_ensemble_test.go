//go:build linux || darwin

package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/zkwatch/fault"
)

func TestNeverTwoCommands(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	duration, _ := zktest.Long(t)
	end := time.Now().Add(duration)
	h := newFaultTest(t, rand.New(rand.NewPCG(zktest.Seed(t), 0)))
	names := slices.Sorted(maps.Keys(faults))
	order := h.rng.Perm(len(names))
	made := map[string]int{}
	rounds := 0
	for ; rounds < len(names) || time.Now().Before(end); rounds++ {
		name := names[order[rounds%len(order)]]
		running := h.stamps.awaitAfter(t, "the start of a round", time.Now())
		repair := faults[name](h, h.campaignerOf(running), running)
		d := []time.Duration{sessionTimeout / 4, sessionTimeout, 5 * sessionTimeout / 2}[h.rng.IntN(3)]
		<-time.After(time.Duration(h.rng.Int64N(int64(d))))
		if repair != nil {
			repair()
		}
		made[name]++
		h.restart()
		if h.stamps.check(t); t.Failed() {
			t.Fatalf("failed in round %d, after the fault %q; the last commands:\n%s", rounds+1, name, h)
		}
		if rounds%50 == 49 {
			t.Logf("%d rounds", rounds+1)
		}
	}
	h.stamps.awaitAfter(t, "the last round", time.Now())
	h.stamps.check(t)
	t.Logf("%d rounds, %d runs of the command: %v", rounds, len(h.stamps.runs), made)
}

const sessionTimeout = time.Second

type faultTest struct {
	*testing.T
	rng         *rand.Rand
	e           *zktest.Ensemble
	conn        *zk.Conn
	stamps      *stamps
	campaigners []*campaigner
}

type campaigner struct {
	name  string
	links []*fault.Link
	args  []string

	*exec.Cmd
	output *bytes.Buffer
	ended  chan struct{}
}

func newFaultTest(t *testing.T, rng *rand.Rand) *faultTest {
	e := zktest.NewEnsemble(t, 3, zktest.WithLinks(), zktest.WithTick(100*time.Millisecond), zktest.WithLimits(20, 10))
	h := &faultTest{T: t, rng: rng, e: e, conn: session(t, e.ConnectString()), stamps: newStamps(t)}
	for i := range 3 {
		s := &campaigner{name: string(rune('a' + i))}
		var addrs []string
		for _, m := range e.Members {
			l := zktest.NewLink(t, m.Addr)
			s.links, addrs = append(s.links, l), append(addrs, l.Addr)
		}
		s.args = []string{"campaign", "/jobs", "--create", "--yes", "-s", strings.Join(addrs, ","), "--session-timeout", sessionTimeout.String(),
			"--connect-timeout", "30s", "--grace", "200ms", "--name", s.name, "--", "stamper", h.stamps.name, s.name, fmt.Sprint(i + 1)}
		h.campaigners = append(h.campaigners, s)
		s.start(h)
		t.Cleanup(s.kill)
	}
	return h
}

func (s *campaigner) start(h *faultTest) {
	s.output, s.ended = new(bytes.Buffer), make(chan struct{})
	s.Cmd = exec.Command("electop", s.args...)
	s.Stdout, s.Stderr, s.WaitDelay = s.output, s.output, time.Second
	if err := s.Start(); err != nil {
		h.Fatal(err)
	}
	go func(cmd *exec.Cmd, ended chan struct{}) {
		defer close(ended)
		_ = cmd.Wait()
	}(s.Cmd, s.ended)
}

func (s *campaigner) kill() {
	_ = s.Process.Kill()
	<-s.ended
}

func (h *faultTest) restart() {
	for _, s := range h.campaigners {
		select {
		case <-s.ended:
			if code := s.ProcessState.ExitCode(); code != -1 && code != 125 && code != 143 {
				h.Errorf("%s ended with %d: %s", s.name, code, s.output)
			}
			s.start(h)
		default:
		}
	}
}

func (h *faultTest) campaignerOf(running commandRun) *campaigner {
	return h.campaigners[slices.IndexFunc(h.campaigners, func(s *campaigner) bool { return s.name == running.name })]
}

func (h *faultTest) String() string {
	var b strings.Builder
	for _, n := range h.stamps.runs[max(0, len(h.stamps.runs)-10):] {
		fmt.Fprintln(&b, n)
	}
	return b.String()
}

func (h *faultTest) send(pid int, sig syscall.Signal) {
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		h.Fatal(err)
	}
}

func (h *faultTest) suspend(pid int) (repair func()) {
	h.send(pid, syscall.SIGSTOP)
	return func() { h.send(pid, syscall.SIGCONT) }
}

func onLinks(s *campaigner, do func(*fault.Link)) (repair func()) {
	for _, l := range s.links {
		do(l)
	}
	return func() {
		for _, l := range s.links {
			l.Heal()
		}
	}
}

func (h *faultTest) member() *zktest.Server { return h.e.Members[h.rng.IntN(len(h.e.Members))] }

// faults maps a name to a fault for s, the campaigner whose command runs. repair is nil if the fault needs none.
var faults = map[string]func(h *faultTest, s *campaigner, running commandRun) (repair func()){
	"network cut": func(_ *faultTest, s *campaigner, _ commandRun) func() { return onLinks(s, (*fault.Link).Cut) },
	"network held": func(_ *faultTest, s *campaigner, _ commandRun) func() {
		return onLinks(s, func(l *fault.Link) { l.Hold() })
	},
	"electop killed": func(h *faultTest, s *campaigner, _ commandRun) func() {
		h.send(s.Process.Pid, syscall.SIGKILL)
		<-s.ended
		return nil
	},
	"electop ended": func(h *faultTest, s *campaigner, _ commandRun) func() {
		h.send(s.Process.Pid, syscall.SIGTERM)
		<-s.ended
		return nil
	},
	"electop suspended": func(h *faultTest, s *campaigner, _ commandRun) func() { return h.suspend(s.Process.Pid) },
	"guard killed":      func(h *faultTest, _ *campaigner, n commandRun) func() { h.send(n.guard, syscall.SIGKILL); return nil },
	"guard suspended":   func(h *faultTest, _ *campaigner, n commandRun) func() { return h.suspend(n.guard) },
	// On Linux the command's first process dies with the guard. Campaigner "a" has no other process of the command.
	"electop and guard killed": func(h *faultTest, s *campaigner, n commandRun) func() {
		h.send(s.Process.Pid, syscall.SIGKILL)
		if s.name == "a" && runtime.GOOS == "linux" {
			h.send(n.guard, syscall.SIGKILL)
		}
		<-s.ended
		return nil
	},
	"guard suspended, network held": func(h *faultTest, s *campaigner, n commandRun) func() {
		cont, heal := h.suspend(n.guard), onLinks(s, func(l *fault.Link) { l.Hold() })
		return func() { heal(); cont() }
	},
	"znode deleted": func(h *faultTest, _ *campaigner, n commandRun) func() {
		if err := h.conn.Delete(n.znode, -1); err != nil && !errors.Is(err, zk.ErrNoNode) {
			h.Logf("delete %s: %v", n.znode, err)
		}
		return nil
	},
	"server killed": func(h *faultTest, _ *campaigner, _ commandRun) func() {
		m := h.member()
		m.Kill(h)
		return func() { m.Start(h) }
	},
	"server isolated": func(h *faultTest, _ *campaigner, _ commandRun) func() {
		h.e.Isolate(h.member())
		return func() { h.e.Heal() }
	},
}
