package cli

import (
	"context"
	"log/slog"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/demo/lessons"
	"electop/ui/cli/cluster"
	"electop/ui/cli/config"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	"electop/ui/plain"
	"electop/zkwatch/admin"
)

const (
	completeWithin = time.Second // bounds the search for a completion, even if its session cannot be closed in time
	searchWithin   = 800 * time.Millisecond
	completeMax    = 200
)

// completable matches safe paths: bash's compgen -W runs a $(command) in a completion.
var completable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9/_.:@%+=,-]+$`) })

func (o *options) completePaths(most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most || begun != "" && begun[0] != '/' || o.settle(cmd) != nil {
			return cobra.NoFileCompletions(cmd, args, begun)
		}
		paths := slices.Clone(o.settings.Paths)
		if cmd.HasParent() || o.cluster.Servers != "" { // the root command without servers is the demo
			paths = append(paths, o.electionsNear(cmd.Context(), path.Dir("/"+begun))...)
		}
		slices.Sort(paths)
		paths = slices.DeleteFunc(slices.Compact(paths), func(p string) bool {
			return !strings.HasPrefix(p, begun) || slices.Contains(args, p) || !completable().MatchString(p)
		})
		return paths[:min(len(paths), completeMax)], cobra.ShellCompDirectiveNoFileComp
	}
}

// completeCampaign completes one PATH. Later words count as CMD: a completion cannot know whether -- precedes them.
func (o *options) completeCampaign(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 || begun != "" && begun[0] != '/' {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return o.completePaths(1)(cmd, args, begun)
}

func (o *options) completeRoots(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	elections, directive := o.completePaths(1)(cmd, args, begun)
	var roots []cobra.Completion
	for _, root := range elections {
		for root != "/" {
			root = path.Dir(root)
			if strings.HasPrefix(root, begun) {
				roots = append(roots, root)
			}
		}
	}
	slices.Sort(roots)
	roots = slices.Compact(roots)
	return roots[:min(len(roots), completeMax)], directive
}

func (o *options) electionsNear(ctx context.Context, root string) []string {
	var mu sync.Mutex
	var paths []string
	within, cancel := context.WithTimeout(ctx, completeWithin)
	defer cancel()
	_, _ = process.Await(within, func() (none struct{}, err error) {
		ctx, cancel := context.WithTimeout(ctx, searchWithin)
		defer cancel()
		cfg, err := o.cluster.Config(ctx, slog.New(slog.DiscardHandler))
		if err != nil {
			return none, err
		}
		s := election.NewSearch(election.Near(root))
		keep := func() {
			found := electionPaths(s.Discovery())
			mu.Lock()
			defer mu.Unlock()
			paths = found
		}
		s.Changed = keep
		_, err = s.Over(ctx, cfg, cluster.Reach{For: searchWithin})
		keep()
		return none, err
	})
	mu.Lock()
	defer mu.Unlock()
	return paths
}

func electionPaths(d plain.Discovery) []string {
	var paths []string
	for _, f := range d.Elections {
		if !f.State.Roleless() {
			paths = append(paths, f.State.Path)
		}
	}
	return paths
}

func completeLesson(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	course, err := lessons.All()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for _, l := range course {
		names = append(names, cobra.CompletionWithDesc(l.ID, l.About))
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func completeHelp(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for _, c := range found.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completeClusters(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	f, _ := readConfig() // after an error, f has no clusters
	var names []cobra.Completion
	for _, c := range f.Clusters {
		names = append(names, cobra.CompletionWithDesc(c.Name, c.Values["servers"].Text))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completeFlags(root *cobra.Command) {
	values := map[string]cobra.CompletionFunc{
		"cluster":        completeClusters,
		"only":           cobra.FixedCompletions(checkNames(), cobra.ShellCompDirectiveNoFileComp),
		"recipe":         cobra.FixedCompletions(demoRecipes, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder),
		"theme":          cobra.FixedCompletions(config.Themes(), cobra.ShellCompDirectiveNoFileComp),
		"admin":          cobra.FixedCompletions([]string{string(admin.Auto), string(admin.HTTP), string(admin.FourLetter), string(admin.Off)}, cobra.ShellCompDirectiveNoFileComp),
		"admin-sessions": cobra.FixedCompletions([]string{"auto", "0", "1s", "2s"}, cobra.ShellCompDirectiveNoFileComp),
	}
	for _, cmd := range append(root.Commands(), root) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if placeholder, _ := pflag.UnquoteUsage(f); placeholder == "FILE" || placeholder == "DIR" || f.Value.Type() == "bool" {
				return
			}
			complete := values[f.Name]
			if complete == nil {
				complete = cobra.NoFileCompletions
			}
			if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
				panic(err) // two completions for one flag
			}
		})
	}
}
