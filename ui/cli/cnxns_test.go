package cli

import (
	"io"
	"log/slog"
	"strings"
	"testing"
)

// Connections from one host are bounded where others can connect, unless the
// flag says otherwise.
func TestMaxClientCnxnsDefault(t *testing.T) {
	for _, c := range []struct {
		listen string
		set    bool
		n      int
		want   string
	}{
		{"127.0.0.1:0", false, 0, "maxClientCnxns=0\n"},
		{"127.0.0.1:0", true, 7, "maxClientCnxns=7\n"},
		{"LOCALHOST:0", false, 0, "maxClientCnxns=1000\n"}, // a name: it could be any address
		{"LOCALHOST:0", true, 0, "maxClientCnxns=0\n"},
		{"LOCALHOST:0", true, 5, "maxClientCnxns=5\n"},
	} {
		o := &embeddedOptions{listen: c.listen, cnxns: c.n, cnxnsSet: c.set}
		h, err := o.start(demoServer(slog.New(slog.DiscardHandler)))
		if err != nil {
			t.Fatal(err)
		}
		conn, err := h.ZooKeeper.Dial()
		if err != nil {
			t.Fatal(err)
		}
		conn.Write([]byte("conf"))
		if conf, err := io.ReadAll(conn); err != nil || !strings.Contains(string(conf), c.want) {
			t.Errorf("%+v: %v, %s", c, err, conf)
		}
		conn.Close()
		h.ZooKeeper.Close()
	}
}
