package demo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// ActKind is what chaos does.
type ActKind string

const (
	ActSpawn     ActKind = "spawn"
	ActKill      ActKind = "kill"
	ActFreeze    ActKind = "freeze"
	ActThaw      ActKind = "thaw"
	ActPartition ActKind = "partition"
	ActHeal      ActKind = "heal"
	ActResign    ActKind = "resign"
)

// Act is one fault or repair by chaos, At after its start.
type Act struct {
	At     time.Duration
	Kind   ActKind
	Member string // the affected or new member: an ID of the cast
	// Void says that an act had no effect: the member no longer existed, or
	// another fault was already applied to it.
	Void bool
}

// String returns the act as a line of text: "12.345s freeze cedar".
func (a Act) String() string {
	void := ""
	if a.Void {
		void = " (void)"
	}
	return fmt.Sprintf("%.3fs %s %s%s", a.At.Seconds(), a.Kind, a.Member, void)
}

// Chaos injects faults at random. The same seed, rate and initial number of
// candidates give the same acts at the same offsets, whatever their effects are:
// chaos keeps its own list of the cast, and removes only members that it killed or
// that it made resign.
type Chaos struct {
	Seed uint64
	Rate float64 // acts a second, on average; at most 1,000
	Cast int     // candidates to begin with
}

// String returns the text for the rules: "seed 42, 2/s".
func (c Chaos) String() string { return fmt.Sprintf("seed %d, %g/s", c.Seed, c.Rate) }

// Chaos keeps the cast between these sizes, where it began there; the lesser is
// of those who are neither frozen nor cut off.
const (
	chaosMin = 2
	chaosMax = 12
)

// Acts returns an endless sequence of acts.
func (c Chaos) Acts() iter.Seq[Act] {
	return func(yield func(Act) bool) {
		if !(c.Rate > 0) {
			return
		}
		// Gaps are whole milliseconds, all lengths from a tenth of the mean on alike.
		mean := max(1, int64(math.Round(1000/min(c.Rate, 1000))))
		least := max(1, mean/10)
		p := newPlot(c)
		for at := time.Duration(0); ; {
			at += time.Duration(least+p.random.Int64N(2*(mean-least)+1)) * time.Millisecond
			if !yield(p.next(at)) {
				return
			}
		}
	}
}

// plot is what chaos has done so far, and thinks that it came of it.
type plot struct {
	random  *rand.Rand
	named   int
	players []player // in the order of their names
}

type player struct {
	name  string
	since time.Duration // when it was spawned or healed
	ails  ActKind       // ActFreeze, ActPartition or "" for a sound one
	ends  time.Duration // when that is to end
}

func (m player) sound() bool { return m.ails == "" }

func newPlot(c Chaos) *plot {
	p := &plot{random: rand.New(rand.NewPCG(c.Seed, 0))}
	for range c.Cast {
		p.enter(0)
	}
	return p
}

func (p *plot) enter(at time.Duration) string {
	name := castName(p.named)
	p.named++
	p.players = append(p.players, player{name: name, since: at})
	return name
}

// next makes up an act. What ails somebody for long enough is ended first.
func (p *plot) next(at time.Duration) Act {
	due := -1
	for i, m := range p.players {
		if !m.sound() && m.ends <= at && (due < 0 || m.ends < p.players[due].ends) {
			due = i
		}
	}
	if due >= 0 {
		m := &p.players[due]
		kind := ActThaw
		if m.ails == ActPartition {
			kind = ActHeal
		}
		m.ails, m.since = "", at
		return Act{At: at, Kind: kind, Member: m.name}
	}
	kind, among := p.kind(at)
	if kind == ActSpawn {
		return Act{At: at, Kind: kind, Member: p.enter(at)}
	}
	i := among[p.random.IntN(len(among))]
	if p.random.IntN(8) == 0 {
		i = among[0] // the eldest, who is the most likely to lead
	}
	name := p.players[i].name
	switch kind {
	case ActFreeze, ActPartition:
		p.players[i].ails, p.players[i].ends = kind, at+p.spell()
	case ActKill, ActResign:
		p.players = slices.Delete(p.players, i, i+1)
	}
	return Act{At: at, Kind: kind, Member: name}
}

// settling is how long somebody is left to queue before it may resign: a znode
// that leaves at once is not seen.
const settling = time.Second

// kind draws what to do, of what can be done, and tells to whom, by index. The
// weights hold the cast at about seven.
func (p *plot) kind(at time.Duration) (kind ActKind, among []int) {
	var all, sound, settled, ill []int
	for i, m := range p.players {
		all = append(all, i)
		switch {
		case !m.sound():
			ill = append(ill, i)
		case at-m.since >= settling:
			settled = append(settled, i)
			fallthrough
		default:
			sound = append(sound, i)
		}
	}
	mortal := all
	if len(sound) <= chaosMin {
		sound, settled, mortal = nil, nil, ill // none of them can be spared
	}
	choices := []struct {
		kind   ActKind
		among  []int
		weight int
	}{
		{ActKill, mortal, len(all)},
		{ActResign, settled, len(all) / 2},
		{ActFreeze, sound, 8},
		{ActPartition, sound, 6},
	}
	sum := 2 * max(0, chaosMax-len(all)) // to spawn
	for i := range choices {
		if len(choices[i].among) == 0 {
			choices[i].weight = 0
		}
		sum += choices[i].weight
	}
	draw := p.random.IntN(sum) // never 0: where nobody can be spared there is room, or one who is ill
	for _, c := range choices {
		if draw < c.weight {
			return c.kind, c.among
		}
		draw -= c.weight
	}
	return ActSpawn, nil
}

// spell is how long somebody is frozen or cut off: mostly for less than a
// session lives, at times for longer than most do.
func (p *plot) spell() time.Duration {
	if p.random.IntN(4) == 0 {
		return time.Duration(8_000+p.random.IntN(8_000)) * time.Millisecond
	}
	return time.Duration(300+p.random.IntN(3_700)) * time.Millisecond
}

// Run applies the acts to a cast until ctx ends, and then repairs their faults.
// told, if set, is called for each act, with the names of the cast: a spawned
// member may get another name than planned if others were spawned meanwhile, and
// keeps it in later acts.
func (c Chaos) Run(ctx context.Context, cast *Cast, told func(Act)) error {
	r := chaosRun{cast: cast, told: told, began: time.Now(), ids: make(map[string]string)}
	defer r.heal()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for act := range c.Acts() {
		timer.Reset(time.Until(r.began.Add(act.At)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil
		}
		if ctx.Err() != nil {
			return nil
		}
		if err := r.do(act); err != nil {
			return fmt.Errorf("chaos: %s: %w", act, err)
		}
	}
	return nil
}

type chaosRun struct {
	cast  *Cast
	told  func(Act)
	began time.Time
	ids   map[string]string // of those spawned, by their planned names
	ill   []Act             // the acts that end what ails somebody
}

func (r *chaosRun) do(a Act) (err error) {
	if a.Kind == ActSpawn {
		planned := a.Member
		if a.Member, err = r.cast.Spawn(); err == nil {
			r.ids[planned] = a.Member
			r.tell(a)
		}
		return err
	}
	if id, ok := r.ids[a.Member]; ok {
		a.Member = id
	}
	return r.apply(a)
}

func (r *chaosRun) apply(a Act) (err error) {
	r.ill = slices.DeleteFunc(r.ill, func(b Act) bool { return b.Member == a.Member })
	switch a.Kind {
	case ActKill:
		err = r.cast.Kill(a.Member)
	case ActResign:
		err = r.cast.Resign(a.Member)
	case ActFreeze:
		err = r.cast.Freeze(a.Member)
		r.ill = append(r.ill, Act{Kind: ActThaw, Member: a.Member})
	case ActThaw:
		err = r.cast.Thaw(a.Member)
	case ActPartition:
		err = r.cast.Partition(a.Member)
		r.ill = append(r.ill, Act{Kind: ActHeal, Member: a.Member})
	case ActHeal:
		err = r.cast.Heal(a.Member)
	}
	if a.Void = errors.Is(err, ErrNoMember) || errors.Is(err, ErrNotNow); a.Void {
		err = nil
	}
	if err == nil {
		r.tell(a)
	}
	return err
}

func (r *chaosRun) tell(a Act) {
	if r.told != nil {
		r.told(a)
	}
}

// heal ends what still ails somebody.
func (r *chaosRun) heal() {
	for _, a := range slices.Clone(r.ill) {
		a.At = time.Since(r.began)
		_ = r.apply(a) // a closed cast has no faults
	}
}
