package zktest

import (
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// An Ensemble is several Apache ZooKeeper servers that form a quorum.
type Ensemble struct {
	Members []*Server

	links links // nil without WithLinks
}

// NewEnsemble starts n servers and returns when all of them serve and one of
// them leads the ensemble. They are ended when the test is over.
//
// With [WithAdmin] each member has a loopback address of its own (127.0.0.1,
// 127.0.0.2, ...), and all AdminServers have the same port, as on machines of
// their own; only Linux has these addresses at once, and tests are skipped
// elsewhere.
func NewEnsemble(t testing.TB, n int, options ...Option) *Ensemble {
	t.Helper()
	requireApache(t)
	dir := t.TempDir()
	e := &Ensemble{}
	for i := range n {
		s := newServer(filepath.Join(dir, strconv.Itoa(i+1)), options...)
		s.id = i + 1
		e.Members = append(e.Members, s)
	}
	hosts := make([]string, n)
	for i := range hosts {
		hosts[i] = loopback
		if e.Members[i].admin {
			if runtime.GOOS != "linux" {
				t.Skip("only Linux has a loopback address for each member")
			}
			hosts[i] = fmt.Sprintf("127.0.0.%d", i+1)
		}
	}
	addrs, held, err := freeAddrs(slices.Repeat(hosts, 4)...)
	if err != nil {
		t.Fatalf("ports for an ensemble: %v", err)
	}
	t.Cleanup(held.release)
	quorum, election := addrs[2*n:3*n], addrs[3*n:]
	if n > 0 && e.Members[0].links {
		if e.links, err = newLinks(quorum, election); err != nil {
			t.Fatalf("links between the members of an ensemble: %v", err)
		}
		t.Cleanup(e.links.close)
	}
	for i, s := range e.Members {
		s.Addr = addrs[i]
		if s.tls != nil {
			s.Secure = addrs[n+i]
		}
		for j := range e.Members {
			at, votes := quorum[j], election[j]
			if pair, ok := e.links[[2]int{i, j}]; ok {
				at, votes = pair[0].Addr, pair[1].Addr
			}
			_, port, _ := net.SplitHostPort(votes)
			s.quorum = append(s.quorum, fmt.Sprintf("server.%d=%s:%s", j+1, at, port))
		}
	}
	if n > 0 && e.Members[0].admin {
		port, held, err := freePort(hosts...)
		if err != nil {
			t.Fatalf("port for AdminServers: %v", err)
		}
		t.Cleanup(reservation{held}.release)
		for i, s := range e.Members {
			s.Admin = net.JoinHostPort(hosts[i], port)
		}
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

// AdminURL is where the AdminServers' commands are, with {host} for a
// member's host.
func (e *Ensemble) AdminURL() string {
	_, port, _ := net.SplitHostPort(e.Members[0].Admin)
	return "http://{host}:" + port + "/commands"
}

// Leader returns the member that leads the ensemble. It waits while there is
// none, as after the leader was killed.
func (e *Ensemble) Leader(t testing.TB) *Server {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); time.Sleep(pollInterval) {
		for _, s := range e.Members {
			if s.running() && modeOf(s.Addr) == "leader" {
				return s
			}
		}
	}
	t.Fatalf("ensemble %s: no leader after %v", e.ConnectString(), startTimeout)
	return nil
}
