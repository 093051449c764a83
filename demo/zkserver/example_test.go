package zkserver_test

import (
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
)

type testingT struct{ cleanups []func() }

func (t *testingT) Helper()                           {}
func (t *testingT) Cleanup(f func())                  { t.cleanups = append(t.cleanups, f) }
func (t *testingT) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (t *testingT) end() {
	for len(t.cleanups) > 0 {
		last := len(t.cleanups) - 1
		t.cleanups[last]()
		t.cleanups = t.cleanups[:last]
	}
}

func connect(t *testingT, addr string) *zk.Conn {
	c, events, err := zk.Connect([]string{addr}, 10*time.Second, zk.WithLogger(noLog{}))
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(c.Close)
	for ev := range events {
		if ev.State == zk.StateHasSession {
			break
		}
	}
	return c
}

// Example passes a testingT to Start; a test passes its *testing.T. Start closes the server when the test ends.
func Example() {
	t := &testingT{}
	defer t.end()
	server, addr := zkserver.Start(t, zkserver.Options{})
	first, second := connect(t, addr), connect(t, addr)
	if _, err := first.Create("/lock", []byte("first"), zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatalf("create: %v", err)
	}
	data, _, gone, err := second.GetW("/lock")
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	fmt.Printf("held by the %s\n", data)

	if err := server.ExpireSession(first.SessionID()); err != nil {
		t.Fatalf("%v", err)
	}
	fmt.Println((<-gone).Type)
	_, err = second.Create("/lock", []byte("second"), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
	fmt.Println("taken over:", err == nil)
	// Output:
	// held by the first
	// EventNodeDeleted
	// taken over: true
}

func ExampleServer_Step() {
	t := &testingT{}
	defer t.end()
	server, addr := zkserver.Start(t, zkserver.Options{})
	c := connect(t, addr)
	server.SetPace(zkserver.Pace{Steps: true})
	created := make(chan string)
	go func() {
		path, _ := c.Create("/slow", nil, 0, zk.WorldACL(zk.PermAll))
		created <- path
	}()
	for {
		<-server.PaceChanged()
		if m, ok := server.Step(); ok {
			fmt.Printf("the reply to %v %s\n", m.Op, m.Path)
			break
		}
	}
	fmt.Println("created", <-created)
	server.SetPace(zkserver.Pace{})
	// Output:
	// the reply to create /slow
	// created /slow
}
