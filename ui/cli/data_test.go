package cli_test

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// dataServer is electop serve --data in a process of its own.
type dataServer struct {
	cmd  *exec.Cmd
	addr string
	said string // its second line
}

func startData(t *testing.T, file, listen string) *dataServer {
	t.Helper()
	s := &dataServer{cmd: exec.Command("electop", "serve", "--listen", listen, "--data", file)}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	s.cmd.Stderr = &errs
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	lines := bufio.NewScanner(out)
	lines.Scan()
	rest, _ := strings.CutPrefix(lines.Text(), "ZooKeeper on ")
	var ok bool
	if s.addr, _, ok = strings.Cut(rest, ". "); !ok {
		s.kill()
		t.Fatalf("it said %q, %s", lines.Text(), errs.String())
	}
	lines.Scan()
	s.said = lines.Text()
	return s
}

func (s *dataServer) kill() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

// A kill -9 in the middle of writes loses none that a client got a reply to. The
// sessions go on, with their credentials and ephemeral znodes, and so do the
// sequence numbers.
func TestKillLosesNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "data")
	s := startData(t, file, "127.0.0.1:0")
	if s.said != "It is new." {
		t.Errorf("it said %q", s.said)
	}
	addr := s.addr
	connect := func() *zk.Conn {
		c, events, err := zk.Connect([]string{addr, addr}, 20*time.Second, zk.WithLogger(silent{}))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for range events {
			}
		}()
		t.Cleanup(c.Close)
		return c
	}
	keeper := connect()
	open := zk.WorldACL(zk.PermAll)
	for _, path := range []string{"/e", "/secret"} {
		if _, err := keeper.Create(path, nil, 0, open); err != nil {
			t.Fatal(err)
		}
	}
	if err := keeper.AddAuth("digest", []byte("ann:pw")); err != nil {
		t.Fatal(err)
	}
	if _, err := keeper.Create("/secret/x", []byte("hers"), zk.FlagEphemeral, zk.DigestACL(zk.PermAll, "ann", "pw")); err != nil {
		t.Fatal(err)
	}
	session := keeper.SessionID()
	acknowledged := make(map[string]bool)
	for round := range 2 {
		ctx, stop := context.WithCancel(t.Context())
		var mu sync.Mutex
		var wg sync.WaitGroup
		enough := make(chan struct{})
		for w := range 4 {
			c := connect()
			wg.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					name, err := c.Create("/e/n_", fmt.Append(nil, round, w, i), zk.FlagSequence, open)
					if err != nil {
						return
					}
					mu.Lock()
					if acknowledged[name] {
						t.Errorf("%s twice", name)
					}
					acknowledged[name] = true
					if len(acknowledged) == (round+1)*200 {
						close(enough)
					}
					mu.Unlock()
				}
			})
		}
		select {
		case <-enough:
		case <-time.After(waitFor):
			t.Fatal("no progress")
		}
		s.kill() // while they write
		stop()
		s = startData(t, file, addr)
		wg.Wait()
		if !strings.HasPrefix(s.said, "It has ") {
			t.Errorf("it said %q", s.said)
		}
		names, _, err := keeper.Children("/e")
		for deadline := time.Now().Add(waitFor); err != nil && time.Now().Before(deadline); names, _, err = keeper.Children("/e") {
			// not connected again yet; the library waits between attempts
		}
		if err != nil {
			t.Fatal(err)
		}
		there := make(map[string]bool)
		for _, name := range names {
			there["/e/"+name] = true
		}
		for name := range acknowledged {
			if !there[name] {
				t.Errorf("round %d: %s is lost", round, name)
			}
		}
		if data, stat, err := keeper.Get("/secret/x"); err != nil || string(data) != "hers" || stat.EphemeralOwner != session || keeper.SessionID() != session {
			t.Errorf("round %d: %q, %+v, %v; session %#x of %#x", round, data, stat, err, keeper.SessionID(), session)
		}
	}
	t.Logf("%d creates were acknowledged", len(acknowledged))
}
