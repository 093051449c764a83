package modeltest

import (
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
)

// Sim is an ensemble with an election of correct clients, in virtual time: a
// tree, sessions with deadlines on the leader's clock as ZooKeeper rounds and
// batches them, data watches, and an observer that reads as it is notified.
type Sim struct {
	*rapid.T
	Tree   *Tree
	w      *Watcher
	J      *doctor.Journal
	agenda Agenda

	servers int
	Leader  int // of the ensemble; -1: an election is under way
	epoch   int64
	Elected time.Time // when the last election began
	Tick    time.Duration
	clock   time.Duration // the leader's, at start
	Wall    bool          // deadlines are reported as wall-clock seconds
	Clients []*SimClient
	own     *SimClient // the observer's session

	reading bool
	Dated   bool          // reads say by what they are dated
	Lag     time.Duration // of the observer
	react   time.Duration // of clients, at most
	// silentConns and silentDues: the servers do not tell these.
	SilentConns, SilentDues bool
	// Counts: the ensemble's leader says how many sessions it let expire.
	Counts  bool
	expired map[int]int // by server
	Every   time.Duration

	All    []model.Observation
	Events []model.Event
	Ends   map[string]model.Cause // of znodes, by name
	// check sees each event.
	Check func(model.Event)
}

func NewSim(t *rapid.T, cfg model.Config, ticks ...time.Duration) *Sim {
	tr := NewTree()
	tr.CreateParent(0)
	s := &Sim{
		T: t, Tree: tr, w: &Watcher{Tree: tr}, J: doctor.NewJournal(cfg), servers: 3,
		Tick:  rapid.SampledFrom(ticks).Draw(t, "tick"),
		clock: time.Duration(rapid.Int64Range(int64(time.Hour), int64(100*time.Hour)).Draw(t, "clock")),
		Lag:   50 * time.Millisecond, react: 300 * time.Millisecond,
	}
	s.own = s.Client(9_000_000, 10*time.Second)
	s.apply(&model.Connection{At: tr.Now, Link: model.Connected, Session: s.own.Session, Server: "s0:2181"})
	s.batch()
	s.observe()
	return s
}

func (s *Sim) Between(what string, from, to time.Duration) time.Duration {
	return time.Duration(rapid.Int64Range(int64(from), int64(to)).Draw(s.T, what))
}

// At does something after that time.
func (s *Sim) At(in time.Duration, do func()) { s.agenda.Add(s.Tree.Now.Add(in), do) }

// Run lets time pass, and the journal wait for what it waits for.
func (s *Sim) Run(d time.Duration) {
	end := s.Tree.Now.Add(d)
	for {
		next := end
		if at, ok := s.agenda.Due(); ok && at.Before(next) {
			next = at
		}
		if due, ok := s.J.Deadline(); ok && due.Before(next) {
			if due.After(s.Tree.Now) {
				s.Tree.Now = due
			}
			s.apply(&model.Advance{At: s.Tree.Now})
			if again, ok := s.J.Deadline(); ok && !again.After(s.Tree.Now) {
				s.Fatalf("at its deadline %v the journal wants to be called at %v", due, again)
			}
			continue
		}
		s.Tree.Now = next
		if at, ok := s.agenda.Due(); !ok || at.After(next) {
			return
		}
		s.agenda.Take()()
	}
}

func (s *Sim) apply(o model.Observation) {
	s.All = append(s.All, o)
	for _, e := range s.J.Apply(o) {
		s.Events = append(s.Events, e)
		if s.Check != nil {
			s.Check(e)
		}
	}
}

// observe reads the election now, and after each change some time later.
func (s *Sim) observe() { s.apply(s.w.Read(false, false, nil)) }

func (s *Sim) changed() {
	if s.reading {
		return
	}
	s.reading = true
	news, heard := s.Tree.Now.Add(s.Between("news", 0, 20*time.Millisecond)), s.own.resp
	s.At(s.Between("lag", 20*time.Millisecond, max(s.Lag, 20*time.Millisecond)), func() {
		s.reading = false
		r := s.w.Read(false, false, nil)
		if s.Dated {
			r.Notified, r.Heard, r.Sent = news, heard, s.Tree.Now
		}
		s.apply(r)
	})
}
