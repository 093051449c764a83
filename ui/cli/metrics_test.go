package cli_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/ui/cli"
	"electop/ui/cli/exit"
	"electop/zkwatch/client"
)

// metricsURL is where a command says that its metrics are, without the page.
func metricsURL(t *testing.T, c *command) (url string) {
	t.Helper()
	said := regexp.MustCompile(`electop: metrics on (http://\S+)/metrics`)
	c.errs.await(t, "the address of the metrics", func(s string) bool {
		m := said.FindStringSubmatch(s)
		if m != nil {
			url = m[1]
		}
		return m != nil
	})
	return url
}

// page is what an HTTP server answers.
func page(t *testing.T, method, url string) (code int, body string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitFor)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	rsp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, err.Error()
	}
	defer rsp.Body.Close()
	b, err := io.ReadAll(rsp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return rsp.StatusCode, string(b)
}

// exposes waits until the metrics have all of the samples.
func exposes(t *testing.T, url string, samples ...string) (body string) {
	t.Helper()
	zktest.Await(t, fmt.Sprint(samples), func() bool {
		_, body = page(t, "GET", url+"/metrics")
		for _, s := range samples {
			if !strings.Contains(body, "\n"+s+"\n") {
				return false
			}
		}
		return true
	})
	return body
}

// candidates are electop's own on the server at addr.
func candidates(t *testing.T, addr, path string, n int) *demo.Cast {
	t.Helper()
	servers, err := client.ParseConnectString(addr)
	if err != nil {
		t.Fatal(err)
	}
	cast := demo.NewCast(demo.Config{
		Conn: client.Config{Servers: servers, SessionTimeout: time.Second},
		Path: path, Ack: path + "-leader", Create: true, Put: func(model.Observation) {},
	})
	t.Cleanup(cast.Close)
	ctx, cancel := context.WithTimeout(t.Context(), waitFor)
	defer cancel()
	if err := cast.SpawnInOrder(ctx, n); err != nil {
		t.Fatal(err)
	}
	return cast
}

// A handoff on a real server is in the metrics, which are clean, complete and end with
// the command.
func TestMetricsOfAHandoff(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		path := fmt.Sprintf("/measured%x", time.Now().UnixNano())
		cast := candidates(t, addr, path, 3)
		c := run(t, "events", path, "--json", "--servers", addr, "--metrics", "0")
		url := metricsURL(t, c)
		if !strings.HasPrefix(url, "http://127.0.0.1:") {
			t.Errorf("a port alone is on %s", url)
		}
		of := func(metric, labels string) string { return fmt.Sprintf(`electop_%s{%spath="%s"`, metric, labels, path) }
		exposes(t, url, of("candidates", "")+"} 3", of("leader_known", "")+"} 1", of("connected", "")+"} 1")
		if code, body := page(t, "GET", url+"/healthz"); code != http.StatusOK || body != "ok\n" {
			t.Errorf("healthz: %d, %s", code, body)
		}
		if err := cast.Fault("amber", demo.Resign, true); err != nil {
			t.Fatal(err)
		}
		body := exposes(t, url, of("candidates", "")+"} 2", of("leader_known", "")+"} 1")
		handoffs := regexp.MustCompile(`(?m)^electop_handoffs_total\{.*\} 1$`)
		takeovers := regexp.MustCompile(`(?m)^electop_takeover_seconds_count\{.*\} 1$`)
		zktest.Await(t, "the handoff and its takeover", func() bool {
			_, body = page(t, "GET", url+"/metrics")
			return len(handoffs.FindAllString(body, -1)) == 1 && len(takeovers.FindAllString(body, -1)) == 1
		})
		problems, err := promlint.New(strings.NewReader(body)).Lint()
		if err != nil || len(problems) > 0 {
			t.Errorf("%v, %v in\n%s", problems, err, body)
		}
		if !regexp.MustCompile(`(?m)^electop_requests_total\{to="session"\} [1-9]`).MatchString(body) {
			t.Errorf("no requests of its own:\n%s", body)
		}
		for _, no := range []struct {
			method, page string
			want         int
		}{{"GET", "/", 404}, {"GET", "/debug/pprof/", 404}, {"GET", "/metrics/x", 404}, {"POST", "/metrics", 405}, {"DELETE", "/healthz", 405}} {
			if code, body := page(t, no.method, url+no.page); code != no.want {
				t.Errorf("%s %s: %d, want %d: %s", no.method, no.page, code, no.want, body)
			}
		}
		c.cancel()
		if code := c.finish(t); code != 130 {
			t.Errorf("exit code %d: %s", code, c.errs.all())
		}
		if code, body := page(t, "GET", url+"/metrics"); code != 0 {
			t.Errorf("after the end: %d, %s", code, body)
		}
	})
}

// healthz says that the server is gone, and that it is back.
func TestHealthOfALostServer(t *testing.T) {
	t.Parallel()
	server := zktest.NewApache(t)
	path := "/health"
	create(t, rawClient(t, server.Addr), path, "", 0)
	c := run(t, "events", path, "--servers", server.Addr, "--metrics", "127.0.0.1:0")
	url := metricsURL(t, c)
	healthy := func(want int, why string) {
		t.Helper()
		body := ""
		zktest.Await(t, fmt.Sprint(want), func() bool {
			var code int
			code, body = page(t, "GET", url+"/healthz")
			return code == want && strings.Contains(body, why)
		})
	}
	healthy(http.StatusOK, "ok")
	server.Kill(t)
	healthy(http.StatusServiceUnavailable, path+": not connected to ZooKeeper: ")
	exposes(t, url, `electop_connected{path="/health"} 0`, `electop_leader_known{path="/health"} 0`)
	if _, body := page(t, "GET", url+"/metrics"); strings.Contains(body, "electop_candidates{") {
		t.Errorf("candidates are claimed without a connection:\n%s", body)
	}
	server.Start(t)
	healthy(http.StatusOK, "ok")
}

// A port in use and what is no address are wrong usage, and nothing is observed then.
func TestMetricsAddress(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	create(t, rawClient(t, addr), "/election", "", 0)
	used, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	for _, c := range []struct{ flag, want string }{
		{used.Addr().String(), "another program listens there"},
		{strings.TrimPrefix(used.Addr().String(), "127.0.0.1"), "another program listens there"},
		{"http", "not a port"},
		{"70000", "not a port"},
		{"1.2.3.4:5:6", "not an address"},
		{"192.0.2.1:9141", "--metrics"}, // no address of this machine
	} {
		for _, command := range []string{"events", "campaign"} {
			out, errs := once(t, exit.Usage, command, "/election", "--servers", addr, "--metrics", c.flag)
			if out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
				t.Errorf("%s --metrics %s: %q, %q; want %q", command, c.flag, out, errs, c.want)
			}
		}
	}
}

// What is served and said has no secret in it.
func TestMetricsKeepSecrets(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	raw := rawClient(t, addr)
	create(t, raw, "/election", "", 0)
	create(t, raw, "/election/n_", "s3cret", contender)
	file := filepath.Join(t.TempDir(), "auth")
	if err := os.WriteFile(file, []byte("digest:user:s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := run(t, "events", "/election", "--json", "--servers", addr, "--auth-file", file, "--metrics", "0")
	url := metricsURL(t, c)
	all := exposes(t, url, `electop_candidates{path="/election"} 1`)
	_, health := page(t, "GET", url+"/healthz")
	if all += health + c.errs.all(); strings.Contains(all, "s3cret") {
		t.Errorf("a secret in\n%s", all)
	}
}

// A candidate's metrics say whether it leads, and why it ended when it resigns.
func TestMetricsOfACandidate(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := run(t, "campaign", "/election", "--create", "--servers", addr, "--metrics", "0")
	url := metricsURL(t, c)
	exposes(t, url, `electop_own_candidates_leading{path="/election"} 1`, `electop_leader_known{path="/election"} 1`, `electop_candidates{path="/election"} 1`)
	zktest.Await(t, "health", func() bool { code, _ := page(t, "GET", url+"/healthz"); return code == http.StatusOK })
	c.cancel()
	if code := c.finish(t); code != 130 || strings.Contains(c.errs.all(), "--metrics") {
		t.Errorf("exit code %d: %s", code, c.errs.all())
	}
}

// The dashboard has metrics of each election of the command line.
func TestMetricsOfTheDashboard(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	raw := rawClient(t, addr)
	for _, path := range []string{"/a", "/b"} {
		create(t, raw, path, "", 0)
		create(t, raw, path+"/n_", "host", contender)
	}
	x := openTerminal(t, 80, 24, "-s", addr, "/a", "/b", "--metrics", "0")
	var url string
	zktest.Await(t, "the address", func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		m := regexp.MustCompile(`metrics on (http://\S+)/metrics`).FindSubmatch(x.raw.Bytes())
		if m != nil {
			url = string(m[1])
		}
		return m != nil
	})
	exposes(t, url, `electop_candidates{path="/a"} 1`, `electop_candidates{path="/b"} 1`)
	x.press("q")
	x.leaves(0)
	if code, body := page(t, "GET", url+"/metrics"); code != 0 {
		t.Errorf("after the end: %d, %s", code, body)
	}
}

// A command whose output nobody reads sees nothing more, and healthz says so.
func TestHealthOfABlockedCommand(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	raw := rawClient(t, addr)
	create(t, raw, "/election", "", 0)
	out, blocked := io.Pipe()
	errs, code := newLines(), make(chan int, 1)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		code <- cli.Run(ctx, []string{"events", "/election", "--servers", addr, "--metrics", "0"},
			cli.IO{In: strings.NewReader(""), Out: blocked, Err: errs})
	}()
	url := metricsURL(t, &command{errs: errs})
	zktest.Await(t, "the reason", func() bool {
		status, body := page(t, "GET", url+"/healthz")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "output is not read")
	})
	go io.Copy(io.Discard, out)
	zktest.Await(t, "health", func() bool { status, _ := page(t, "GET", url+"/healthz"); return status == http.StatusOK })
	interrupt()
	if got := <-code; got != 130 {
		t.Errorf("exit code %d: %s", got, errs.all())
	}
	out.Close()
}
