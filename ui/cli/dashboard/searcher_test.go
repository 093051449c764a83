package dashboard

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/ui/cli/cluster"
	"electop/ui/cli/process"
	list "electop/ui/elections"
	"electop/zkwatch/client"
)

type countedConn struct {
	net.Conn
	open   *atomic.Int32
	closed atomic.Bool
}

func (c *countedConn) Close() error {
	if !c.closed.Swap(true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}

type searching struct {
	*searcher
	t       *testing.T
	writer  *client.Conn
	open    atomic.Int32
	changed chan struct{}
}

func newSearching(t *testing.T, server *zkserver.Server, tasks *process.Tasks) *searching {
	h := &searching{t: t, changed: make(chan struct{}, 1)}
	conn := client.Config{
		Servers: client.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: 6 * time.Second, Logger: slog.New(slog.DiscardHandler),
		Dial: func(context.Context, string, string) (net.Conn, error) {
			c, err := server.Dial()
			if err != nil {
				return nil, err
			}
			h.open.Add(1)
			return &countedConn{Conn: c, open: &h.open}, nil
		},
	}
	var err error
	h.writer, err = client.Connect(conn)
	must(t, err)
	h.writer.AwaitConnected(t.Context())
	h.searcher = &searcher{
		tasks: tasks, conn: conn, reach: cluster.Reach{For: time.Minute},
		mark: func() {
			select {
			case h.changed <- struct{}{}:
			default:
			}
		},
	}
	return h
}

func (h *searching) election(path string) (candidate string) {
	h.t.Helper()
	_, err := h.writer.Create(h.t.Context(), path, nil, 0, zk.WorldACL(zk.PermAll))
	must(h.t, err)
	candidate, err = h.writer.Create(h.t.Context(), path+"/n_", nil, zk.FlagEphemeralSequential, zk.WorldACL(zk.PermAll))
	must(h.t, err)
	return candidate
}

func (h *searching) await(what string, paths ...string) {
	h.t.Helper()
	holds := func(s *list.Search) bool {
		var found []string
		for _, f := range s.Elections {
			found = append(found, f.State.Path)
		}
		slices.Sort(found)
		return !s.Running && slices.Equal(found, paths)
	}
	for limit := time.After(time.Minute); !holds(h.shown.Load()); {
		select {
		case <-h.changed:
		case <-limit:
			h.t.Fatalf("%s: got %+v, want %q", what, h.shown.Load(), paths)
		}
	}
	synctest.Wait()
	if n := h.open.Load(); n != 1 {
		h.t.Errorf("%s: %d connections are open, want only that of the writer", what, n)
	}
}

func (h *searching) remains(what string, paths ...string) {
	h.t.Helper()
	time.Sleep(time.Hour)
	h.await(what, paths...)
}

func TestSearchIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		defer server.Close()
		tasks := process.NewTasks(context.Background())
		defer tasks.Stop()
		h := newSearching(t, server, tasks)
		defer h.writer.Close()
		first := h.election("/a")
		h.start("/")
		h.await("first search", "/a")
		h.election("/b")
		h.remains("not on the screen", "/a")
		h.listed(true)
		h.await("on the screen", "/a", "/b")
		h.election("/c")
		h.await("another election", "/a", "/b", "/c")
		must(t, h.writer.Delete(t.Context(), first, -1))
		h.remains("without candidates", "/a", "/b", "/c")
		must(t, h.writer.Delete(t.Context(), "/a", -1))
		h.await("deleted", "/b", "/c")
		h.listed(false)
		h.election("/d")
		h.remains("no longer on the screen", "/b", "/c")
	})
}
