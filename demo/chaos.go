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

// ActKind is the kind of an [Act].
type ActKind string

const (
	ActSpawn     ActKind = "spawn"
	ActKill              = ActKind(Kill)
	ActFreeze            = ActKind(Freeze)
	ActThaw      ActKind = "thaw"
	ActPartition         = ActKind(Partition)
	ActHeal      ActKind = "heal"
	ActResign            = ActKind(Resign)
)

// Act is a fault, a repair or a new member.
type Act struct {
	At     time.Duration // since the start of chaos
	Kind   ActKind
	Member string // planned name; in a report of [Chaos.Run], the member's ID
	Void   bool   // refused: the member was dead, had left, or had another fault
}

// String returns a text such as "12.345s freeze cedar".
func (a Act) String() string {
	void := ""
	if a.Void {
		void = " (void)"
	}
	return fmt.Sprintf("%.3fs %s %s%s", a.At.Seconds(), a.Kind, a.Member, void)
}

// Chaos injects random faults. The same Seed, Rate and Cast give the same acts at the same times,
// because Chaos does not read the real cast. Chaos has its own list of members.
type Chaos struct {
	Seed uint64
	Rate float64 // average number of acts a second, at most 1,000
	Cast int     // number of members at the start
}

// String returns a text such as "seed 42, 2/s".
func (c Chaos) String() string { return fmt.Sprintf("seed %d, %g/s", c.Seed, c.Rate) }

const (
	minHealthy = 2  // members, unless the cast starts with fewer
	maxMembers = 12 // unless the cast starts with more
)

// Acts returns an endless sequence of acts, or an empty sequence if Rate is not positive.
func (c Chaos) Acts() iter.Seq[Act] {
	return func(yield func(Act) bool) {
		if !(c.Rate > 0) {
			return
		}
		mean := max(1, int64(math.Round(1000/min(c.Rate, 1000)))) // ms between acts
		least := max(1, mean/10)
		p := &plan{random: rand.New(rand.NewPCG(c.Seed, 0))}
		for range c.Cast {
			p.spawn(0)
		}
		for at := time.Duration(0); ; {
			at += time.Duration(least+p.random.Int64N(2*(mean-least)+1)) * time.Millisecond
			if !yield(p.next(at)) {
				return
			}
		}
	}
}

// A plan holds the members that the cast should have after the acts so far.
type plan struct {
	random   *rand.Rand
	nextName int
	members  []planned // the oldest first
}

type planned struct {
	name     string
	since    time.Duration // time of its spawn or last repair
	fault    ActKind       // ActFreeze, ActPartition or "" for none
	repairAt time.Duration
}

func (m planned) healthy() bool { return m.fault == "" }

func (p *plan) spawn(at time.Duration) (name string) {
	name = castName(p.nextName)
	p.nextName++
	p.members = append(p.members, planned{name: name, since: at})
	return name
}

func (p *plan) next(at time.Duration) Act {
	due := -1
	for i, m := range p.members {
		if !m.healthy() && m.repairAt <= at && (due < 0 || m.repairAt < p.members[due].repairAt) {
			due = i
		}
	}
	if due >= 0 {
		m := &p.members[due]
		kind := ActThaw
		if m.fault == ActPartition {
			kind = ActHeal
		}
		m.fault, m.since = "", at
		return Act{At: at, Kind: kind, Member: m.name}
	}
	kind, among := p.kind(at)
	if kind == ActSpawn {
		return Act{At: at, Kind: kind, Member: p.spawn(at)}
	}
	i := among[p.random.IntN(len(among))]
	if p.random.IntN(8) == 0 {
		i = among[0] // the oldest is the most likely leader
	}
	name := p.members[i].name
	switch kind {
	case ActFreeze, ActPartition:
		p.members[i].fault, p.members[i].repairAt = kind, at+p.faultDuration()
	case ActKill, ActResign:
		p.members = slices.Delete(p.members, i, i+1)
	}
	return Act{At: at, Kind: kind, Member: name}
}

// settling is the time during which a new or repaired member does not resign.
// An observer can miss a znode that is deleted within this time.
const settling = time.Second

// kind draws a kind of act. The weights keep the cast at about seven members.
func (p *plan) kind(at time.Duration) (kind ActKind, among []int) {
	var all, healthy, settled, faulty []int
	for i, m := range p.members {
		all = append(all, i)
		switch {
		case !m.healthy():
			faulty = append(faulty, i)
		case at-m.since >= settling:
			settled = append(settled, i)
			fallthrough
		default:
			healthy = append(healthy, i)
		}
	}
	killable := all
	if len(healthy) <= minHealthy {
		healthy, settled, killable = nil, nil, faulty
	}
	choices := []struct {
		kind   ActKind
		among  []int
		weight int
	}{
		{ActKill, killable, len(all)},
		{ActResign, settled, len(all) / 2},
		{ActFreeze, healthy, 8},
		{ActPartition, healthy, 6},
	}
	sum := 2 * max(0, maxMembers-len(all)) // the weight of ActSpawn
	for i := range choices {
		if len(choices[i].among) == 0 {
			choices[i].weight = 0
		}
		sum += choices[i].weight
	}
	draw := p.random.IntN(sum) // sum is never 0: a full cast always has a member to kill
	for _, c := range choices {
		if draw < c.weight {
			return c.kind, c.among
		}
		draw -= c.weight
	}
	return ActSpawn, nil
}

// faultDuration draws a duration, usually below the demo's default session timeout, otherwise at least twice as long.
func (p *plan) faultDuration() time.Duration {
	if p.random.IntN(4) == 0 {
		return time.Duration(8_000+p.random.IntN(8_000)) * time.Millisecond
	}
	return time.Duration(300+p.random.IntN(3_700)) * time.Millisecond
}

// Run applies the acts to a cast until ctx ends or an act fails. It then repairs its faults that still last.
func (c Chaos) Run(ctx context.Context, cast *Cast, report func(Act)) error {
	r := chaosRun{cast: cast, report: report, began: time.Now(), ids: make(map[string]string)}
	defer r.repair()
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
	cast    *Cast
	report  func(Act)
	began   time.Time
	ids     map[string]string // IDs of the members that chaos spawned, by planned name
	repairs []Act
}

func (r *chaosRun) do(a Act) (err error) {
	if a.Kind == ActSpawn {
		planned := a.Member
		if a.Member, err = r.cast.Spawn(); err == nil {
			r.ids[planned] = a.Member
			r.report(a)
		}
		return err
	}
	if id, ok := r.ids[a.Member]; ok {
		a.Member = id
	}
	return r.apply(a)
}

func (r *chaosRun) apply(a Act) (err error) {
	r.repairs = slices.DeleteFunc(r.repairs, func(b Act) bool { return b.Member == a.Member })
	kind, on := Fault(a.Kind), true
	switch a.Kind {
	case ActFreeze:
		r.repairs = append(r.repairs, Act{Kind: ActThaw, Member: a.Member})
	case ActPartition:
		r.repairs = append(r.repairs, Act{Kind: ActHeal, Member: a.Member})
	case ActThaw:
		kind, on = Freeze, false
	case ActHeal:
		kind, on = Partition, false
	}
	err = r.cast.Fault(a.Member, kind, on)
	if a.Void = errors.Is(err, ErrNoMember) || errors.Is(err, ErrNotNow); a.Void {
		err = nil
	}
	if err == nil {
		r.report(a)
	}
	return err
}

func (r *chaosRun) repair() {
	for _, a := range slices.Clone(r.repairs) {
		a.At = time.Since(r.began)
		_ = r.apply(a) // a repair never fails
	}
}
