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
)

// By the commands' own stamps, two commands never run at once, whatever fails.
func TestNeverTwoCommands(t *testing.T) {
	zktest.Second(t)
	t.Parallel()
	duration, _ := zktest.Long(t)
	end := time.Now().Add(duration)
	h := newHavoc(t, rand.New(rand.NewPCG(zktest.Seed(t), 0)))
	names := slices.Sorted(maps.Keys(havocs))
	order := h.rng.Perm(len(names)) // all faults once, then all again
	made := map[string]int{}
	rounds := 0
	for ; rounds < len(names) || time.Now().Before(end); rounds++ {
		i := rounds
		name := names[order[i%len(order)]]
		running := h.stamps.awaitAfter(t, "a round", time.Now())
		repair := havocs[name](h, h.seatOf(running), running)
		// Most faults end before the session would expire. Some last longer.
		d := []time.Duration{havocSession / 4, havocSession, 5 * havocSession / 2}[h.rng.IntN(3)]
		<-time.After(time.Duration(h.rng.Int64N(int64(d))))
		if repair != nil {
			repair()
		}
		made[name]++
		h.restart()
		if h.stamps.check(t); t.Failed() {
			t.Fatalf("in round %d, after %s\n%s", i, name, h)
		}
		if i%50 == 49 {
			t.Logf("%d rounds", i+1)
		}
	}
	h.stamps.awaitAfter(t, "the last round", time.Now())
	h.stamps.check(t)
	t.Logf("%d rounds, %d runs of the command: %v", rounds, len(h.stamps.stints), made)
}

const havocSession = time.Second

type havoc struct {
	*testing.T
	rng    *rand.Rand
	e      *zktest.Ensemble
	out    *zk.Conn
	stamps *stamps
	seats  []*seat
}

type seat struct {
	name  string
	links []*zktest.Link
	args  []string

	*exec.Cmd
	said  *bytes.Buffer
	ended chan struct{}
}

func newHavoc(t *testing.T, rng *rand.Rand) *havoc {
	e := zktest.NewEnsemble(t, 3, zktest.WithLinks(), zktest.WithTick(100*time.Millisecond), zktest.WithLimits(20, 10))
	h := &havoc{T: t, rng: rng, e: e, out: session(t, e.ConnectString()), stamps: newStamps(t)}
	for i := range 3 {
		s := &seat{name: string(rune('a' + i))}
		var addrs []string
		for _, m := range e.Members {
			l := zktest.NewLink(t, m.Addr)
			s.links, addrs = append(s.links, l), append(addrs, l.Addr)
		}
		s.args = []string{"campaign", "/jobs", "--create", "--yes", "-s", strings.Join(addrs, ","), "--session-timeout", havocSession.String(),
			"--connect-timeout", "30s", "--grace", "200ms", "--name", s.name, "--", "stamper", h.stamps.name, s.name, fmt.Sprint(i + 1)}
		h.seats = append(h.seats, s)
		s.start(h)
		t.Cleanup(func() { s.end() })
	}
	return h
}

func (s *seat) start(h *havoc) {
	s.said, s.ended = new(bytes.Buffer), make(chan struct{})
	s.Cmd = exec.Command("electop", s.args...)
	s.Stdout, s.Stderr, s.WaitDelay = s.said, s.said, time.Second
	if err := s.Start(); err != nil {
		h.Fatal(err)
	}
	go func(cmd *exec.Cmd, ended chan struct{}) {
		defer close(ended)
		_ = cmd.Wait()
	}(s.Cmd, s.ended)
}

// Electop's guard then ends, too.
func (s *seat) end() {
	_ = s.Process.Kill()
	<-s.ended
}

func (h *havoc) restart() {
	for _, s := range h.seats {
		select {
		case <-s.ended:
			if code := s.ProcessState.ExitCode(); code != -1 && code != 125 && code != 143 {
				h.Errorf("%s ended with %d: %s", s.name, code, s.said)
			}
			s.start(h)
		default:
		}
	}
}

func (h *havoc) seatOf(running stint) *seat {
	return h.seats[slices.IndexFunc(h.seats, func(s *seat) bool { return s.name == running.name })]
}

func (h *havoc) String() string {
	var b strings.Builder
	for _, n := range h.stamps.stints[max(0, len(h.stamps.stints)-10):] {
		fmt.Fprintln(&b, n)
	}
	return b.String()
}

func (h *havoc) send(pid int, sig syscall.Signal) {
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		h.Fatal(err)
	}
}

func (h *havoc) stop(pid int) (repair func()) {
	h.send(pid, syscall.SIGSTOP)
	return func() { h.send(pid, syscall.SIGCONT) }
}

func onLinks(s *seat, do func(*zktest.Link)) (repair func()) {
	for _, l := range s.links {
		do(l)
	}
	return func() {
		for _, l := range s.links {
			l.Heal()
		}
	}
}

func (h *havoc) member() *zktest.Server { return h.e.Members[h.rng.IntN(len(h.e.Members))] }

// A fault affects the seat whose command runs; repair ends a lasting fault.
var havocs = map[string]func(h *havoc, s *seat, running stint) (repair func()){
	"network cut":  func(_ *havoc, s *seat, _ stint) func() { return onLinks(s, (*zktest.Link).Cut) },
	"network held": func(_ *havoc, s *seat, _ stint) func() { return onLinks(s, func(l *zktest.Link) { l.Hold() }) },
	"electop killed": func(h *havoc, s *seat, _ stint) func() {
		h.send(s.Process.Pid, syscall.SIGKILL)
		<-s.ended
		return nil
	},
	"electop ended": func(h *havoc, s *seat, _ stint) func() {
		h.send(s.Process.Pid, syscall.SIGTERM)
		<-s.ended
		return nil
	},
	"electop stopped": func(h *havoc, s *seat, _ stint) func() { return h.stop(s.Process.Pid) },
	// Electop ends, too, unless electop was ending the command itself.
	"guard killed":  func(h *havoc, _ *seat, n stint) func() { h.send(n.guard, syscall.SIGKILL); return nil },
	"guard stopped": func(h *havoc, _ *seat, n stint) func() { return h.stop(n.guard) },
	// The kernel kills the command's first process; seat a has no other.
	"both killed": func(h *havoc, s *seat, n stint) func() {
		h.send(s.Process.Pid, syscall.SIGKILL)
		if s.name == "a" && runtime.GOOS == "linux" {
			h.send(n.guard, syscall.SIGKILL)
		}
		<-s.ended
		return nil
	},
	"guard stopped, network held": func(h *havoc, s *seat, n stint) func() {
		cont, heal := h.stop(n.guard), onLinks(s, func(l *zktest.Link) { l.Hold() })
		return func() { heal(); cont() }
	},
	"znode deleted": func(h *havoc, _ *seat, n stint) func() {
		if err := h.out.Delete(n.znode, -1); err != nil && !errors.Is(err, zk.ErrNoNode) {
			h.Logf("delete %s: %v", n.znode, err)
		}
		return nil
	},
	"server killed": func(h *havoc, _ *seat, _ stint) func() {
		m := h.member()
		m.Kill(h)
		return func() { m.Start(h) }
	},
	"server isolated": func(h *havoc, _ *seat, _ stint) func() {
		h.e.Isolate(h.member())
		return func() { h.e.Heal() }
	},
}
