package demo_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// TestMessagesMatchTheSteps checks that each message is published once, and that the messages include each
// deletion notification that the server counted and, in order, the requests of the members' steps.
func TestMessagesMatchTheSteps(t *testing.T) {
	t.Parallel()
	runs := 10
	seed := zktest.Seed(t)
	steps := 0
	for i := range runs {
		seed := seed + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 14))
			inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
				w.spawn(t, 4)
				from := w.observed()
				pace := zkserver.Pace{Steps: true}
				if random.IntN(2) == 0 {
					pace = zkserver.Pace{Delay: time.Duration(1+random.IntN(300)) * time.Millisecond}
				}
				w.sandbox.SetPace(pace)
				began := time.Now()
				for range 12 {
					w.randomChange(t, random)
					for range random.IntN(30) {
						synctest.Wait()
						if pace.Steps {
							_, err := w.sandbox.Step()
							must(t, err)
						}
						time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
					}
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				ended := time.Now()
				w.sandbox.SetPace(zkserver.Pace{})
				time.Sleep(time.Second)
				synctest.Wait()
				steps += matchSteps(t, w.since(from), began, ended)
			})
		})
	}
	if steps < 8*runs {
		t.Errorf("got %d steps in %d runs, want at least 8 per run", steps, runs)
	}
}

func (w *world) randomChange(t *testing.T, random *rand.Rand) {
	t.Helper()
	id := "amber"
	if ms := w.feed.State().Members; len(ms) > 0 {
		id = ms[random.IntN(len(ms))].ID
	}
	switch n := random.IntN(10); {
	case w.cast.Len() < 3 || n < 2 && w.cast.Len() < 7:
		_, err := w.cast.Spawn()
		must(t, err)
	case n < 9:
		_ = w.cast.Fault(id, anyFault(random), random.IntN(2) == 0) // it may be refused
	default:
		must(t, w.cast.Follow([]dialect.Recipe{dialect.Herd(), nil}[random.IntN(2)]))
	}
}

func matchSteps(t *testing.T, observations []model.Observation, began, ended time.Time) (n int) {
	t.Helper()
	var messages []model.Passed
	var counted []string // deletion notifications that the server counted
	steps := map[string][]*model.Cast{}
	sessions := map[uint64]string{}
	reports := map[string]*model.DeletionReport{}
	for _, o := range observations {
		switch o := o.(type) {
		case *model.Pace:
			messages = append(messages, o.Passed...)
			if o.Unlisted > 0 {
				t.Errorf("%d messages are not listed", o.Unlisted)
			}
		case *model.DeletionReport:
			reports[fmt.Sprint(o.Znode, o.Zxid)] = o
		case *model.Cast:
			sessions[o.Member.Session] = o.Member.ID
			if m := &o.Member; m.Step != model.StepNone && m.StepAt.After(began) && m.StepAt.Before(ended) {
				if all := steps[m.ID]; len(all) == 0 || all[len(all)-1].Member.StepAt != m.StepAt || all[len(all)-1].Member.Step != m.Step {
					steps[m.ID] = append(all, o)
				}
			}
		}
	}
	for _, w := range reports {
		for _, session := range w.Notified {
			if w.Deleted.After(began) && w.Deleted.Before(ended) {
				counted = append(counted, fmt.Sprintf("%#x %s deleted", session, w.Znode))
			}
		}
	}
	slices.SortFunc(messages, func(a, b model.Passed) int { return a.N - b.N })
	byMember := map[string][]*model.Passed{}
	var sent []string
	for i := range messages {
		m := &messages[i]
		if m.N != i+1 || m.Left.Before(m.Since) {
			t.Fatalf("message %d: got %+v, want this number, and Left not before Since", i+1, m)
		}
		byMember[sessions[m.Session]] = append(byMember[sessions[m.Session]], m)
		if m.Op == model.Notification && m.Event == "deleted" {
			sent = append(sent, fmt.Sprintf("%#x %s deleted", m.Session, znode.Base(m.Path)))
		}
	}
	for _, x := range counted {
		if i := slices.Index(sent, x); i < 0 {
			t.Errorf("the server counted the notification %s, but it is not among the messages %q", x, sent)
		} else {
			sent = slices.Delete(sent, i, i+1)
		}
	}
	for id, all := range steps {
		n += len(all)
		checkOrder(t, id, all, byMember[id])
	}
	return n
}

func checkOrder(t *testing.T, id string, steps []*model.Cast, messages []*model.Passed) {
	t.Helper()
	at := 0
	find := func(is func(m *model.Passed) bool) bool {
		for i := at; i < len(messages); i++ {
			if is(messages[i]) {
				at = i
				return true
			}
		}
		return false
	}
	for i, c := range steps {
		m := &c.Member
		found := true
		switch m.Step {
		case model.StepCreate: // reported before the request
			if m.StepOn.Found {
				continue
			}
			found = find(func(x *model.Passed) bool {
				return x.Op == "create" && strings.HasPrefix(x.Path, path+"/") && !x.Since.Before(m.StepAt)
			}) || i == len(steps)-1 || steps[i+1].Member.Step == model.StepCreate // the request may not have reached the server
		case model.StepList, model.StepListAgain, model.StepLowest: // reported after the reply
			found = find(func(x *model.Passed) bool { return x.Op == "getChildren" && !x.Dropped && !x.Left.After(m.StepAt) })
		case model.StepWatch, model.StepWatchAgain:
			found = find(func(x *model.Passed) bool {
				return (x.Op == "getData" || x.Op == "exists") && znode.Base(x.Path) == m.StepOn.Name
			}) || i == len(steps)-1
		case model.StepAcknowledge:
			found = find(func(x *model.Passed) bool { return x.Path == ackPath && !x.Since.Before(m.StepAt) }) || i == len(steps)-1
		}
		if !found {
			t.Errorf("%s takes step %d at %v, %+v, but the next %d messages have no such request", id, m.Step, m.StepAt, m.StepOn, len(messages)-at)
		}
	}
}

func TestLostReplyIsPublished(t *testing.T) {
	for _, pace := range []zkserver.Pace{{Steps: true}, {Delay: 50 * time.Millisecond}} {
		t.Run(fmt.Sprintf("%+v", pace), func(t *testing.T) {
			inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
				w.spawn(t, 3)
				w.sandbox.SetPace(pace)
				must(t, w.cast.Fault("birch", demo.LoseReply, true))
				for range 200 {
					synctest.Wait()
					if pace.Steps {
						_, err := w.sandbox.Step()
						must(t, err)
					}
					time.Sleep(100 * time.Millisecond)
				}
				st := w.await(t, "birch is in the queue again", func(st *doctor.State) bool { return st.Queue.Len() == 3 && settled(st) })
				var lost []model.Exchange
				for _, x := range st.Exchanges {
					if x.Lost {
						lost = append(lost, x)
					}
				}
				if len(lost) != 1 || lost[0].Member != "birch" || lost[0].Op != "create" || !strings.HasPrefix(lost[0].Path, path+"/") {
					t.Errorf("lost messages: got %+v, want only the reply to birch's create", lost)
				}
			})
		})
	}
}
