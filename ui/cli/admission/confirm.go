package admission

import (
	"context"
	"fmt"
	"io"
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/ui/cli/exit"
	"electop/ui/cli/terminal"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

// Request is a request to take part in an election.
type Request struct {
	Path    string
	Servers client.ConnectString
	Yes     bool      // the user has confirmed it already
	In      io.Reader // where to ask, if it is a terminal
	Err     io.Writer
}

// read reads the election. Known is false if that is not possible.
func (r Request) read(ctx context.Context, conn *client.Conn) (Election, error) {
	seen, err := observer.ReadOnce(ctx, conn, r.Path, feed.Now)
	if err != nil || seen.Presence == model.Denied {
		return Election{}, nil
	}
	j := doctor.NewJournal(model.Config{Path: r.Path})
	j.Apply(seen)
	return Judge(j.State())
}

// Confirm reads the election over conn and, if it has third-party candidates, asks the user to
// type its path, unless --yes was given. It asks nothing if the election could not be
// read.
func (r Request) Confirm(ctx context.Context, conn *client.Conn) (Election, error) {
	e, err := r.read(ctx, conn)
	if err != nil || !e.Known || e.Foreign == 0 || r.Yes {
		return e, err
	}
	in, ok := terminal.Of(r.In)
	if !ok {
		return e, exit.Usagef("%s is %s (%s): add --yes to take part; %s", r.Path, e.Whose(), units.Count(e.Foreign, "candidate", "candidates"), e.Behind)
	}
	fmt.Fprintf(r.Err, "%s on %s is %s: %s electop's; %s.\nA candidate of electop may become its leader. Type the path to take part: ", r.Path, r.Servers, e.Whose(), units.Count(e.Foreign, "candidate that is not", "candidates that are not"), e.Behind)
	line, err := terminal.ReadLine(ctx, in)
	if err != nil {
		return e, err
	}
	if strings.TrimSpace(line) != r.Path {
		return e, fmt.Errorf("not confirmed: %s was not typed; nothing was done", r.Path)
	}
	return e, nil
}
