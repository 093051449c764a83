package zktest

import (
	"encoding/binary"
	"fmt"
	"io"
	"testing"
	"time"
)

// links are the links between the members of an ensemble: from the first to
// the second, by index, for the quorum port and the election port.
type links map[[2]int][2]*Link

// dialPatience is how long a link between members tries a port that nobody
// listens on yet. A follower that finds the ensemble leader's port closed tries
// again a second later; one that is reset gives its vote up.
const dialPatience = time.Second

// newLinks returns the links between members whose quorum and election
// addresses these are, and starts them.
func newLinks(quorum, election []string) (l links, err error) {
	l = make(links)
	for i := range quorum {
		for j := range quorum {
			if i == j {
				continue
			}
			var pair [2]*Link
			for k, target := range []string{quorum[j], election[j]} {
				if pair[k], err = newLink(target); err != nil {
					l.close()
					return nil, err
				}
				pair[k].patience = dialPatience
				l[[2]int{i, j}] = pair
			}
		}
	}
	for between, pair := range l {
		back := l[[2]int{between[1], between[0]}]
		pair[1].first = callBack(back[1].Addr)
		for _, link := range pair {
			link.start()
		}
	}
	return l, nil
}

func (l links) close() {
	for _, pair := range l {
		for _, link := range pair {
			if link != nil {
				link.close()
			}
		}
	}
}

// callBack reads the first message on an election connection and puts another
// election address in place of its sender's own. A member with a lower id than
// the one it calls is called back at the address in this message, not at the one
// in the other's configuration, and that would go past the links.
func callBack(addr string) func(io.Reader) ([]byte, error) {
	return func(r io.Reader) ([]byte, error) {
		const fixed = 8 + 8 // version and server id
		var head [fixed + 4]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return nil, err
		}
		if version := int64(binary.BigEndian.Uint64(head[:])); version != -65536 {
			return nil, fmt.Errorf("election message of version %d, which the link does not know", version)
		}
		if _, err := io.CopyN(io.Discard, r, int64(binary.BigEndian.Uint32(head[fixed:]))); err != nil {
			return nil, err
		}
		message := binary.BigEndian.AppendUint32(head[:fixed:fixed], uint32(len(addr)))
		return append(message, addr...), nil
	}
}

// Hold lets nothing that one member sends reach the other until Heal: a cut in
// one direction. Nothing is lost. See Link.Hold. The ensemble needs [WithLinks].
func (e *Ensemble) Hold(t testing.TB, from, to *Server) {
	t.Helper()
	e.needLinks(t)
	i, j := from.id-1, to.id-1
	for _, link := range e.links[[2]int{i, j}] {
		link.Hold(ToServer)
	}
	for _, link := range e.links[[2]int{j, i}] {
		link.Hold(FromServer)
	}
}

// Isolate holds what a member sends to all the others, and what they send to
// it, until Heal. Its clients reach it. The ensemble needs [WithLinks].
func (e *Ensemble) Isolate(t testing.TB, member *Server) {
	t.Helper()
	for _, other := range e.Members {
		if other != member {
			e.Hold(t, member, other)
			e.Hold(t, other, member)
		}
	}
}

// Heal ends Hold and Isolate. The ensemble needs [WithLinks].
func (e *Ensemble) Heal(t testing.TB) {
	t.Helper()
	e.needLinks(t)
	for _, pair := range e.links {
		for _, link := range pair {
			link.Heal()
		}
	}
}

func (e *Ensemble) needLinks(t testing.TB) {
	t.Helper()
	if e.links == nil {
		t.Fatal("the ensemble has no links: NewEnsemble(t, n, WithLinks())")
	}
}
