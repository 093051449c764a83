package election

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/ui/cli/cluster"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/ui/plain"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/discover"
	"electop/zkwatch/feed"
)

const progressEvery = 200 * time.Millisecond

// Pause returns the pause after a search, to spare the servers; took is the duration of the search.
func Pause(took time.Duration) time.Duration { return max(30*time.Second, 20*took) }

// Search finds elections and other recipes in the znode tree. Only one goroutine at a time may use a search.
type Search struct {
	// Run calls Changed after each result, and at most once in progressEvery for progress.
	Changed func()

	kind     string
	cfg      discover.Config
	found    []plain.Found
	journals map[string]*doctor.Journal // of the elections that this search found, by path
	at       discover.Progress
	last     time.Time // when Changed was called last
}

// NewSearch returns a search that does not run yet.
func NewSearch(o SearchOptions) *Search {
	s := &Search{Changed: func() {}, kind: o.Kind, journals: make(map[string]*doctor.Journal)}
	s.cfg = discover.Config{
		Root: o.Root, Depth: o.depth, Nodes: o.nodes, PerSecond: o.rate, Now: feed.Now, Leaves: o.Watches(),
		Found: func(f discover.Found) {
			j := journal(f)
			s.journals[f.Path] = j
			waiting := plain.Waiting(j.State())
			if f.Partial {
				waiting = max(waiting, f.Contenders-j.State().Holders())
			}
			s.put(plain.Found{State: j.State(), Waiting: waiting})
			s.changed(true)
		},
		Progress: func(p discover.Progress) {
			s.at = p
			s.changed(false)
		},
	}
	return s
}

func (s *Search) put(f plain.Found) {
	path := f.State.Path
	if i := slices.IndexFunc(s.found, func(f plain.Found) bool { return f.State.Path == path }); i >= 0 {
		s.found = slices.Clone(s.found) // a caller of Discovery may have the old slice
		s.found[i] = f
		return
	}
	s.found = append(s.found, f)
}

// Keep adopts the elections of an earlier search. Run removes those that it does not find, unless it fails or reaches
// a bound.
func (s *Search) Keep(d plain.Discovery) {
	s.found = slices.Clone(d.Elections)
	s.cfg.Known = make(map[string]*dialect.Dialect)
	for _, f := range s.found {
		s.cfg.Known[f.State.Path] = f.State.Dialect
	}
}

func (s *Search) changed(now bool) {
	if t := s.cfg.Now(); now || t.Sub(s.last) >= progressEvery {
		s.last = t
		s.Changed()
	}
}

// Progress returns the number of visited znodes, and the number of elections and other recipes in the result.
func (s *Search) Progress() (znodes, found int) { return s.at.Visited, len(s.found) }

// Complete reports whether the last Run, if it returned no error, was complete; see [discover.Progress.Complete].
func (s *Search) Complete() bool { return s.at.Complete() }

// Run walks the znodes. Elections found before an error stay in the result.
func (s *Search) Run(ctx context.Context, conn *client.Conn) error {
	at, err := discover.Walk(ctx, conn, s.cfg)
	s.at = at
	if err == nil && at.Stopped == "" {
		s.found = slices.DeleteFunc(slices.Clone(s.found), func(f plain.Found) bool { return s.journals[f.State.Path] == nil })
	}
	return err
}

// Over runs the search in a new session, and returns the number of requests.
func (s *Search) Over(ctx context.Context, cfg client.Config, reach cluster.Reach) (requests uint64, err error) {
	conn, err := cluster.Once(ctx, cfg, reach)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	err = s.Run(ctx, conn)
	return conn.Requests(), err
}

// Poll requests the servers' reports about the found elections, and applies the reports.
func (s *Search) Poll(ctx context.Context, poller *admin.Poller) error {
	failed := cluster.RequestReports(ctx, poller, slices.Collect(maps.Values(s.journals)))
	for i := range s.found {
		if j := s.journals[s.found[i].State.Path]; j != nil {
			s.found[i].State = j.State()
		}
	}
	// A znode without children is a barrier only if the reports show a watch on it.
	s.found = slices.DeleteFunc(slices.Clone(s.found), func(f plain.Found) bool { return f.State.Dialect == nil && f.State.Queue.Len() == 0 })
	return failed
}

func journal(f discover.Found) *doctor.Journal {
	j := doctor.NewJournal(model.Config{Path: f.Path, Found: true, AckFollows: true})
	j.Apply(&model.Connection{At: f.Read.At, Link: model.Connected})
	j.Apply(f.Read)
	for _, o := range f.Beside {
		j.Apply(o)
	}
	j.RunRules()
	return j
}

// Discovery returns the result so far. The elections are in the order in which they were found.
func (s *Search) Discovery() plain.Discovery {
	if s.cfg.Leaves { // remove possible barriers without a known watch
		s.found = slices.DeleteFunc(slices.Clone(s.found), func(f plain.Found) bool { return f.State.Dialect == nil && f.State.Queue.Len() == 0 })
	}
	return plain.Discovery{
		Root: s.cfg.Root, Kind: s.kind, Elections: s.found, Visited: s.at.Visited, Denied: s.at.Denied,
		Skipped: s.at.Skipped, Skips: skips(s.at), Stopped: s.at.Stopped,
	}
}

func skips(at discover.Progress) []plain.Skip {
	var out []plain.Skip
	for _, s := range at.Skips {
		why := ""
		switch s.Why {
		case discover.TooLarge:
			why = fmt.Sprintf("its list of children does not fit in a reply of %d bytes; electop status %s accepts larger replies", s.Limit, s.Path)
		case discover.Alike:
			why = "a sample of their siblings has no children"
		case discover.BadName:
			why = "no client may request a znode of this name"
		}
		out = append(out, plain.Skip{Path: s.Path, Znodes: s.Znodes, Why: why})
	}
	return out
}

const (
	defaultDepth = 8
	defaultNodes = 10_000
	defaultRate  = 200 // requests a second
)

// SearchOptions configures a search.
type SearchOptions struct {
	Root  string
	depth int
	nodes int
	rate  float64
	Kind  string // the Kind of [plain.Discovery]
}

// Watches reports whether the search needs the servers' reports of watches.
func (o SearchOptions) Watches() bool {
	return slices.Contains([]string{"all", string(dialect.KindBarrier), string(dialect.KindDouble), string(dialect.KindUnknown)}, o.Kind)
}

// Below returns the default options of a search below root.
func Below(root string) SearchOptions {
	return SearchOptions{Root: root, depth: defaultDepth, nodes: defaultNodes, rate: defaultRate}
}

// Near returns the options of a quick search below root.
func Near(root string) SearchOptions {
	return SearchOptions{Root: root, depth: 4, nodes: 300, rate: 1000}
}

// Flags declares the flags of a search.
func (o *SearchOptions) Flags(cmd *cobra.Command) {
	help.Search.Add(cmd, func(f *pflag.FlagSet) {
		f.IntVar(&o.nodes, "max-nodes", defaultNodes, "read at most `N` znodes")
		f.StringVar(&o.Kind, "kind", "", "list only this `KIND`: "+kinds()+" or all")
		f.Float64Var(&o.rate, "rate", defaultRate, "send at most `N` requests a second")
	})
	o.depth = defaultDepth
}

func kinds() string {
	var names []string
	for _, k := range dialect.Kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// Check returns an error for an unknown kind or an impossible bound.
func (o SearchOptions) Check() error {
	switch {
	case o.Kind != "" && o.Kind != "all" && !slices.Contains(dialect.Kinds[:], dialect.Kind(o.Kind)):
		return process.Usagef("--kind %s: one of %s or all", o.Kind, kinds())
	case o.nodes < 1:
		return process.Usagef("--max-nodes %d: at least 1", o.nodes)
	case !(o.rate > 0 && o.rate <= 1e6):
		return process.Usagef("--rate %v: more than 0, and at most 1000000", o.rate)
	}
	return nil
}
