package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"electop/ui/cli"
)

// The AdminServer is where serve says it is, is about the server that serve
// runs, and ends with it.
func TestServeAdmin(t *testing.T) {
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
		t.Errorf("client_port %q, %v; the server is on %s", conf.Port, err, addr)
	}
	interrupt()
	if got := <-code; got != 130 || errs.Len() > 0 {
		t.Errorf("exit code %d, %s", got, errs.String())
	}
	if _, err := client.Get(url); err == nil {
		t.Error("the AdminServer outlives serve")
	}
}
