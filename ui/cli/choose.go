package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"electop/model/dialect"
	"electop/ui/cli/connect"
	"electop/ui/cli/exit"
	"electop/ui/cli/search"
	"electop/ui/plain"
	"electop/zkwatch/client"
)

// mustChoose reports whether the dashboard has to find out which elections there are:
// the user named none, and no flag is about one.
func (o *options) mustChoose() bool {
	return o.unnamed && !o.campaign && !o.castSet && o.record.File == "" && !o.metrics.Wanted()
}

// choose searches the cluster for elections and takes the first as PATH. The others are
// in the result, for the list of elections.
func (o *options) choose(ctx context.Context, conn client.Config, std IO) (*plain.Discovery, error) {
	c, err := connect.Once(ctx, conn, o.cluster.Reach())
	if err != nil {
		return nil, err
	}
	defer c.Close()
	d, err := searchBelow(ctx, search.Below("/"), c, std)
	switch {
	case ctx.Err() != nil:
		return nil, exit.Interrupted
	case errors.Is(err, zk.ErrNoNode):
		return nil, connect.Missing("/", conn.Servers)
	case err != nil:
		return nil, fmt.Errorf("search for elections: %w", err)
	}
	first := firstElection(d.Elections)
	if first == nil {
		return nil, fmt.Errorf("no election found on %s, %d znodes read: give the PATH of the one to watch", conn.Servers, d.Visited)
	}
	o.path = first.State.Path
	o.paths = []string{o.path}
	return &d, nil
}

// firstElection is the first that is known to be an election, else the first that may
// be one, nil for none: a list of members is none.
func firstElection(all []plain.Found) (first *plain.Found) {
	for i := range all {
		switch d := all[i].State.Dialect; {
		case d == nil || d.Kind() != dialect.KindRegistry && d.Kind() != dialect.KindUnknown:
			return &all[i]
		case d.Kind() == dialect.KindUnknown && first == nil:
			first = &all[i]
		}
	}
	return first
}
