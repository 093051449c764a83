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
	"testing/synctest"
	"time"

	"electop/demo"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/history"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

// TestRandomTrouble does random things to a cast, in virtual time,
// and holds what was observed to the truth.
func TestRandomTrouble(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	var s *stage
	var j jury
	virtual(t, j.hears, func(t *testing.T, st *stage) {
		s = st
		s.enter(t, 5)
		rounds := 1000
		if testing.Short() {
			rounds = 300
		}
		for range rounds {
			act(t, s, random)
			synctest.Wait()
			s.oneLeader(t)
			for range random.IntN(4) {
				// Mostly a little, and at times for longer than a session lives.
				d := time.Duration(random.Int64N(int64(time.Second)))
				if random.IntN(4) == 0 {
					d = time.Duration(random.Int64N(int64(2 * timeout)))
				}
				time.Sleep(d)
				synctest.Wait()
				s.oneLeader(t)
			}
			if t.Failed() {
				return
			}
		}
		// Let it settle: one leads.
		for _, m := range s.feed.State().Members {
			must(t, repair(s.cast, m.ID))
		}
		if s.cast.Len() == 0 {
			must(t, s.cast.SpawnInOrder(t.Context(), 1))
		}
		s.await(t, "one leads and all others wait", func(st *doctor.State) bool {
			leading := 0
			for _, m := range st.Members {
				switch m.Belief {
				case model.Leading:
					leading++
				case model.Waiting:
				default:
					return false
				}
			}
			return leading == 1 && st.Queue.Len() == s.cast.Len() && st.Acknowledged()
		})
		time.Sleep(2 * time.Second)
		s.account(t)
		s.noGhosts(t, s.cast.Len())
	})
	j.acquits(t)
	if s == nil || t.Failed() {
		return
	}
	s.replays(t)
}

// act does one thing to one member.
func act(t *testing.T, s *stage, random *rand.Rand) {
	t.Helper()
	id := "amber"
	if ms := s.feed.State().Members; len(ms) > 0 {
		id = ms[random.IntN(len(ms))].ID
	}
	var err error
	switch n := random.IntN(30); {
	case s.cast.Len() < 3 || n < 4 && s.cast.Len() < 8:
		_, err = s.cast.Spawn()
	case n < 5:
		s.cast.Follow([]dialect.Recipe{dialect.Herd(), nil}[random.IntN(2)])
	case n < 6:
		if _, err := s.cast.Campaign("somebody"); err != nil {
			must(t, ignoreGone(s.cast.Fault(demo.You, demo.Resign, true)))
		}
	default:
		err = s.cast.Fault(id, anyFault(random), random.IntN(2) == 0)
	}
	must(t, ignoreGone(err))
}

// anyFault returns a fault of a cast that has no stage or one.
func anyFault(random *rand.Rand) demo.Fault {
	return []demo.Fault{demo.Kill, demo.Resign, demo.Freeze, demo.Partition, demo.LoseReply, demo.SlowLead, demo.Expire}[random.IntN(7)]
}

// repair ends the faults of a member that last.
func repair(c *demo.Cast, id string) error {
	return ignoreGone(errors.Join(c.Fault(id, demo.Freeze, false), c.Fault(id, demo.Partition, false), c.Fault(id, demo.SlowLead, false)))
}

// ignoreGone forgives that a member was gone before it was told, and that it
// was in no state to obey.
func ignoreGone(err error) error {
	if errors.Is(err, demo.ErrNoMember) || errors.Is(err, demo.ErrNotNow) {
		return nil
	}
	return err
}

// oneLeader fails if two members that are at work believe that they lead.
func (s *stage) oneLeader(t *testing.T) {
	t.Helper()
	var leaders []string
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, c := range s.latest {
		m := c.Member
		if c.Gone {
			delete(s.latest, id) // one that comes again will say so
		} else if m.Fault != model.Frozen && m.Fault != model.Killed && (m.Belief == model.Leading || m.Belief == model.Elected) {
			leaders = append(leaders, id)
		}
	}
	if len(leaders) > 1 {
		t.Errorf("%q believe that they lead", leaders)
	}
}

// account holds the events to what the server counted.
func (s *stage) account(t *testing.T) {
	t.Helper()
	conn, err := client.Connect(connection(t, s.server))
	must(t, err)
	defer conn.Close()
	for st := range conn.Subscribe(t.Context()) {
		if st.State == client.Connected {
			break
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	read, err := observer.ReadOnce(ctx, conn, path, feed.Now)
	must(t, err)
	creates, ok := read.Parent.Creates()
	if !ok || len(read.New) != int(read.Parent.Children) {
		t.Fatalf("the server's word is %+v with %d children", read.Parent, len(read.New))
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	var joined, left, missedCreates, missedDeletes int
	var head *dialect.Candidate
	standing := make(map[string]bool)
	for i, e := range s.events {
		if e.N != uint64(i+1) {
			t.Fatalf("event %d has the number %d", i+1, e.N)
		}
		switch b := e.Body.(type) {
		case model.Joined:
			joined++
			standing[b.Candidate.Name] = true
		case model.Left:
			left++
			delete(standing, b.Candidate.Name)
		case model.Missed:
			if !b.Known {
				t.Errorf("event %d: an unknown number was missed", e.N)
			}
			missedCreates, missedDeletes = missedCreates+b.Creates, missedDeletes+b.Deletes
		case model.Handoff:
			if (b.From == nil) != (head == nil) || head != nil && b.From.ID() != head.ID() {
				t.Errorf("event %d: a handoff from %+v after one to %+v", e.N, b.From, head)
			}
			head = b.To
		}
	}
	if joined+missedCreates != int(creates) || left+missedDeletes != int(creates)-int(read.Parent.Children) {
		t.Errorf("%d joined and %d creates missed of %d; %d left and %d deletes missed of %d",
			joined, missedCreates, creates, left, missedDeletes, int(creates)-int(read.Parent.Children))
	}
	names := make([]string, 0, len(read.New))
	for _, z := range read.New {
		names = append(names, z.Name)
		if !standing[z.Name] {
			t.Errorf("%s stands and no event says so", z.Name)
		}
	}
	if len(standing) != len(names) {
		t.Errorf("by the events %d stand, truly %d", len(standing), len(names))
	}
	if head == nil || !slices.Contains(names, head.Name) {
		t.Errorf("by the events %+v leads", head)
	}
	if joined < 100 && !testing.Short() {
		t.Errorf("only %d joined: the test shows little", joined)
	}
}

// replays applies the recording again and compares the events.
func (s *stage) replays(t *testing.T) {
	t.Helper()
	d, header, err := history.NewDecoder(&s.record)
	must(t, err)
	election, err := header.Config()
	must(t, err)
	var again []model.Event
	for j := doctor.NewJournal(election); ; {
		o, err := d.Decode()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		again = append(again, j.Apply(o)...)
	}
	if len(again) != len(s.events) {
		t.Fatalf("%d events live, %d in the replay", len(s.events), len(again))
	}
	for i := range again {
		live, replayed := asJSON(t, s.events[i]), asJSON(t, again[i])
		if !bytes.Equal(live, replayed) {
			t.Fatalf("live     %s\nreplayed %s", live, replayed)
		}
	}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return b
}

// TestConcurrentUse is for the race detector: many at the keys at once.
func TestConcurrentUse(t *testing.T) {
	virtual(t, nil, func(t *testing.T, s *stage) {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(uint64(i), 2))
				for range 50 {
					act(t, s, random)
					time.Sleep(time.Duration(random.Int64N(int64(300 * time.Millisecond))))
				}
			})
		}
		wg.Wait()
		s.cast.Close()
		if n := s.cast.Len(); n != 0 {
			t.Errorf("closed, it has %d members", n)
		}
	})
}
