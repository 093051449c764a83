package zktest

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"electop/zkwatch/fault"
)

// An Ensemble is a ZooKeeper ensemble of Apache servers.
type Ensemble struct {
	Members []*Server

	links links // nil without WithLinks
}

// NewEnsemble starts n servers and returns when all serve and one leads.
// With [WithAdmin], each member needs its own loopback address, so NewEnsemble skips the test outside Linux.
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
				t.Skip("the AdminServers share a port, so each member needs its own loopback address, as on Linux")
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
		e.links = newLinks(t, quorum, election)
	}
	for i, s := range e.Members {
		s.Addr = addrs[i]
		if s.tls != nil {
			s.Secure = addrs[n+i]
		}
		for j := range e.Members {
			quorumAddr, electionAddr := quorum[j], election[j]
			if pair, ok := e.links[[2]int{i, j}]; ok {
				quorumAddr, electionAddr = pair[0].Addr, pair[1].Addr
			}
			_, port, _ := net.SplitHostPort(electionAddr)
			s.quorum = append(s.quorum, fmt.Sprintf("server.%d=%s:%s", j+1, quorumAddr, port))
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

// ConnectString returns the members' client addresses, separated by commas.
func (e *Ensemble) ConnectString() string {
	var addrs []string
	for _, s := range e.Members {
		addrs = append(addrs, s.Addr)
	}
	return strings.Join(addrs, ",")
}

// AdminURL returns the URL of the members' AdminServers, with {host} for a member's host.
func (e *Ensemble) AdminURL() string {
	_, port, _ := net.SplitHostPort(e.Members[0].Admin)
	return "http://{host}:" + port + "/commands"
}

// Leader waits until a member leads the ensemble, and returns that member.
func (e *Ensemble) Leader(t testing.TB) *Server {
	t.Helper()
	for deadline := time.Now().Add(waitTimeout); time.Now().Before(deadline); time.Sleep(pollInterval) {
		for _, s := range e.Members {
			if s.program() != nil && modeOf(s.Addr) == "leader" {
				return s
			}
		}
	}
	t.Fatalf("ensemble %s: no leader after %v", e.ConnectString(), waitTimeout)
	return nil
}

// links maps the indexes of two members to the links from the first member to the quorum port and
// the election port of the second.
type links map[[2]int][2]*fault.Link

// dialPatience is how long a link waits for a member to open its port before the link resets the connection.
// A reset makes a follower begin a new leader election.
const dialPatience = time.Second

func newLinks(t testing.TB, quorum, election []string) links {
	t.Helper()
	l := make(links)
	for i := range quorum {
		for j := range quorum {
			if i != j {
				l[[2]int{i, j}] = [2]*fault.Link{
					newLink(t, quorum[j], fault.LinkOptions{Patience: dialPatience}),
					newLink(t, election[j], fault.LinkOptions{Patience: dialPatience, Open: func() [2]func(io.Reader) ([]byte, error) {
						return [2]func(io.Reader) ([]byte, error){fault.ToServer: replaceAddress(l[[2]int{j, i}][1].Addr)}
					}}),
				}
			}
		}
	}
	for _, pair := range l {
		for _, link := range pair {
			link.Start()
		}
	}
	return l
}

// NewLink returns a link to a host:port. The link and its connections end with the test.
func NewLink(t testing.TB, addr string) *fault.Link {
	t.Helper()
	l := newLink(t, addr, fault.LinkOptions{})
	l.Start()
	return l
}

func newLink(t testing.TB, addr string, opts fault.LinkOptions) *fault.Link {
	t.Helper()
	l, err := fault.Listen(addr, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// replaceAddress replaces the sender's address in the first message with addr. A receiver with a higher id
// connects back to the address in the message, so addr must be the address of the link to the sender.
func replaceAddress(addr string) func(io.Reader) ([]byte, error) {
	first := true
	return func(r io.Reader) ([]byte, error) {
		if !first {
			return fault.ReadOnce(r)
		}
		first = false
		const fixed = 8 + 8 // version and server id
		var head [fixed + 4]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return nil, err
		}
		if version := int64(binary.BigEndian.Uint64(head[:])); version != -65536 {
			return nil, fmt.Errorf("election message of unknown version %d", version)
		}
		if _, err := io.CopyN(io.Discard, r, int64(binary.BigEndian.Uint32(head[fixed:]))); err != nil {
			return nil, err
		}
		message := binary.BigEndian.AppendUint32(head[:fixed:fixed], uint32(len(addr)))
		return append(message, addr...), nil
	}
}

// Hold holds everything that one member sends to another. It needs [WithLinks].
func (e *Ensemble) Hold(from, to *Server) {
	i, j := from.id-1, to.id-1
	for k := range 2 {
		e.links[[2]int{i, j}][k].Hold(fault.ToServer)
		e.links[[2]int{j, i}][k].Hold(fault.FromServer)
	}
}

// Isolate holds everything between a member and the others. It needs [WithLinks].
func (e *Ensemble) Isolate(member *Server) {
	for _, other := range e.Members {
		if other != member {
			e.Hold(member, other)
			e.Hold(other, member)
		}
	}
}

// Heal ends the effects of Hold and Isolate.
func (e *Ensemble) Heal() {
	for _, pair := range e.links {
		for _, link := range pair {
			link.Heal()
		}
	}
}
