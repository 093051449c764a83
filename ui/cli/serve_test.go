package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/demo/zktest"
	"electop/ui/cli"
	"electop/zkwatch/wire"
)

func TestServeAdmin(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, w := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int)
	go func() {
		defer w.Close()
		code <- cli.Run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"},
			cli.IO{In: strings.NewReader(""), Out: w, Err: &errs})
	}()
	lines := bufio.NewScanner(out)
	var addr, url string
	for url == "" && lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "ZooKeeper on "); ok {
			addr, _, _ = strings.Cut(rest, ". ")
		}
		if rest, ok := strings.CutPrefix(lines.Text(), "AdminServer on "); ok {
			url = rest
		}
	}
	if addr == "" || url == "" {
		t.Fatalf("ZooKeeper on %q, AdminServer on %q, exit code %d: %s", addr, url, <-code, errs.String())
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: waitFor}
	rsp, err := client.Get(url + "/configuration")
	if err != nil {
		t.Fatal(err)
	}
	defer rsp.Body.Close()
	var conf struct {
		Port json.Number `json:"client_port"`
	}
	if err := json.NewDecoder(rsp.Body).Decode(&conf); err != nil || !strings.HasSuffix(addr, ":"+conf.Port.String()) {
		t.Errorf("client_port %q, error %v; want the port of %s", conf.Port, err, addr)
	}
	interrupt()
	if got := <-code; got != 130 || errs.Len() > 0 {
		t.Errorf("exit code %d, want 130 and no error: %s", got, errs.String())
	}
	if _, err := client.Get(url); err == nil {
		t.Error("the AdminServer still replies after the end of serve")
	}
}

func TestServeOutOfFiles(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", `ulimit -n 32 && exec electop serve --listen 127.0.0.1:0`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timeout := time.AfterFunc(waitFor, func() { cmd.Process.Kill() })
	defer timeout.Stop()
	lines, errLines := bufio.NewScanner(out), bufio.NewScanner(errs)
	lines.Scan()
	rest, _ := strings.CutPrefix(lines.Text(), "ZooKeeper on ")
	addr, _, _ := strings.Cut(rest, ". ")
	var open []net.Conn
	for range 40 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	if !errLines.Scan() || !strings.Contains(errLines.Text(), "cannot accept connections") || !strings.Contains(errLines.Text(), "too many open files") {
		t.Errorf("serve reported %q, want that it cannot accept connections: too many open files", errLines.Text())
	}
	last, err := net.Dial("tcp", addr) // waits in the backlog
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	for _, c := range open {
		c.Close()
	}
	last.Write([]byte("ruok"))
	if reply, err := io.ReadAll(last); string(reply) != "imok" {
		t.Errorf("reply to ruok %q, error %v; want imok", reply, err)
	}
	if !errLines.Scan() || !strings.Contains(errLines.Text(), "accepting connections") {
		t.Errorf("serve reported %q, want that it accepts connections again", errLines.Text())
	}
	cmd.Process.Signal(os.Interrupt)
	if cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("exit code %d, want 130", cmd.ProcessState.ExitCode())
	}
}

func TestServeSessionTimeoutsLikeApache(t *testing.T) {
	t.Parallel()
	granted := func(addr string) (all []time.Duration) {
		for _, requested := range []time.Duration{time.Millisecond, time.Second, 4 * time.Second, 5 * time.Second, 39 * time.Second, time.Minute, 24 * 24 * time.Hour} {
			nc, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			nc.SetDeadline(time.Now().Add(waitFor))
			req := wire.ConnectRequest{Timeout: int32(requested.Milliseconds()), Passwd: make([]byte, 16)}
			nc.Write(wire.AppendFrame(nil, &req))
			frame, err := wire.ReadFrame(nc, 1<<10)
			if err != nil {
				t.Fatal(err)
			}
			var rsp wire.ConnectResponse
			rsp.Fields(wire.NewDecoder(frame))
			all = append(all, time.Duration(rsp.Timeout)*time.Millisecond)
			nc.Write(wire.AppendFrame(nil, &wire.RequestHeader{Xid: 1, Op: wire.OpCloseSession}))
		}
		return all
	}
	want := granted(zktest.NewApache(t, zktest.WithStockSessions()).Addr)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	addr, ended := served(t, ctx)
	if got := granted(addr); !slices.Equal(got, want) {
		t.Errorf("serve granted %v, want %v as Apache ZooKeeper does", got, want)
	}
	interrupt()
	ended()
}

func served(t *testing.T, ctx context.Context, args ...string) (addr string, ended func()) {
	t.Helper()
	out, w := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() {
		defer w.Close()
		code <- cli.Run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...),
			cli.IO{In: strings.NewReader(""), Out: w, Err: &errs})
	}()
	lines := bufio.NewScanner(out)
	lines.Scan()
	rest, _ := strings.CutPrefix(lines.Text(), "ZooKeeper on ")
	addr, _, ok := strings.Cut(rest, ". ")
	go io.Copy(io.Discard, out)
	if !ok {
		t.Fatalf("serve printed %q, not its address; exit code %d: %s", lines.Text(), <-code, errs.String())
	}
	return addr, func() {
		t.Helper()
		if got := <-code; got != 130 || errs.Len() > 0 {
			t.Errorf("exit code %d, want 130 and no error: %s", got, errs.String())
		}
	}
}

func TestServeOpenToTheNetwork(t *testing.T) {
	t.Parallel()
	c := run(t, "serve", "--listen", "0.0.0.0:0", "--yes")
	c.out.await(t, "the address", func(s string) bool { return strings.HasPrefix(s, "ZooKeeper on ") && strings.Contains(s, ". ") })
	addr, _, _ := strings.Cut(strings.TrimPrefix(c.out.all(), "ZooKeeper on "), ". ")
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	want := "127.0.0.1"
	ours, _ := net.InterfaceAddrs()
	for _, a := range ours {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
			want = n.IP.String()
			break
		}
	}
	if host != want {
		t.Errorf("the address is %q, want %s", addr, want)
	}
	if errs := c.errs.all(); strings.Count(errs, "network") != 1 {
		t.Errorf("want one warning about the network, got %q", errs)
	}
	c.cancel()
	if code := c.finish(t); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
}
