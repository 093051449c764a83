package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo"
	"electop/demo/zktest"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	"electop/zkwatch/client"
)

// troubled runs trouble with no screen and no real time passing, and returns
// what was printed.
func troubled(t *testing.T, o *options) (printed string) {
	t.Helper()
	seed := zktest.Seed(t)
	var out, said bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		h := newEmbedded(demoServer(log))
		defer h.ZooKeeper.Close()
		servers, err := client.ParseConnectString(cluster.DefaultServers)
		if err != nil {
			t.Fatal(err)
		}
		conn := client.Config{Servers: servers, SessionTimeout: demoSessionTimeout, Logger: log}
		r := &headless{
			o: o, chaos: demo.Chaos{Seed: seed, Rate: 2, Cast: demoCast}, server: h, log: log,
			std: IO{Out: &out, Err: &said},
		}
		if err := r.run(t.Context(), within(conn, h.ZooKeeper), backstage(conn, h.ZooKeeper)); err != nil {
			t.Errorf("%v; it said:\n%s", err, said.String())
		}
	})
	return out.String()
}

// brokenListener accepts nobody, after a while.
type brokenListener struct {
	net.Listener
	after time.Duration
}

func (l brokenListener) Accept() (net.Conn, error) {
	time.Sleep(l.after) // virtual
	return nil, errors.New("the network is gone")
}
func (brokenListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2181} }
func (brokenListener) Close() error   { return nil }

// A server that cannot go on ends chaos with its error, and nothing is said to
// have held.
func TestChaosEndsWithItsServer(t *testing.T) {
	t.Parallel()
	var out, said bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		h := newEmbedded(demoServer(log))
		defer h.ZooKeeper.Close()
		h.serve(func() error { return h.ZooKeeper.Serve(brokenListener{after: 30 * time.Second}) })
		servers, err := client.ParseConnectString(cluster.DefaultServers)
		if err != nil {
			t.Fatal(err)
		}
		conn := client.Config{Servers: servers, SessionTimeout: demoSessionTimeout, Logger: log}
		r := &headless{
			o:     &options{path: defaultPath, paths: []string{defaultPath}, json: true, duration: 10 * time.Minute},
			chaos: demo.Chaos{Seed: 1, Rate: 2, Cast: demoCast}, server: h, log: log, std: IO{Out: &out, Err: &said},
		}
		began := time.Now()
		err = r.run(t.Context(), within(conn, h.ZooKeeper), backstage(conn, h.ZooKeeper))
		if err == nil || !strings.Contains(err.Error(), "the network is gone") || process.Report(io.Discard, err) != process.ExitFailure {
			t.Errorf("ended with %v", err)
		}
		if d := time.Since(began); d > time.Minute {
			t.Errorf("the end came after %v", d)
		}
	})
	if strings.Contains(said.String(), "one leader") {
		t.Errorf("it said:\n%s", said.String())
	}
}

// same compares what was printed live with what a replay printed.
func same(t *testing.T, live, again []string) {
	t.Helper()
	for i := range min(len(live), len(again)) {
		if live[i] != again[i] {
			t.Fatalf("event %d\nlive:   %s\nreplay: %s", i+1, live[i], again[i])
		}
	}
	if len(live) != len(again) {
		t.Errorf("%d events live, %d in the replay", len(live), len(again))
	}
}

// A recording of ten minutes of trouble replays to exactly the events that were
// printed while it was made, and what must hold did all the while.
func TestChaosReplaysToWhatItPrinted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "recording")
	o := &options{path: defaultPath, paths: []string{defaultPath}, json: true, record: election.Recording{File: file}, duration: 10 * time.Minute}
	printed := troubled(t, o)
	var replayed, notices bytes.Buffer
	if err := printRecording(context.Background(), o, IO{Out: &replayed, Err: &notices}, file); err != nil {
		t.Fatal(err)
	}
	if notices.Len() > 0 {
		t.Errorf("the replay said: %s", notices.String())
	}
	live := strings.Split(printed, "\n")
	same(t, live, strings.Split(replayed.String(), "\n"))
	// Some two acts a second, most of which are an event or more.
	if handoffs := strings.Count(printed, `"type":"handoff"`); len(live) < 600 || handoffs < 60 {
		t.Errorf("only %d events with %d handoffs in ten minutes", len(live), handoffs)
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64 // 0: refused
	}{
		{"2/s", 2}, {"2", 2}, {"30/m", 0.5}, {"0.5/s", 0.5}, {"3600/h", 1}, {"100/s", 100},
		{"", 0}, {"0/s", 0}, {"-1/s", 0}, {"NaN/s", 0}, {"Inf", 0}, {"101/s", 0}, {"2/d", 0}, {"2/", 0}, {"x/s", 0}, {"1/s/s", 0},
	} {
		got, err := parseRate(c.text)
		if (err == nil) != (c.want > 0) || got != c.want && err == nil {
			t.Errorf("%q: %v, %v, want %v", c.text, got, err, c.want)
		}
	}
}
