package demo

import "fmt"

// castName returns the n-th name, from 0: short words in alphabetical order,
// numbered from the second round on.
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
