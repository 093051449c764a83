package live

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
	"electop/model"
	"electop/ui"
	"electop/ui/cli/connect"
	"electop/ui/cli/task"
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

// A list of elections that nobody looks at is kept up to date for a minute, and again as
// soon as somebody does.
func TestListThatNobodyLooksAtRests(t *testing.T) {
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
		election := func(path string) {
			t.Helper()
			if _, err := writer.Create(t.Context(), path, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
				t.Fatal(err)
			}
			if _, err := writer.Create(t.Context(), path+"/n_", nil, zk.FlagEphemeralSequential, zk.WorldACL(zk.PermAll)); err != nil {
				t.Fatal(err)
			}
		}
		changed := make(chan struct{}, 1)
		tasks := task.NewGroup(context.Background())
		defer tasks.Stop()
		s := &searcher{
			tasks: tasks, conn: conn, reach: connect.Reach{For: time.Minute},
			mark: func() {
				select {
				case changed <- struct{}{}:
				default:
				}
			},
		}
		await := func(what string, by model.FollowedBy, paths ...string) {
			t.Helper()
			holds := func(w *ui.Walk) bool {
				var found []string
				for _, f := range w.Found {
					found = append(found, f.Path)
				}
				slices.Sort(found)
				return !w.Running && w.By == by && slices.Equal(found, paths)
			}
			for limit := time.After(time.Minute); !holds(s.walk.Load()); {
				select {
				case <-changed:
				case <-limit:
					t.Fatalf("%s: %+v", what, s.walk.Load())
				}
			}
		}
		election("/a")
		s.start("/")
		await("a search", model.ByWatch, "/a")
		time.Sleep(time.Hour) // somebody looks
		election("/b")
		await("another election", model.ByWatch, "/a", "/b")

		s.listed(false)
		time.Sleep(restAfter / 2)
		s.listed(true)
		time.Sleep(2 * restAfter)
		s.listed(false)
		time.Sleep(restAfter / 2)
		election("/c")
		await("soon after it left", model.ByWatch, "/a", "/b", "/c")
		time.Sleep(restAfter)
		await("a minute later", "", "/a", "/b", "/c")
		if n := open.Load(); n != 1 {
			t.Errorf("%d connections are open, want that of the test alone", n)
		}
		election("/d")
		time.Sleep(time.Hour)
		await("it rests", "", "/a", "/b", "/c")
		s.listed(true)
		await("it is looked at again", model.ByWatch, "/a", "/b", "/c", "/d")
	})
}
