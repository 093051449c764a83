package cli_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/ui/cli/process"
	"electop/zkwatch/client"
)

func metricsURL(t *testing.T, c *command) (url string) {
	t.Helper()
	address := regexp.MustCompile(`electop: metrics on (http://\S+)/metrics`)
	c.errs.await(t, "the address of the metrics", func(s string) bool {
		m := address.FindStringSubmatch(s)
		if m != nil {
			url = m[1]
		}
		return m != nil
	})
	return url
}

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

func candidates(t *testing.T, addr, path string, timeout time.Duration, n int) *demo.Cast {
	t.Helper()
	servers, err := client.ParseConnectString(addr)
	if err != nil {
		t.Fatal(err)
	}
	cast := demo.NewCast(demo.Config{
		Conn: client.Config{Servers: servers, SessionTimeout: timeout},
		Path: path, Ack: path + "-leader", Create: true, Put: func(model.Observation) {},
	})
	t.Cleanup(cast.Close)
	ctx, cancel := context.WithTimeout(t.Context(), waitFor)
	defer cancel()
	if err := cast.SpawnInOrder(ctx, n); err != nil {
		t.Fatal(err)
	}
	conn := zktest.Client(t, addr)
	zktest.Await(t, "the leader's acknowledgement", func() bool {
		acknowledged, _, err := conn.Exists(path + "-leader")
		return acknowledged && err == nil
	})
	return cast
}

func TestMetricsOfAHandoff(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		path := unique("measured")
		cast := candidates(t, addr, path, time.Second, 3)
		c := run(t, "exporter", path, "--servers", addr, "--listen", "0")
		url := metricsURL(t, c)
		if !strings.HasPrefix(url, "http://127.0.0.1:") {
			t.Errorf("with only a port in --listen the metrics are on %s, want 127.0.0.1", url)
		}
		of := func(metric, labels string) string { return fmt.Sprintf(`electop_%s{%spath="%s"`, metric, labels, path) }
		exposes(t, url, of("candidates", "")+"} 3", of("leader_state", "")+`,state="known"} 1`, of("leader_info", `leader="amber",`)+"} 1", "electop_up 1")
		if code, body := page(t, "GET", url+"/healthz"); code != http.StatusOK || body != "ok\n" {
			t.Errorf("/healthz: code %d, %q; want 200 and ok", code, body)
		}
		if err := cast.Fault("amber", demo.Resign, true); err != nil {
			t.Fatal(err)
		}
		body := exposes(t, url, of("candidates", "")+"} 2", of("leader_info", `leader="birch",`)+"} 1")
		handoffs := regexp.MustCompile(`(?m)^electop_handoffs_total\{.*\} 1$`)
		takeovers := regexp.MustCompile(`(?m)^electop_takeover_seconds_count\{.*\} 1$`)
		zktest.Await(t, "the handoff and its takeover", func() bool {
			_, body = page(t, "GET", url+"/metrics")
			return len(handoffs.FindAllString(body, -1)) == 1 && len(takeovers.FindAllString(body, -1)) == 1
		})
		problems, err := promlint.New(strings.NewReader(body)).Lint()
		if err != nil || len(problems) > 0 {
			t.Errorf("the linter found %v (error %v) in\n%s", problems, err, body)
		}
		if !regexp.MustCompile(`(?m)^electop_requests_total\{to="session"\} [1-9]`).MatchString(body) {
			t.Errorf("no requests over electop's session are counted:\n%s", body)
		}
		for _, no := range []struct {
			method, page string
			want         int
		}{{"GET", "/", 404}, {"GET", "/debug/pprof/", 404}, {"GET", "/metrics/x", 404}, {"POST", "/metrics", 405}, {"DELETE", "/healthz", 405}} {
			if code, body := page(t, no.method, url+no.page); code != no.want {
				t.Errorf("%s %s: code %d, want %d: %s", no.method, no.page, code, no.want, body)
			}
		}
		if strings.Contains(body, "amber") {
			t.Errorf("the metrics still name the former leader:\n%s", body)
		}
		c.cancel()
		if code := c.finish(t); code != 130 {
			t.Errorf("exit code %d, want 130: %s", code, c.errs.all())
		}
		if code, body := page(t, "GET", url+"/metrics"); code != 0 {
			t.Errorf("after the end of the command: code %d (%s), want no reply", code, body)
		}
	})
}

func TestExporterOutlivesItsServer(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	server := zktest.NewApache(t)
	create(t, zktest.Client(t, server.Addr), "/health", "", 0)
	create(t, zktest.Client(t, server.Addr), "/health/n_", "host", contender)
	server.Kill(t)
	c := run(t, "exporter", "--servers", server.Addr, "--listen", "127.0.0.1:0", "--session-timeout", "30s")
	url := metricsURL(t, c)
	awaitHealth := func(want int, why string) {
		t.Helper()
		body := ""
		zktest.Await(t, fmt.Sprintf("/healthz with code %d and %q", want, why), func() bool {
			var code int
			code, body = page(t, "GET", url+"/healthz")
			return code == want && strings.HasPrefix(body, why)
		})
	}
	awaitHealth(http.StatusServiceUnavailable, "not connected to ZooKeeper: ")
	if body := exposes(t, url, "electop_up 0", "electop_elections 0"); strings.Contains(body, "electop_elections_without_leader ") {
		t.Errorf("without a connection the metrics have electop_elections_without_leader:\n%s", body)
	}
	server.Start(t)
	exposes(t, url, "electop_up 1", "electop_elections 1", "electop_search_complete 1", `electop_leader_info{leader="host",path="/health"} 1`)
	awaitHealth(http.StatusOK, "ok")
	server.Kill(t)
	awaitHealth(http.StatusServiceUnavailable, "not connected to ZooKeeper: ")
	body := exposes(t, url, "electop_up 0", `electop_connected{path="/health"} 0`, `electop_leader_state{path="/health",state="unknown"} 1`)
	for _, name := range []string{"electop_candidates{", "electop_leader_info{", "electop_leader_since_seconds{", "electop_elections_without_leader "} {
		if strings.Contains(body, "\n"+name) {
			t.Errorf("without a connection the metrics have %s:\n%s", name, body)
		}
	}
	server.Start(t)
	awaitHealth(http.StatusOK, "ok")
}

// TestExporterOfACluster also checks that no name and no data of a znode break the format of the metrics.
func TestExporterOfACluster(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		root := unique("cluster")
		raw, leader := zktest.Client(t, addr), zktest.Client(t, addr)
		create(t, raw, root, "", 0)
		for _, path := range []string{"/a", "/b", "/hostile", "/turned\u202e"} {
			create(t, raw, root+path, "", 0)
		}
		create(t, leader, root+"/a/n_", "host-1:80", contender)
		create(t, leader, root+"/b/n_", "host-1:80", contender)
		create(t, raw, root+"/a/n_", "host-2:80", contender)
		create(t, raw, root+"/turned\u202e/n_", "x", contender)
		create(t, raw, root+`/hostile/"\`+"\u202e-n_", strings.Repeat("x", 10<<10), contender)
		create(t, raw, root+"/hostile/n_", "\"} 1\nelectop_up 7\n\x1b[2J", contender)
		c := run(t, "exporter", "--servers", addr+root, "--listen", "0")
		url := metricsURL(t, c)
		exposes(t, url, "electop_elections 4", "electop_elections_unwatched 0", "electop_elections_without_leader 0",
			`electop_leader_info{leader="x",path="/turned\\u202e"} 1`,
			`electop_leader_info{leader="host-1:80",path="/a"} 1`, `electop_leader_info{leader="host-1:80",path="/b"} 1`,
			`electop_leader_info{leader="\"\\\\u202e-n_0000000000",path="/hostile"} 1`)
		leader.Close()
		body := exposes(t, url, "electop_elections_without_leader 1", `electop_leader_info{leader="host-2:80",path="/a"} 1`,
			`electop_leader_state{path="/b",state="none"} 1`, `electop_leader_known{path="/b"} 0`)
		if n := strings.Count(body, "\nelectop_leader_info{"); n != 3 || strings.ContainsAny(body, "\x1b\u202e") || strings.Contains(body, "\nelectop_up 7") {
			t.Errorf("%d leaders, want 3, and no raw text of znodes in\n%s", n, body)
		}
		if _, err := exec.LookPath("promtool"); err == nil {
			check := exec.Command("promtool", "check", "metrics")
			check.Stdin = strings.NewReader(body)
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("promtool: %v, %s", err, out)
			}
		}
	})
}

func TestMetricsAddress(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	create(t, zktest.Client(t, addr), "/election", "", 0)
	used, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	for _, c := range []struct{ flag, want string }{
		{used.Addr().String(), "another program listens there"},
		{strings.TrimPrefix(used.Addr().String(), "127.0.0.1"), "another program listens there"},
		{"nowhere", "unknown port"},
		{"70000", "invalid port"},
		{"1.2.3.4:5:6", "too many colons"},
		{"127.0.0.1:", "no port"},
		{"192.0.2.1:9141", "cannot assign"}, // not an address of this machine
	} {
		for command, flag := range map[string]string{"exporter": "--listen", "campaign": "--metrics"} {
			out, errs := once(t, process.ExitUsage, command, "/election", "--servers", addr, flag, c.flag)
			if out != "" || !strings.Contains(errs, c.want) || !strings.Contains(errs, flag) || strings.Count(errs, "\n") != 1 {
				t.Errorf("%s %s %s: output %q, error %q; want one line of error with %q", command, flag, c.flag, out, errs, c.want)
			}
		}
	}
	for _, args := range [][]string{{"events", "/e", "--metrics", "9141"}, {"/e", "-s", addr, "--metrics=9141"}} {
		if _, errs := once(t, process.ExitUsage, args...); errs != "electop: --metrics was removed: electop exporter serves the metrics\n" {
			t.Errorf("%v: error %q, want that --metrics was removed", args, errs)
		}
	}
}

func TestMetricsHideSecrets(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	raw := zktest.Client(t, addr)
	create(t, raw, "/election", "", 0)
	create(t, raw, "/election/n_", "host", contender)
	c := run(t, "exporter", "--servers", addr, "--auth-file", secretFile(t, "digest:user:s3cret\n"), "--listen", "0")
	url := metricsURL(t, c)
	all := exposes(t, url, `electop_candidates{path="/election"} 1`)
	_, health := page(t, "GET", url+"/healthz")
	if all += health + c.errs.all(); strings.Contains(all, "s3cret") {
		t.Errorf("a secret is in the pages or the output:\n%s", all)
	}
}

func TestMetricsOfACandidate(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := run(t, "campaign", "/election", "--create", "--servers", addr, "--metrics", "0")
	url := metricsURL(t, c)
	exposes(t, url, `electop_own_candidates_leading{path="/election"} 1`, `electop_leader_known{path="/election"} 1`, `electop_candidates{path="/election"} 1`)
	zktest.Await(t, "health", func() bool { code, _ := page(t, "GET", url+"/healthz"); return code == http.StatusOK })
	c.cancel()
	if code := c.finish(t); code != 130 || strings.Contains(c.errs.all(), "--metrics") {
		t.Errorf("exit code %d, want 130 and no error of the metrics: %s", code, c.errs.all())
	}
}

func TestExporterExitCodes(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	// Service managers end the exporter with SIGTERM. This end is no failure.
	for signal, want := range map[syscall.Signal]int{syscall.SIGTERM: 0, syscall.SIGINT: 130} {
		errs := newLines()
		cmd := exec.Command("electop", "exporter", "-s", addr, "--listen", "0")
		cmd.Stderr = errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		exposes(t, metricsURL(t, &command{errs: errs}), "electop_up 1")
		cmd.Process.Signal(signal)
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != want || strings.Count(errs.all(), "\n") != 1 {
			t.Errorf("%v: exit code %d, want %d and one line: %s", signal, code, want, errs.all())
		}
	}
}
