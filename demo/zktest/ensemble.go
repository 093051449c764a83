package zktest

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// An Ensemble is several Apache ZooKeeper servers that form a quorum.
type Ensemble struct {
	Members []*Server
}

// NewEnsemble starts n servers and returns when all of them serve and one of
// them leads the ensemble. They are ended when the test is over.
func NewEnsemble(t testing.TB, n int) *Ensemble {
	t.Helper()
	requireApache(t)
	dir := t.TempDir()
	addrs, err := freeAddrs(3 * n)
	if err != nil {
		t.Fatalf("ports for an ensemble: %v", err)
	}
	e := &Ensemble{}
	var lines []string
	for i := range n {
		_, peer, _ := net.SplitHostPort(addrs[n+2*i])
		_, election, _ := net.SplitHostPort(addrs[n+2*i+1])
		lines = append(lines, fmt.Sprintf("server.%d=127.0.0.1:%s:%s", i+1, peer, election))
	}
	for i := range n {
		s := newServer(filepath.Join(dir, strconv.Itoa(i+1)))
		s.Addr, s.id, s.quorum = addrs[i], i+1, lines
		e.Members = append(e.Members, s)
	}
	t.Cleanup(func() {
		for _, s := range e.Members {
			s.end()
		}
	})
	for _, s := range e.Members {
		if err := s.spawn(); err != nil {
			t.Fatalf("ensemble member %d: %v", s.id, err)
		}
	}
	for _, s := range e.Members {
		if err := s.waitServing(); err != nil {
			t.Fatalf("ensemble member %d: %v", s.id, err)
		}
	}
	e.Leader(t)
	return e
}

// ConnectString lists the members' addresses.
func (e *Ensemble) ConnectString() string {
	var addrs []string
	for _, s := range e.Members {
		addrs = append(addrs, s.Addr)
	}
	return strings.Join(addrs, ",")
}

// Leader returns the member that leads the ensemble. It waits while there is
// none, as after the leader was killed.
func (e *Ensemble) Leader(t testing.TB) *Server {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); time.Sleep(pollInterval) {
		for _, s := range e.Members {
			if s.running() && s.mode() == "leader" {
				return s
			}
		}
	}
	t.Fatalf("ensemble %s: no leader after %v", e.ConnectString(), startTimeout)
	return nil
}
