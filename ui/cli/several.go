package cli

import (
	"context"
	"errors"
	"fmt"

	"electop/model/znode"
	"electop/ui/cli/process"
)

// severalPaths is the help of a command that takes several elections.
const severalPaths = "PATH is /election if it is not given. With a cluster of the configuration file it is\nall of the cluster's paths, or all elections that discover finds if it has none.\nOf several the exit code is the worst: 1 (a PATH that cannot be read; the others are\nprinted), then that of what was printed, then 0."

// each prints what read returns for each of the paths, of several with a heading in text
// and one object a line in JSON. An empty text is not printed. The error of one path is
// noted and does not keep the others from being read, unless no server was reached.
func (o *options) each(std IO, read func(i int) (object any, text string, err error)) (worst error) {
	several := len(o.paths) > 1
	blank := ""
	for i, path := range o.paths {
		object, text, err := read(i)
		if text != "" {
			if several {
				text, blank = fmt.Sprintf("%s== %s\n%s", blank, znode.Safe(path, 0), text), "\n"
			}
			if failed := std.print(o.json, object, text); failed != nil {
				return failed
			}
		}
		e, coded := errors.AsType[process.Error](err)
		said := coded && (e.Code == process.ExitNoCandidate || e.Code == process.ExitFinding) // by the text
		switch {
		case err == nil:
		case !several || coded && !said || errors.Is(err, context.Canceled):
			return err
		case !said:
			std.note("%s", znode.Safe(err.Error(), 1000))
			worst = process.Passed(process.ExitFailure)
		case worst == nil || errors.Is(err, process.Critical) && errors.Is(worst, process.Empty):
			worst = err
		}
	}
	return worst
}
