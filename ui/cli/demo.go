package cli

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model/dialect"
	"electop/ui"
	"electop/ui/cli/cluster"
	"electop/ui/cli/dashboard"
	"electop/ui/cli/help"
	"electop/ui/cli/process"
	"electop/ui/overlay"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
)

const (
	demoInterval       = time.Second     // between requests for the server's status and sessions
	demoSessionTimeout = 4 * time.Second // so short that a school class can wait for an expiry
	demoCast           = 5
)

func newDemo(std IO) *cobra.Command {
	o := &options{}
	c := &chaosOptions{}
	kind := ""
	cmd := &cobra.Command{
		Use:               "demo [PATH]",
		Short:             "The dashboard on an embedded ZooKeeper, with candidates to spawn and kill",
		Long:              "The dashboard on an embedded ZooKeeper, with candidates to spawn and kill.\nELECTOP_SERVERS is ignored. With --chaos faults happen at random, and electop\nchecks that no two leaders are awake (not frozen) at once, that no change is missed\nand that there is no ghost. See electop help teaching.\nPATH is /election if it is not given. With --recipe its default is /RECIPE.",
		Example:           "  electop demo --cast 8\n  electop demo --recipe barrier\n  electop demo --chaos --rate 30/m\n  electop demo --listen 0.0.0.0:2181    for a class",
		Args:              pathArg(o),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(c.check(cmd), o.applyRecipe(cmd, kind)); err != nil {
				return err
			}
			if c.headless {
				return runHeadless(cmd.Context(), o, c, std)
			}
			return runDemo(cmd.Context(), o, std, dashboard.Demo{Chaos: c.chaos(o.cast), Kind: dialect.Kind(kind)})
		},
	}
	help.Candidates.Add(cmd, func(f *pflag.FlagSet) {
		f.IntVar(&o.cast, "cast", demoCast, "start with `N` candidates")
		f.DurationVar(&o.cluster.SessionTimeout, "session-timeout", demoSessionTimeout, "the candidates' session timeout is `DURATION`")
		f.BoolVar(&o.campaign, "campaign", false, "take part as a candidate from the start")
		f.StringVar(&kind, "recipe", "", "show another recipe than an election, with 4 members by default: `RECIPE` is "+strings.Join(demoRecipes, ", "))
	})
	o.server.flags(cmd, &o.yes)
	c.flags(cmd, o)
	o.screen.Flags(cmd)
	o.record.Flags(cmd)
	o.logFlag(cmd)
	return cmd
}

var demoRecipes = []string{"lock", "shared-lock", "group", "barrier", "double-barrier", "queue"}

func (o *options) applyRecipe(cmd *cobra.Command, recipe string) error {
	switch changed := cmd.Flags().Changed; {
	case recipe == "":
		return nil
	case !slices.Contains(demoRecipes, recipe):
		return process.Usagef("--recipe %q: give one of %s", recipe, strings.Join(demoRecipes, ", "))
	case changed("chaos") || changed("headless") || changed("campaign"):
		return process.Usagef("--recipe with --chaos, --headless or --campaign, which need an election: give one or the other")
	}
	if o.unnamed {
		o.path, o.paths = "/"+recipe, []string{"/" + recipe}
	}
	if !o.castSet {
		o.cast, o.castSet = 4, true
	}
	return nil
}

// demoOnly refuses several PATHs and flags of a cluster, because a user who gives them does not expect the demo.
func (o *options) demoOnly(cmd *cobra.Command) error {
	if len(o.paths) > 1 {
		return process.Usagef("the demo has one election: several PATHs need --servers")
	}
	for _, name := range []string{"admin", "admin-url", "admin-sessions", "admin-heavy",
		"auth-file", "tls", "tls-ca", "tls-cert", "tls-key", "tls-server-name",
		"krb5", "krb5-keytab", "krb5-principal", "krb5-service", "observe-only"} {
		if cmd.Flags().Changed(name) {
			return process.Usagef("--%s needs a cluster, and without --servers this is the demo", name)
		}
	}
	return nil
}

func runDemo(ctx context.Context, o *options, std IO, p dashboard.Demo) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := needTerminal(std, forScripts); err != nil {
		return err
	}
	log, closeLog, err := o.logger(ctx)
	if err != nil {
		return err
	}
	defer closeLog()
	if o.server.listen == "" {
		o.server.listen = anyPort
	}
	if err := o.server.confirmOpen(ctx, o.yes, std.In, std.Err); err != nil {
		return err
	}
	h, err := o.server.start(demoServer(log))
	if err != nil {
		return err
	}
	defer h.ZooKeeper.Close()
	addr := dialable(h.addr)
	servers, err := client.ParseConnectString(addr)
	if err != nil {
		return err
	}
	o.admin = cluster.Requests{Mode: admin.FourLetter, Interval: demoInterval, Sessions: demoInterval, Heavy: true}
	cast := o.cast
	switch {
	case p.Lesson:
		cast = 0 // the lesson has its own cast
	case !o.castSet:
		cast = demoCast
	}
	conn := client.Config{Servers: servers, SessionTimeout: cmp.Or(o.cluster.SessionTimeout, demoSessionTimeout), Logger: log}
	o.byReads = true                // reads within this process cost little
	ours, _ := net.InterfaceAddrs() // dialable needs no addresses
	invited := invitations(dialable(h.addr, ours...), o.path)
	if p.Kind != "" {
		invited = nil // the lines in invitations join an election
	}
	return o.runOnScreen(ctx, std, dashboard.Config{
		Watch: o.watch(observing(conn, h.ZooKeeper), log, p.Kind == ""), Reach: o.cluster.Reach(), Conn: conn,
		Screen: ui.Options{
			Cluster: "embedded " + addr, ObserveOnly: o.observeOnly,
			Invitations: invited, Open: openToNetwork(o.server.listen),
		},
		Cast: cast, Campaign: o.campaign, Create: true, CandidacyData: o.candidacyData(), Consent: true,
		Server: h.ZooKeeper, Serve: h.run, Demo: p,
	})
}

func newLesson(std IO) *cobra.Command {
	o := &options{}
	list := false
	cmd := &cobra.Command{
		Use:     "lesson [NAME]",
		Short:   "Lessons: an election explained step by step, on the demo",
		Long:    "An election explained step by step, on the demo. A lesson explains a little, lets you\npredict what happens next and cause it with the dashboard's keys, and then continues.\nWithout NAME the first lesson that is not complete begins.",
		Example: "  electop lesson --list\n  electop lesson",
		Args: o.settled(func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return process.Usagef("one lesson at a time, got %d (see electop lesson --list)", len(args))
			}
			o.path, o.paths = defaultPath, []string{defaultPath}
			return nil
		}),
		ValidArgsFunction: completeLesson,
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return dashboard.ListLessons(std.Out, std.Err)
			}
			d := dashboard.Demo{Lesson: true}
			if len(args) == 1 {
				d.LessonID = args[0]
				if err := dashboard.CheckLesson(d.LessonID); err != nil {
					return err
				}
			}
			return runDemo(cmd.Context(), o, std, d)
		},
	}
	help.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&list, "list", false, "list the lessons, and which are complete")
	})
	o.server.flags(cmd, &o.yes)
	o.screen.Flags(cmd)
	o.record.Flags(cmd)
	o.logFlag(cmd)
	return cmd
}

// invitations returns lines of code with which other programs join. The last arguments of Lock and
// InterProcessMutex make kazoo and Curator queue behind the names of other programs.
func invitations(addr, path string) []overlay.Invitation {
	return []overlay.Invitation{
		{Program: "electop", Line: fmt.Sprintf("electop campaign %s -s %s --name YOU --yes", path, addr)},
		{Program: "kazoo (Python)", Line: fmt.Sprintf(`python3 -c "from kazoo.client import *; c = KazooClient('%s'); c.start(); `+
			`c.Lock('%s', 'YOU', ['[-_]']).acquire(); print('I lead'); input()"`, addr, path)},
		{Program: "Curator (Java)", Line: fmt.Sprintf(`var c = CuratorFrameworkFactory.newClient("%s", new RetryOneTime(100)); c.start(); `+
			`new InterProcessMutex(c, "%s", new StandardLockInternalsDriver() { public String fixForSorting(String s, String n) { return s.substring(s.length() - 10); } }).acquire();`, addr, path)},
		{Program: "zkCli", Line: fmt.Sprintf("(echo create -s -e %s/YOU-n_ YOU; cat) | zkCli.sh -server %s", path, addr)},
	}
}
