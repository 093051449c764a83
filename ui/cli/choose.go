package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	"electop/ui/plain"
	"electop/zkwatch/client"
)

// mustChoose reports whether the dashboard has to find out which elections there are:
// the user named none, and no flag is about one.
func (o *options) mustChoose() bool {
	return o.unnamed && !o.campaign && !o.castSet && o.record.File == ""
}

// choose searches the cluster for elections and takes the first as PATH. The others are
// in the result, for the list of elections.
func (o *options) choose(ctx context.Context, conn client.Config, std IO) (*plain.Discovery, error) {
	d, err := o.find(ctx, conn, std)
	if err != nil {
		return nil, err
	}
	o.path = firstElection(d.Elections).State.Path
	o.paths = []string{o.path}
	return d, nil
}

// chooseAll searches the cluster that has a name, but no paths, for the elections of a
// command that got no PATH.
func (o *options) chooseAll(ctx context.Context, conn client.Config, std IO) error {
	if !o.unnamed || o.cluster.Cluster == "" {
		return nil
	}
	d, err := o.find(ctx, conn, std)
	if err != nil {
		return err
	}
	if d.Stopped != "" {
		std.note("the search stopped early (%s): cluster %s may have more elections than these", d.Stopped, o.cluster.Cluster)
	}
	o.paths, o.found = electionPaths(*d), true
	return nil
}

// find searches the cluster for elections. It is an error if there is none.
func (o *options) find(ctx context.Context, conn client.Config, std IO) (*plain.Discovery, error) {
	c, err := cluster.Once(ctx, conn, o.cluster.Reach())
	if err != nil {
		return nil, err
	}
	defer c.Close()
	d, err := searchBelow(ctx, election.Below("/"), c, nil, std)
	switch {
	case ctx.Err() != nil:
		return nil, process.Interrupted
	case errors.Is(err, zk.ErrNoNode):
		return nil, cluster.Missing("/", conn.Servers)
	case err != nil:
		return nil, fmt.Errorf("search for elections: %w", err)
	}
	if firstElection(d.Elections) == nil {
		return nil, fmt.Errorf("no election found on %s, %d znodes read: give the PATH of the one to watch", conn.Servers, d.Visited)
	}
	return &d, nil
}

// firstElection is the one in the worst state of those that are known to be elections,
// otherwise the first that may be one, nil for none: a list of members is none.
func firstElection(all []plain.Found) (first *plain.Found) {
	unknown := func(f *plain.Found) bool { return f.State.Dialect.Kind() == dialect.KindUnknown }
	for i := range all {
		f := &all[i]
		switch {
		case f.State.Dialect.Kind() == dialect.KindRegistry:
		case first == nil, unknown(first) && !unknown(f), unknown(first) == unknown(f) && doctor.Graver(phrase.Trouble(f.State), phrase.Trouble(first.State)) < 0:
			first = f
		}
	}
	return first
}
