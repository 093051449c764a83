// Package demo runs a [Cast] of local candidates in an election on any ZooKeeper cluster.
//
// Each member of the cast has its own session. A member is a candidate.Candidate or, in a group,
// barrier or queue, a participant. The cast applies faults to its members. It publishes their reports as
// model.Cast observations, and each change of the recipe as a model.Switch.
//
// A [Sandbox] needs the embedded server of package zkserver. It sets the server's pace, releases single messages,
// expires sessions, and prepares a new election for each [Setup]. It also runs workers: each worker is a client with
// its own session that writes for one leader. The writes show the harm of two leaders, and how fencing prevents it.
//
// [Chaos] injects random faults into a cast.
package demo

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/zkwatch/client"
)

// Config is the configuration of all members of a [Cast].
type Config struct {
	// Conn configures the members' connections. The cast sets BufferSize, MaxReply, Gate and Line.
	Conn   client.Config
	Path   string // znode of the election or other recipe
	Ack    string // path of the acknowledgement, "" for none
	Create bool   // candidates create a missing Path; participants ignore Create
	// Dialect is the initial dialect; see [Cast.SetDialect].
	Dialect *dialect.Dialect
	// Kind is the kind of recipe that the members show, "" for an election. Size is the number of
	// participants that a double barrier waits for.
	Kind dialect.Kind
	Size int
	// Put receives the observations. It must not block or call the cast.
	Put func(model.Observation)
	// Notice receives one line for each member that leaves because of an error; nil discards it.
	Notice func(string)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Cast is a set of local candidates or participants. Any goroutine may call its methods. A method waits
// for the cluster only if its comment states this.
type Cast struct {
	cfg    Config
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	dialect atomic.Pointer[dialect.Dialect]
	barrier atomic.Int64 // czxid of the barrier's znode that a participant created; 0: none, or deleted
	mark    string       // random; the data of the persistent children of Path that participants create

	mu       sync.Mutex
	members  map[string]*member
	nextName int
	noGuid   bool
	recipe   dialect.Recipe // nil: the recipe of the dialect

	sandbox *Sandbox // set before the first member is added; nil: none
}

// Limits of a member's requests and replies, in bytes. A candidate loses its place in the queue if the
// names of all children do not fit into a reply. newRunner allows twice nameBytes for each member,
// because the cast can grow after the candidate has joined.
const (
	bufferSize = 16 << 10
	minReply   = 128 << 10
	nameBytes  = 64
)

// You is the ID of the user's own candidacy.
const You = "you"

// ErrClosed is returned for a member that is added to a closed cast, and ErrCampaigning for a second
// candidacy of the user.
var (
	ErrClosed      = errors.New("the cast is closed")
	ErrCampaigning = errors.New("you are already a candidate")
)

// ErrThirdParty refuses another recipe, or the fault NoGuid, in a third-party election.
var ErrThirdParty = errors.New("this is a third-party election. Start electop demo")

// ErrNotNow matches an error that refuses a fault at this time. The error's text is the reason.
var ErrNotNow = errors.New("not now")

// ErrNoMember is returned for an ID that is not in the cast.
var ErrNoMember = errors.New("not a candidate of electop")

// NewCast returns an empty cast. [Cast.Close] ends it.
func NewCast(cfg Config) *Cast {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Kind = cmp.Or(cfg.Kind, dialect.KindElection)
	ctx, cancel := context.WithCancel(context.Background())
	c := &Cast{cfg: cfg, ctx: ctx, cancel: cancel, members: make(map[string]*member), mark: rand.Text()}
	c.dialect.Store(cfg.Dialect)
	return c
}

// SetDialect sets the dialect of candidates that start later; nil is electop's own.
func (c *Cast) SetDialect(d *dialect.Dialect) { c.dialect.Store(d) }

// Spawn adds a member and returns its ID, the next name.
func (c *Cast) Spawn() (string, error) {
	m, err := c.add("", false)
	if err != nil {
		return "", err
	}
	return m.id, nil
}

// Campaign adds the user's own candidacy with the given name. The ID is always [You].
func (c *Cast) Campaign(name string) (string, error) {
	_, err := c.add(name, true)
	return You, err
}

// SpawnInOrder adds n members one after the other. It waits until each has joined or left, or ctx ends.
func (c *Cast) SpawnInOrder(ctx context.Context, n int) error {
	for range n {
		m, err := c.add("", false)
		if err != nil {
			return err
		}
		select {
		case <-m.joined():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (c *Cast) add(name string, you bool) (*member, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ctx.Err() != nil:
		return nil, ErrClosed
	case you && c.members[You] != nil:
		return nil, ErrCampaigning
	}
	id := You
	if !you {
		name = castName(c.nextName)
		id = name
		c.nextName++
	}
	m := &member{
		cast: c, id: id, name: name, you: you, recipe: c.recipe, noGuid: c.noGuid && !c.foreign(),
		kind: c.cfg.Kind, barrierSize: c.cfg.Size, nth: max(0, c.nextName-1),
		setsBarrier: !slices.ContainsFunc(slices.Collect(maps.Values(c.members)), func(m *member) bool { return m.setsBarrier }),
		placed:      make(chan struct{}), done: make(chan struct{}),
	}
	m.runner = m.newRunner(len(c.members) + 1)
	c.members[id] = m
	c.wg.Go(m.run)
	return m, nil
}

// Follow switches all members to recipe r; nil is the recipe of the dialect. The members resign, because
// go-zookeeper cannot remove a watch. In a third-party election, Follow returns [ErrThirdParty].
func (c *Cast) Follow(r dialect.Recipe) error {
	if c.foreign() {
		return ErrThirdParty
	}
	c.mu.Lock()
	if c.recipeName(c.recipe) == c.recipeName(r) {
		c.mu.Unlock()
		return nil
	}
	c.recipe = r
	members := slices.Collect(maps.Values(c.members))
	c.mu.Unlock()
	c.cfg.Put(&model.Switch{At: c.cfg.Now(), Recipe: c.recipeName(r)})
	numbers := make(map[*member]int64, len(members))
	for _, m := range members {
		numbers[m] = m.number()
	}
	slices.SortFunc(members, func(a, b *member) int { return cmp.Compare(numbers[a], numbers[b]) })
	var previous <-chan struct{}
	for ahead, m := range members {
		m.mu.Lock()
		if placed := m.follow(r, previous, ahead); placed != nil {
			previous = placed
		}
		m.mu.Unlock()
	}
	return nil
}

// Kind returns the kind of recipe that the members show.
func (c *Cast) Kind() dialect.Kind {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cfg.Kind
}

func (c *Cast) setKind(kind dialect.Kind, size int) (changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kind = cmp.Or(kind, dialect.KindElection)
	changed, c.cfg.Kind, c.cfg.Size = kind != c.cfg.Kind, kind, size
	return changed
}

// Len returns the number of members.
func (c *Cast) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.members)
}

// Close closes the members' sessions, which deletes their ephemeral znodes, and waits until the
// members have left. The session of a frozen or partitioned member expires later.
func (c *Cast) Close() {
	c.mu.Lock()
	for _, m := range c.members {
		m.mu.Lock()
		if m.frozen() {
			m.kill()
		}
		m.mu.Unlock()
	}
	c.cancel() // after the kills, otherwise a frozen member would report that it closes its session
	c.mu.Unlock()
	c.wg.Wait()
}

func (c *Cast) foreign() bool {
	d := c.dialect.Load()
	return d != nil && d.Foreign()
}

func (c *Cast) recipeName(r dialect.Recipe) string {
	if r != nil {
		return r.Name()
	}
	if d := c.dialect.Load(); d != nil {
		return d.Recipe.Name()
	}
	return dialect.Election().Name()
}

func castName(n int) string {
	names := [...]string{
		"amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty",
		"kelp", "larch", "marsh", "north", "ocean", "pine", "quartz", "ridge", "slate", "tide",
		"umber", "vale", "willow", "xenon", "yarrow", "zephyr",
	}
	name := names[n%len(names)]
	if round := n/len(names) + 1; round > 1 {
		name = fmt.Sprintf("%s-%d", name, round)
	}
	return name
}
