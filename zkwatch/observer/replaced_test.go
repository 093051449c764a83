package observer_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

func TestLostPersistentWatchIsSetAgain(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		for how, lose := range map[string]func(*client.Following) error{
			// In 3.6 to 3.8, a one-time watch replaces the persistent watch (ZOOKEEPER-4466).
			"replaced": func(f *client.Following) error { _, _, err := f.Exists(t.Context(), true); return err },
			"removed":  func(f *client.Following) error { return f.Stop(t.Context()) },
		} {
			path := on.Make(on.Path+how, 0)
			var seen electiontest.Log[model.Observation]
			o := observer.New(observer.Config{Path: path, Put: func(_ context.Context, obs model.Observation) { seen.Add(obs) }})
			cfg := on.Config()
			cfg.SessionTimeout = time.Minute // on a busy machine, the session must not expire
			group := observer.NewGroup(cfg)
			group.Add(o)
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { group.Run(ctx) })
			t.Cleanup(func() { cancel(); running.Wait() })
			seen.Await(t, 0, "the persistent watch", func(obs model.Observation) bool {
				f, ok := obs.(*model.Follow)
				return ok && f.By == model.ByWatch
			})

			f := zktest.Must(group.Conn().Follow(path))
			if err := lose(f); err != nil {
				t.Fatalf("%s watch: got error %v, want none", how, err)
			}
			f.Close()
			create := func() string { return strings.TrimPrefix(on.Make(path+"/n_", electiontest.Contender), path+"/") }
			first := create()
			o.Settle()
			_, at := seen.Await(t, 0, how+": the first child", func(obs model.Observation) bool {
				r, ok := obs.(*model.Read)
				return ok && slices.ContainsFunc(r.New, func(z znode.Znode) bool { return z.Name == first }) || reportsNew(obs, first)
			})
			second := create()
			seen.Await(t, at, how+": the second child by the watch", func(obs model.Observation) bool { return reportsNew(obs, second) })
		}
	})
}

func reportsNew(obs model.Observation, name string) bool {
	d, ok := obs.(*model.Delta)
	return ok && d.New != nil && d.New.Name == name
}
