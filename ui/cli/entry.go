package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

// entry is what is known of an election before candidates of ours enter it.
type entry struct {
	known   bool             // it could be looked at
	dialect *dialect.Dialect // nil: nobody stands, and our own naming is as good as any
	foreign int              // candidates that are not electop's
	behind  string           // whom we will queue behind; "" for nobody
}

// entryOf judges an election that candidates of ours want to enter. The error
// says why they cannot.
func entryOf(s *doctor.State) (entry, error) {
	e := entry{known: true, dialect: s.Dialect}
	for _, c := range s.Queue {
		if !candidate.OwnName(c.Name) {
			e.foreign++
		}
	}
	if n := len(s.Queue); n > 0 {
		last := s.Queue[n-1]
		e.behind = fmt.Sprintf("you will queue behind %s, the last is %s", units.Count(n, "candidate", "candidates"), znode.Safe(last.Name, 0))
		if l := last.Label(); l != last.Name {
			e.behind += " (" + l + ")"
		}
	}
	if e.dialect != nil && e.foreign > 0 && e.dialect.Prefix == nil {
		why := e.dialect.Why
		if why == "" {
			why = "it has no place for a candidate of another program"
		}
		return e, fmt.Errorf("electop takes no part in an election of %s: %s", e.dialect.System, why)
	}
	return e, nil
}

// whose names the election for a question or a refusal.
func (e entry) whose() string {
	whose := "somebody else's election"
	if e.dialect != nil && e.dialect.Foreign() {
		whose += " (" + e.dialect.System + ")"
	}
	return whose
}

// naming is the dialect for our candidates, nil for electop's own.
func (e entry) naming() *dialect.Dialect {
	if e.dialect != nil && e.foreign > 0 && e.dialect.Foreign() {
		return e.dialect
	}
	return nil
}

// look reads the election at o.path; known is false where that cannot be done.
func (o *options) look(ctx context.Context, cfg client.Config) (entry, error) {
	conn, err := connectOnce(ctx, cfg, o.connectTimeout)
	var e exitError
	if errors.As(err, &e) && e.code == exitNoServer {
		return entry{}, nil
	} else if err != nil {
		return entry{}, err
	}
	defer conn.Close()
	read, err := observer.ReadOnce(ctx, conn, o.path, feed.Now)
	if err != nil || read.Presence == model.Denied {
		return entry{}, nil
	}
	j := doctor.NewJournal(model.Config{Path: o.path})
	j.Apply(read)
	return entryOf(j.State())
}

// confirm looks at the election and, where it is somebody else's, asks for the
// path to be typed, unless --yes was said. An entry that is not known was not
// confirmed.
func confirm(ctx context.Context, o *options, std IO, cfg client.Config) (entry, error) {
	e, err := o.look(ctx, cfg)
	if err != nil || !e.known || e.foreign == 0 || o.yes {
		return e, err
	}
	in, ok := std.In.(*os.File)
	if !ok || !term.IsTerminal(in.Fd()) {
		return e, usagef("%s is %s (%s): to take part in it say --yes; %s", o.path, e.whose(), units.Count(e.foreign, "candidate", "candidates"), e.behind)
	}
	fmt.Fprintf(std.Err, "%s on %s is %s: %s electop's; %s.\nA candidate of ours can come to lead it. Type the path to take part: ", o.path, cfg.Servers, e.whose(), units.Count(e.foreign, "candidate that is not", "candidates that are not"), e.behind)
	line, err := readLine(ctx, in)
	if err != nil {
		return e, err
	}
	if strings.TrimSpace(line) != o.path {
		return e, fmt.Errorf("not confirmed: %s was not typed; nothing was done", o.path)
	}
	return e, nil
}

// readLine reads one line, or gives up with ctx.
func readLine(ctx context.Context, in io.Reader) (string, error) {
	type answer struct {
		line string
		err  error
	}
	answers := make(chan answer, 1)
	go func() { // ends with the line, or with the program
		line, err := bufio.NewReader(in).ReadString('\n')
		answers <- answer{line, err}
	}()
	select {
	case a := <-answers:
		if a.err == io.EOF {
			a.err = nil
		}
		return a.line, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
