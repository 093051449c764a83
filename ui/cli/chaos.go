package cli

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/demo"
	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
)

// chaosOptions are the flags of the random faults.
type chaosOptions struct {
	on       bool
	seed     uint64
	rate     string
	headless bool

	perSecond float64
	listen    bool // others can join
}

func (c *chaosOptions) flags(cmd *cobra.Command, o *options) {
	flaggroup.Faults.Add(cmd, func(f *pflag.FlagSet) {
		f.BoolVar(&c.on, "chaos", false, "spawn, kill, freeze, partition and heal at random")
		f.Uint64Var(&c.seed, "seed", 0, "`NUMBER` that the random faults depend on: the same seed and rate make the same faults (default: random, and shown)")
		f.StringVar(&c.rate, "rate", "2/s", "how many faults: `N/s`, N/m or N/h")
		f.BoolVar(&c.headless, "headless", false, "with --chaos: no screen, print the events")
	})
	o.jsonFlag(cmd, "with --headless: one JSON object a line")
	flaggroup.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.DurationVar(&o.duration, "for", 0, "with --headless: stop after `DURATION`")
	})
}

// rateMax bounds the faults per second.
const rateMax = 100

func (c *chaosOptions) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	for _, name := range []string{"seed", "rate"} {
		if changed(name) && !c.on {
			return exit.Usagef("--%s needs --chaos", name)
		}
	}
	for _, name := range []string{"json", "for"} {
		if changed(name) && !c.headless {
			return exit.Usagef("--%s needs --headless: the dashboard runs until you quit", name)
		}
	}
	for _, name := range []string{"campaign", "theme", "no-mouse"} {
		if changed(name) && c.headless {
			return exit.Usagef("--%s means nothing with --headless", name)
		}
	}
	if c.headless && !c.on {
		return exit.Usagef("--headless needs --chaos: without a screen nothing else would happen")
	}
	c.listen = changed("listen")
	var err error
	if c.perSecond, err = parseRate(c.rate); err != nil {
		return err
	}
	if c.on && !changed("seed") {
		c.seed = uint64(rand.Uint32N(1_000_000)) // short enough to be typed again
	}
	return nil
}

// parseRate reads N/s, N/m, N/h or N, which means N/s.
func parseRate(s string) (perSecond float64, err error) {
	number, unit, found := strings.Cut(s, "/")
	n, err := strconv.ParseFloat(number, 64)
	per := map[string]float64{"s": 1, "m": 60, "h": 3600}[unit]
	if !found {
		per = 1
	}
	if err != nil || per == 0 || !(n > 0) || n/per > rateMax {
		return 0, exit.Usagef("--rate %q: a number of faults per time, as in 2/s or 30/m, up to %d/s", s, rateMax)
	}
	return n / per, nil
}

// chaos returns the random faults to cause among the candidates, nil for none.
func (c *chaosOptions) chaos(cast int) *demo.Chaos {
	if !c.on {
		return nil
	}
	return &demo.Chaos{Seed: c.seed, Rate: c.perSecond, Cast: cast}
}
