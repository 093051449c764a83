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

// countedConn counts the connections that are open.
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

// A list of elections is searched again while it is on the screen, and only then. Between
// two searches there is no connection.
func TestListIsSearchedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		defer server.Close()
		var open atomic.Int32
		conn := client.Config{
			Servers: client.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: 6 * time.Second, Logger: slog.New(slog.DiscardHandler),
			Dial: func(context.Context, string, string) (net.Conn, error) {
				c, err := server.Dial()
				if err != nil {
					return nil, err
				}
				open.Add(1)
				return &countedConn{Conn: c, open: &open}, nil
			},
		}
		writer, err := client.Connect(conn)
		if err != nil {
			t.Fatal(err)
		}
		defer writer.Close()
		writer.AwaitConnected(t.Context())
		election := func(path string) (candidate string) {
			t.Helper()
			if _, err := writer.Create(t.Context(), path, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
				t.Fatal(err)
			}
			candidate, err := writer.Create(t.Context(), path+"/n_", nil, zk.FlagEphemeralSequential, zk.WorldACL(zk.PermAll))
			if err != nil {
				t.Fatal(err)
			}
			return candidate
		}
		changed := make(chan struct{}, 1)
		tasks := process.NewTasks(context.Background())
		defer tasks.Stop()
		s := &searcher{
			tasks: tasks, conn: conn, reach: cluster.Reach{For: time.Minute},
			mark: func() {
				select {
				case changed <- struct{}{}:
				default:
				}
			},
		}
		await := func(what string, paths ...string) {
			t.Helper()
			holds := func(w *list.Search) bool {
				var found []string
				for _, f := range w.Elections {
					found = append(found, f.State.Path)
				}
				slices.Sort(found)
				return !w.Running && slices.Equal(found, paths)
			}
			for limit := time.After(time.Minute); !holds(s.shown.Load()); {
				select {
				case <-changed:
				case <-limit:
					t.Fatalf("%s: %+v", what, s.shown.Load())
				}
			}
			synctest.Wait()
			if n := open.Load(); n != 1 {
				t.Errorf("%s: %d connections are open, want that of the test alone", what, n)
			}
		}
		remains := func(what string, paths ...string) {
			t.Helper()
			time.Sleep(time.Hour)
			await(what, paths...)
		}
		first := election("/a")
		s.start("/")
		await("a search", "/a")
		election("/b")
		remains("nobody looks", "/a")
		s.listed(true)
		await("somebody looks", "/a", "/b")
		election("/c")
		await("another election", "/a", "/b", "/c")
		if err := writer.Delete(t.Context(), first, -1); err != nil {
			t.Fatal(err)
		}
		remains("without candidates", "/a", "/b", "/c")
		if err := writer.Delete(t.Context(), "/a", -1); err != nil {
			t.Fatal(err)
		}
		await("it does not exist any more", "/b", "/c")
		s.listed(false)
		election("/d")
		remains("nobody looks again", "/b", "/c")
	})
}
