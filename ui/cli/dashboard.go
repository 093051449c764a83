package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"electop/demo"
	"electop/model"
	"electop/ui"
	"electop/zkwatch"
	"electop/zkwatch/feed"
)

// screen is what differs between the dashboards.
type screen struct {
	conn     zkwatch.Config
	mode     string
	cluster  string
	cast     int  // candidates to start with
	campaign bool // stand ourselves from the start
	create   bool
	acting   bool   // keys that act are enabled
	noActing string // else why not
	hello    string // the first notice, if any
	// ask: the election may be somebody else's, which was not checked yet.
	ask bool
}

// dashboard runs the screen until it is left.
func dashboard(ctx context.Context, o *options, std IO, log *slog.Logger, sc screen) error {
	election, err := o.election(sc.acting)
	if err != nil {
		return err
	}
	notices := make(chan string, 16)
	if sc.hello != "" {
		notices <- sc.hello
	}
	notice := func(s string) {
		log.Warn(s)
		select {
		case notices <- s:
		default: // the status line has one row; the log has them all
		}
	}
	w, err := o.watch(sc.conn, election, nil, notice)
	if err != nil {
		return err
	}
	defer w.close()
	t := newTasks(ctx)
	cast := demo.NewCast(demo.Config{
		Conn: sc.conn, Path: election.Path, Ack: election.AckPath, Create: sc.create,
		Put: w.feed.Put, Notice: notice, Now: feed.Now,
	})
	a := &actions{path: election.Path, cast: cast, observer: w.observer, candidacyName: o.candidacyName()}
	a.block(sc.noActing)
	w.start(t)
	if sc.acting && (sc.cast > 0 || sc.campaign) || sc.ask {
		if sc.ask {
			a.block("not known yet whether this is somebody else's election: it is being looked at")
		}
		t.start("cast", func(ctx context.Context) error { return enter(ctx, w, a, sc, notice) })
	}
	role := "observer"
	switch {
	case sc.cast > 0 && sc.mode != ui.ModeDemo:
		role = fmt.Sprintf("cast of %d", sc.cast)
	case sc.campaign:
		role = "candidate"
	}
	err = ui.Run(t.ctx, ui.Options{
		Source: w.feed, Actions: a, Mode: sc.mode, Role: role, Cluster: sc.cluster,
		Notices: notices, Theme: o.theme,
	})
	cast.Close()
	if failed := t.stop(); failed != nil && ctx.Err() == nil {
		return failed
	}
	if errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}

// enter lets the candidates in that were asked for, once it is known whose
// election this is.
func enter(ctx context.Context, w *watching, a *actions, sc screen, notice func(string)) error {
	// Looking comes first, so that whatever happens is seen to happen.
	s, err := w.feed.Await(ctx, func(s *model.State) bool {
		return s.Phase == model.Live || s.Phase == model.NoParent || s.Phase == model.Forbidden && !sc.ask
	})
	if err != nil {
		return nil // the dashboard was left
	}
	if sc.ask {
		if others(s.Queue) > 0 {
			why := "this is somebody else's election: start again with --yes to take part in it"
			a.block(why)
			notice(why)
			return nil
		}
		a.block("")
	}
	if sc.campaign {
		// The key for it may have been pressed meanwhile.
		if _, err := a.cast.Campaign(a.candidacyName); err != nil && !errors.Is(err, demo.ErrCampaigning) {
			return left(err)
		}
	}
	return left(a.cast.SpawnInOrder(ctx, sc.cast))
}

// left is nil for the errors of a dashboard that is being left.
func left(err error) error {
	if errors.Is(err, demo.ErrClosed) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// others counts contenders that are not of this program's making.
func others(queue []*model.Candidate) int {
	n := 0
	for _, c := range queue {
		if !zkwatch.OwnName(c.Name) {
			n++
		}
	}
	return n
}

// candidacyName is the data of our own candidacy's znode.
func (o *options) candidacyName() string {
	if o.name != "" {
		return o.name
	}
	host, err := os.Hostname()
	if err != nil {
		host = "electop"
	}
	return fmt.Sprintf("%s:%d", host, os.Getpid())
}

// needTerminal refuses a dashboard that nobody could see.
func needTerminal(std IO) error {
	if f, ok := std.Out.(*os.File); ok && term.IsTerminal(f.Fd()) {
		return nil
	}
	return usagef("the dashboard needs a terminal on standard output; for scripts use: electop status PATH --json, or electop events PATH --json")
}

// runLive is the dashboard on a cluster.
func runLive(ctx context.Context, o *options, std IO) error {
	if err := needTerminal(std); err != nil {
		return err
	}
	log, conn, done, err := o.cluster()
	if err != nil {
		return err
	}
	defer done()
	sc := screen{
		conn: conn, cluster: clusterName(conn.Servers), mode: ui.ModeLive,
		cast: o.cast, campaign: o.campaign, create: o.create,
		acting:   o.campaign || o.castSet,
		noActing: "looking on only: start with --campaign or --cast N to take part",
	}
	if sc.acting {
		sc.noActing = ""
		if !o.yes {
			sc.ask = true
			known, err := confirm(ctx, o, std, conn)
			if err != nil {
				return err
			}
			sc.ask = !known
		}
	}
	return dashboard(ctx, o, std, log, sc)
}

// clusterName names a cluster in the header's little room: its first server,
// how many more there are, and the chroot.
func clusterName(cs zkwatch.ConnectString) string {
	name := cs.Servers[0]
	if more := len(cs.Servers) - 1; more > 0 {
		name = fmt.Sprintf("%s +%d", name, more)
	}
	return name + cs.Chroot
}

// confirm asks for the path to be typed where the election is somebody
// else's. known is false where no server could be asked: the dashboard then
// finds out by itself.
func confirm(ctx context.Context, o *options, std IO, cfg zkwatch.Config) (known bool, err error) {
	conn, err := connectOnce(ctx, cfg, o.connectTimeout)
	var e exitError
	if errors.As(err, &e) && e.code == exitNoServer {
		return false, nil
	} else if err != nil {
		return false, err
	}
	defer conn.Close()
	read, err := zkwatch.ReadElection(ctx, conn, o.path, feed.Now)
	if err != nil || read.Presence == model.Denied {
		return false, nil
	}
	foreign := 0
	for _, z := range read.New {
		if _, numbered := model.Sequence(z.Name); numbered && z.Session != 0 && !zkwatch.OwnName(z.Name) {
			foreign++
		}
	}
	if foreign == 0 {
		return true, nil
	}
	in, ok := std.In.(*os.File)
	if !ok || !term.IsTerminal(in.Fd()) {
		return false, usagef("%s is somebody else's election (%d candidates): to take part in it say --yes", o.path, foreign)
	}
	fmt.Fprintf(std.Err, "%s on %s is somebody else's election: %d candidates that are not electop's.\nA candidate of ours can come to lead it. Type the path to take part: ", o.path, cfg.Servers, foreign)
	line, err := readLine(ctx, in)
	if err != nil {
		return false, err
	}
	if strings.TrimSpace(line) != o.path {
		return false, fmt.Errorf("not confirmed: %s was not typed; nothing was done", o.path)
	}
	return true, nil
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
