package demo

import (
	"cmp"
	"context"
	"sync"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
)

// StageConfig is the configuration of a [Stage].
type StageConfig struct {
	Server *zkserver.Server
	// Cast must not have members yet: the stage needs the first report of each.
	Cast *Cast
	Path string // of the election
	// Workers is the configuration of the workers' connections; their buffers
	// are set by the stage. With a Dial to [zkserver.Server.DialBackstage] slow
	// motion applies only to the election.
	Workers client.Config
	// WriteEvery is how often a worker writes; 0 is 400 ms.
	WriteEvery time.Duration
	Chaos      *Chaos // nil: no random faults
	// Put takes the observations; it must not block.
	Put func(model.Observation)
	// Notice gets one line for each problem.
	Notice func(string)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

const defaultWriteEvery = 400 * time.Millisecond

// Stage is the environment of a cast: the embedded server with its pace, the
// leaders' workers, and the resources that they write to. It publishes observations
// of the server's counts ([model.Wake]), its pace ([model.Pace]),
// the workers' writes ([model.Write]) and the rules ([model.Rules]).
//
// Any goroutine may call its methods.
type Stage struct {
	cfg     StageConfig
	tokens  Tokens
	setting chan struct{} // holds a token while a scene is set
	ruling  sync.Mutex    // one change of the rules at a time

	mu      sync.Mutex
	rules   model.Rules
	pace    *zkserver.Pace          // of the scene that is set, to come; nil: none is
	players map[string]model.Member // our own, by ID; a killed one until its session is over
	orders  map[int64]*order        // to workers, by their leader's token
	changed chan struct{}           // capacity 1: players, orders or rules have
	news    chan struct{}           // closed at the next word of a member; nil: nobody waits
}

// NewStage returns a stage that does nothing before [Stage.Run].
func NewStage(cfg StageConfig) *Stage {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.WriteEvery = cmp.Or(cfg.WriteEvery, defaultWriteEvery)
	s := &Stage{
		cfg:     cfg,
		setting: make(chan struct{}, 1),
		players: make(map[string]model.Member),
		orders:  make(map[int64]*order),
		changed: make(chan struct{}, 1),
	}
	if cfg.Chaos != nil {
		s.rules.Chaos = cfg.Chaos.String()
	}
	cfg.Cast.stage = s
	return s
}

// Run publishes observations until ctx ends, and then stops the workers.
func (s *Stage) Run(ctx context.Context) error {
	defer s.cfg.Server.Tally(s.cfg.Path, s.tallied)()
	s.mu.Lock()
	s.putRules()
	s.mu.Unlock()

	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { s.watchPace(ctx) })
	s.supervise(ctx)
	return nil
}

// heard receives each report of a member, under its lock: it must not call the cast.
func (s *Stage) heard(w *model.Cast) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := w.Member
	if w.Gone && m.Fault != model.Killed {
		delete(s.players, m.ID)
	} else {
		s.players[m.ID] = m
	}
	s.command(m, w.Gone)
	if s.news != nil {
		close(s.news)
		s.news = nil
	}
	s.mark()
}

// mark has the workers looked after.
func (s *Stage) mark() {
	select {
	case s.changed <- struct{}{}:
	default: // so they will be
	}
}

// SetPace sets the server's delay for all sessions except electop's observers.
// While a scene is being prepared, the new pace waits until it is ready.
func (s *Stage) SetPace(p zkserver.Pace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pace != nil {
		s.pace = &p
		return
	}
	s.cfg.Server.SetPace(p)
}

// Pace returns the current pace.
func (s *Stage) Pace() zkserver.Pace {
	p, _, _ := s.cfg.Server.Paced(0)
	return p
}

// SetRules changes what the candidates and workers do. Chaos is kept. A worker that
// stopped after a refused write starts again if its leader still believes it leads:
// under the new rules its writes may be accepted.
func (s *Stage) SetRules(r model.Rules) error {
	s.ruling.Lock()
	defer s.ruling.Unlock()
	s.cfg.Cast.NoGuidAll(r.NoGuid)
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Chaos = s.rules.Chaos
	s.rules = r
	for _, o := range s.orders {
		o.refused = false
	}
	s.putRules()
	s.mark()
	return nil
}

// putRules passes on the rules. The caller holds s.mu, so that they come before
// what is done by them.
func (s *Stage) putRules() {
	s.rules.At = s.cfg.Now()
	r := s.rules
	s.cfg.Put(&r)
}

// Rules returns the current rules.
func (s *Stage) Rules() model.Rules {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rules
}

func (s *Stage) notice(text string) {
	if s.cfg.Notice != nil {
		s.cfg.Notice(znode.Safe(text, 0))
	}
}
