package demo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"electop/demo"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/history"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"

	"github.com/google/go-cmp/cmp"
)

func anyFault(random *rand.Rand) demo.Fault {
	return []demo.Fault{demo.Kill, demo.Resign, demo.Freeze, demo.Partition, demo.LoseReply, demo.SlowLead, demo.Expire}[random.IntN(7)]
}

func repair(c *demo.Cast, id string) error {
	return ignoreRefused(errors.Join(c.Fault(id, demo.Freeze, false), c.Fault(id, demo.Partition, false), c.Fault(id, demo.SlowLead, false)))
}

func ignoreRefused(err error) error {
	if errors.Is(err, demo.ErrNoMember) || errors.Is(err, demo.ErrNotNow) {
		return nil
	}
	return err
}

func (s *world) checkEvents(t *testing.T) {
	t.Helper()
	conn := connected(t, connection(t, s.server))
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	read, err := observer.ReadOnce(ctx, conn, path, feed.Now)
	must(t, err)
	creates, ok := read.Parent.Creates()
	if !ok || len(read.New) != int(read.Parent.Children) {
		t.Fatalf("parent %+v: %d children were read, want all", read.Parent, len(read.New))
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	var joined, left, missedCreates, missedDeletes int
	var head *dialect.Candidate
	queued := make(map[string]bool)
	for i, e := range s.events {
		if e.N != uint64(i+1) {
			t.Fatalf("number of event %d: got %d", i+1, e.N)
		}
		switch b := e.Body.(type) {
		case model.Joined:
			joined++
			queued[b.Candidate.Name] = true
		case model.Left:
			left++
			delete(queued, b.Candidate.Name)
		case model.Missed:
			if !b.Known {
				t.Errorf("event %d: the numbers of missed creates and deletes are unknown", e.N)
			}
			missedCreates, missedDeletes = missedCreates+b.Creates, missedDeletes+b.Deletes
		case model.Handoff:
			if (b.From == nil) != (head == nil) || head != nil && b.From.ID() != head.ID() {
				t.Errorf("event %d: handoff from %+v after a handoff to %+v", e.N, b.From, head)
			}
			head = b.To
		}
	}
	if joined+missedCreates != int(creates) || left+missedDeletes != int(creates)-int(read.Parent.Children) {
		t.Errorf("%d candidates joined and %d creates were missed, want %d together; %d left and %d deletes were missed, want %d together",
			joined, missedCreates, creates, left, missedDeletes, int(creates)-int(read.Parent.Children))
	}
	names := make([]string, 0, len(read.New))
	for _, z := range read.New {
		names = append(names, z.Name)
		if !queued[z.Name] {
			t.Errorf("%s is in the queue, but not according to the events", z.Name)
		}
	}
	if len(queued) != len(names) {
		t.Errorf("candidates in the queue according to the events: got %d, want %d", len(queued), len(names))
	}
	if head == nil || !slices.Contains(names, head.Name) {
		t.Errorf("leader according to the events: got %+v, want one of %q", head, names)
	}
}

func (s *world) checkReplay(t *testing.T) {
	t.Helper()
	d, header, err := history.NewDecoder(&s.record)
	must(t, err)
	election, err := header.Config()
	must(t, err)
	var replayed []model.Event
	j := doctor.NewJournal(election)
	for {
		o, err := d.Decode()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		replayed = append(replayed, j.Apply(o)...)
	}
	if len(replayed) != len(s.events) {
		t.Fatalf("the replay has %d events, want %d as live", len(replayed), len(s.events))
	}
	for i := range replayed {
		want, got := asJSON(t, s.events[i]), asJSON(t, replayed[i])
		if !bytes.Equal(want, got) {
			t.Fatalf("event %d differs:\nlive     %s\nreplayed %s", i+1, want, got)
		}
	}
	if diff := cmp.Diff(s.feed.State().Exchanges, j.State().Exchanges); diff != "" {
		t.Errorf("messages differ, live (-) and replayed (+):\n%s", diff)
	}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return b
}

func TestConcurrentUse(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		var wg sync.WaitGroup
		names := castNames(12)
		for i := range 8 {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(uint64(i), 2))
				for range 50 {
					var err error
					switch random.IntN(8) {
					case 0:
						_, err = s.cast.Spawn()
					case 1:
						err = s.cast.Follow([]dialect.Recipe{dialect.Herd(), nil}[random.IntN(2)])
					default:
						err = ignoreRefused(s.cast.Fault(names[random.IntN(len(names))], anyFault(random), random.IntN(2) == 0))
					}
					if err != nil {
						t.Error(err)
					}
					time.Sleep(time.Duration(random.Int64N(int64(300 * time.Millisecond))))
				}
			})
		}
		wg.Wait()
		s.cast.Close()
		if n := s.cast.Len(); n != 0 {
			t.Errorf("closed cast: got %d members, want none", n)
		}
	})
}
