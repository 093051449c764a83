package feed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/znode"
	"electop/zkwatch/feed"
)

const path = "/election"

// story makes the reads of an election as an observer would hand them in.
type story struct {
	at     time.Time
	parent znode.Parent
	next   int // sequence
}

func newStory() *story {
	at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // as a bubble's clock begins
	return &story{at: at, parent: znode.Parent{Czxid: 1, Ctime: at}}
}

// pass lets time pass.
func (s *story) pass(d time.Duration) *story {
	s.at = s.at.Add(d)
	return s
}

func name(sequence int) string { return fmt.Sprintf("n_%010d", sequence) }

// change is a read after joins creates and the deletion of the leavers.
func (s *story) change(joins int, leavers ...int) *model.Read {
	r := &model.Read{At: s.at, Presence: model.Present, Full: s.parent.Pzxid == 0}
	s.parent.Pzxid = max(s.parent.Pzxid, 10)
	for range joins {
		s.parent.Pzxid++
		r.New = append(r.New, znode.Znode{
			Name: name(s.next), Session: uint64(0x100 + s.next), Czxid: s.parent.Pzxid, Ctime: s.at,
			Data: znode.NewData(fmt.Appendf(nil, "c%d", s.next)),
		})
		s.next++
	}
	for _, l := range leavers {
		s.parent.Pzxid++
		r.Gone = append(r.Gone, name(l))
	}
	s.parent.Cversion += int32(joins + len(leavers))
	s.parent.Children += int32(joins - len(leavers))
	r.Parent = s.parent
	return r
}

func (s *story) connected() *model.Connection {
	return &model.Connection{At: s.at, Link: model.Connected, Server: "127.0.0.1:2181", Session: 7}
}

// acked is the acknowledgement of the candidate that r brought.
func (s *story) acked(z znode.Znode) *model.Ack {
	return &model.Ack{
		At: s.at, Presence: model.Present, Session: z.Session,
		Data: znode.NewData(model.AckData(znode.Join(path, z.Name), z.Czxid)),
	}
}

// log keeps what a feed said.
type log struct {
	mu      sync.Mutex
	events  []model.Event
	notices []string
}

func (l *log) take(es []model.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, es...)
	return nil
}

func (l *log) notice(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notices = append(l.notices, s)
}

func (l *log) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.events)
}

// lines returns the events as text that can be compared.
func (l *log) lines(t *testing.T) []string {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, e := range l.events {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%T %s", e.Body, b))
	}
	return out
}

// running starts a feed; end ends it and returns what Run returned.
func running(f *feed.Feed) (end func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	return func() error {
		cancel()
		return <-done
	}
}

// recorder is a recording in memory.
func recorder(t *testing.T, c model.Config) (*feed.Recorder, *bytes.Buffer) {
	t.Helper()
	b := new(bytes.Buffer)
	e, err := feed.NewRecorder(b, history.NewHeader(c, newStory().at))
	if err != nil {
		t.Fatal(err)
	}
	return e, b
}

func queueOf(n int) func(*doctor.State) bool {
	return func(s *doctor.State) bool { return s.Phase == model.Live && s.Queue.Len() == n }
}
