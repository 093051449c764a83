package election

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"electop/demo"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/cli/process"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

// Cast returns an empty cast for the election.
func (e *Election) Cast(cfg demo.Config) *demo.Cast {
	cfg.Path, cfg.Put, cfg.Now = e.Path, e.Feed.Put, feed.Now
	return demo.NewCast(cfg)
}

// Sandbox returns a [demo.Sandbox] for the election.
func (e *Election) Sandbox(cfg demo.SandboxConfig) *demo.Sandbox {
	cfg.Path, cfg.Put, cfg.Now = e.Path, e.Feed.Put, feed.Now
	return demo.NewSandbox(cfg)
}

// IgnoreEnd returns err, or nil if err reports that the cast was closed or the context was canceled.
func IgnoreEnd(err error) error {
	if errors.Is(err, demo.ErrClosed) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// InPlace reports whether the queue is n members in their final places: the first leads, the others wait.
func InPlace(s *doctor.State, n int) bool {
	if s.Phase != model.Live || s.Queue.Len() != n || len(s.Members) != n {
		return false
	}
	for i, c := range s.Queue.All() {
		m := s.Member(c)
		switch {
		case m == nil || m.Fault != model.NoFault || m.Znode != c.Name:
			return false
		case i == 0 && m.Belief != model.Leading, i > 0 && m.Belief != model.Waiting:
			return false
		}
	}
	return s.Ack.Path == "" || s.Acknowledged()
}

// CauseFaults waits until c.Cast candidates are in place, then causes random faults until ctx ends or an act fails.
func CauseFaults(ctx context.Context, c demo.Chaos, e *Election, cast *demo.Cast, log *slog.Logger) error {
	if _, err := e.Feed.Await(ctx, func(s *doctor.State) bool { return InPlace(s, c.Cast) }); err != nil {
		return nil // ctx has ended
	}
	return IgnoreEnd(c.Run(ctx, cast, func(a demo.Act) {
		log.Info("chaos", "at", a.At, "act", a.Kind, "member", a.Member)
	}))
}

// Admission describes an election before more candidates of electop join.
type Admission struct {
	Known   bool             // the election was read
	dialect *dialect.Dialect // nil: not recognised
	Foreign int              // number of candidates whose names are not electop's
	Behind  string           // text about the candidates that are already in the queue; "": none
}

// Admit describes an election. An error means that electop's candidates cannot join.
func Admit(s *doctor.State) (Admission, error) {
	e := Admission{Known: true, dialect: s.Dialect}
	for _, c := range s.Queue.All() {
		if !candidate.OwnName(c.Name) {
			e.Foreign++
		}
	}
	if n := s.Queue.Len(); n > 0 {
		last := s.Queue.At(n - 1)
		e.Behind = fmt.Sprintf("you will queue behind %s, the last is %s", units.Count(n, "candidate", "candidates"), znode.Safe(last.Name, 0))
		if l := last.Label(); l != last.Name {
			e.Behind += " (" + l + ")"
		}
	}
	if e.dialect != nil && e.Foreign > 0 && e.dialect.Why != "" {
		return e, fmt.Errorf("electop can't take part in an election of %s, only watch it: %s", e.dialect.System, e.dialect.Why)
	}
	return e, nil
}

// Whose returns a phrase that names the system of the third-party candidates, if it is known.
func (e Admission) Whose() string {
	whose := "an election of third-party candidates"
	if e.dialect != nil && e.dialect.Foreign() {
		whose += " (" + e.dialect.System + ")"
	}
	return whose
}

// Naming returns the dialect that electop's candidates must use, nil for electop's own dialect.
func (e Admission) Naming() *dialect.Dialect {
	if e.dialect != nil && e.Foreign > 0 && e.dialect.Foreign() {
		return e.dialect
	}
	return nil
}

// Request is a request to take part in an election.
type Request struct {
	Path    string
	Servers client.ConnectString
	Yes     bool      // --yes was given
	In      io.Reader // the user's answer is read from In if it is a terminal
	Err     io.Writer // for the question
}

// Confirm reads the election and calls [Admit]. If third-party candidates take part, Confirm also needs
// r.Yes or the user's answer. If the election cannot be read, Known is false and the error is nil.
func (r Request) Confirm(ctx context.Context, conn *client.Conn) (Admission, error) {
	seen, err := observer.ReadOnce(ctx, conn, r.Path, feed.Now)
	if err != nil || seen.Presence == model.Denied {
		return Admission{}, nil
	}
	j := doctor.NewJournal(model.Config{Path: r.Path})
	j.Apply(seen)
	e, err := Admit(j.State())
	if err != nil || e.Foreign == 0 || r.Yes {
		return e, err
	}
	in, ok := process.Terminal(r.In)
	if !ok {
		return e, process.Usagef("%s is %s (%s): add --yes to take part; %s", r.Path, e.Whose(), units.Count(e.Foreign, "candidate", "candidates"), e.Behind)
	}
	fmt.Fprintf(r.Err, "%s on %s is %s: %s electop's; %s.\nA candidate of electop may become its leader. Type the path to take part: ", r.Path, r.Servers, e.Whose(), units.Count(e.Foreign, "candidate that is not", "candidates that are not"), e.Behind)
	line, err := process.ReadLine(ctx, in)
	if err != nil {
		return e, err
	}
	if strings.TrimSpace(line) != r.Path {
		return e, fmt.Errorf("not confirmed: %s was not typed; nothing was done", r.Path)
	}
	return e, nil
}
