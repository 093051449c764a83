package serverconn

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/wire"
)

// An Event is what a watch reported.
type Event struct {
	// N numbers the events of a connection. A reply whose Seen is N or more was made
	// after the change.
	N    uint64
	Kind zk.EventType
	// Below is the path below the one that the listener listens to: "" for itself,
	// "n_1" for a child.
	Below string
	At    time.Time
}

// A Listener has watches. The reader of the connection calls it, in the order of the
// events.
type Listener interface {
	Happened(Event)
	// Missed is called where events may be lost. replaced says that a persistent watch
	// may be none any more; then a lock is held.
	Missed(replaced bool)
}

type listening struct {
	path string // in full
	to   Listener
}

// Listen has l hear of each event at path, in full, or below it.
func (n *Conn) Listen(path string, l Listener) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners = append(slices.Clip(n.listeners), listening{path, l})
}

// Unlisten ends that.
func (n *Conn) Unlisten(l Listener) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if i := slices.IndexFunc(n.listeners, func(x listening) bool { return x.to == l }); i >= 0 {
		n.listeners = append(n.listeners[:i:i], n.listeners[i+1:]...)
	}
}

// noteEvent hands the event that n.head begins to those that listen at its path. It
// stays where it is for the library: a server sends one event for a persistent watch
// and another on the same znode.
func (n *Conn) noteEvent() error {
	n.mu.Lock()
	listeners := n.listeners
	n.mu.Unlock()
	if len(listeners) == 0 {
		return nil
	}
	n.events++
	if n.left > n.ahead.Size() {
		for _, l := range listeners {
			l.to.Missed(false)
		}
		return nil
	}
	frame, err := n.ahead.Peek(n.left)
	if err != nil {
		return n.explain(err)
	}
	d := wire.NewDecoder(frame[prefixSize+replyHeaderSize:])
	var event wire.WatcherEvent
	if event.Decode(d); d.Err() != nil {
		return fmt.Errorf("%w: an event: %w", ErrProtocol, d.Err())
	}
	now := time.Now()
	for _, l := range listeners {
		if below, ok := cutPath(event.Path, l.path); ok {
			l.to.Happened(Event{N: n.events, Kind: zk.EventType(event.Type), Below: below, At: now})
		}
	}
	return nil
}

// cutPath returns what path is below another one, and whether it is there.
func cutPath(path, above string) (below string, ok bool) {
	below, ok = strings.CutPrefix(path, above)
	switch {
	case !ok || below == "" || above == "/":
		return below, ok
	case below[0] != '/':
		return "", false
	}
	return below[1:], true
}

// replaced is called when the server has answered a frame that sets watches, nil if it
// sets none. In 3.6 to 3.8 a watch that fires once takes the place of a persistent one of
// the same session on the same znode (ZOOKEEPER-4466). The caller holds n.mu.
func (n *Conn) replaced(frame []byte) {
	if frame == nil {
		return
	}
	for _, l := range n.listeners {
		if hasPath(frame, l.path) {
			l.to.Missed(true)
		}
	}
}
