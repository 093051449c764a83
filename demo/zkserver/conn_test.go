package zkserver_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

type scriptedListener struct {
	results []any // error or net.Conn
	times   []time.Time
	closed  chan struct{}
	once    sync.Once
}

func newScripted(results ...any) *scriptedListener {
	return &scriptedListener{results: results, closed: make(chan struct{})}
}

func (l *scriptedListener) Accept() (net.Conn, error) {
	l.times = append(l.times, time.Now())
	if len(l.results) == 0 {
		<-l.closed
		return nil, net.ErrClosed
	}
	next := l.results[0]
	l.results = l.results[1:]
	if err, ok := next.(error); ok {
		return nil, err
	}
	return next.(net.Conn), nil
}

func (l *scriptedListener) Close() error { l.once.Do(func() { close(l.closed) }); return nil }
func (l *scriptedListener) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2181}
}

var errFull = &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", syscall.EMFILE)}

func TestAcceptRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client1, server1 := net.Pipe()
		client2, server2 := net.Pipe()
		results := slices.Repeat([]any{errFull}, 10)
		l := newScripted(slices.Concat(results, []any{server1, errFull, errors.Join(syscall.ENFILE), server2})...)
		var reports []string
		s := zkserver.New(zkserver.Options{Trouble: func(s string) { reports = append(reports, s) }})
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		for _, c := range []net.Conn{client1, client2} {
			if _, err := c.Write([]byte("ruok")); err != nil {
				t.Fatal(err)
			}
			if reply, err := io.ReadAll(c); string(reply) != "imok" {
				t.Errorf("ruok: got %q, %v; want imok", reply, err)
			}
		}
		synctest.Wait()
		s.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve after Close: got %v, want nil", err)
		}
		var pauses []time.Duration
		for i := range l.times[1:] {
			pauses = append(pauses, l.times[i+1].Sub(l.times[i]))
		}
		const ms = time.Millisecond
		want := []time.Duration{5 * ms, 10 * ms, 20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms, 640 * ms, time.Second, time.Second, 0, 5 * ms, 10 * ms, 0}
		if !slices.Equal(pauses, want) {
			t.Errorf("pauses between calls of Accept: got %v, want %v", pauses, want)
		}
		if len(reports) != 4 || !strings.Contains(reports[0], "cannot accept connections to 127.0.0.1:2181: accept tcp: accept4: too many open files") ||
			!strings.Contains(reports[1], "again, after 3.275s") {
			t.Errorf("got reports %q, want two failures, each followed by a report that accepting works again", reports)
		}
	})
}

type fewDescriptors struct {
	*scriptedListener
	left atomic.Int32
}

func (l *fewDescriptors) Accept() (net.Conn, error) {
	if l.left.Load() == 0 && len(l.results) > 0 {
		return nil, errFull
	}
	nc, err := l.scriptedListener.Accept()
	if err != nil {
		return nil, err
	}
	l.left.Add(-1)
	return &descriptor{Conn: nc, l: l}, nil
}

type descriptor struct {
	net.Conn
	l    *fewDescriptors
	once sync.Once
}

func (d *descriptor) Close() error {
	d.once.Do(func() { d.l.left.Add(1) })
	return d.Conn.Close()
}

// TestSilentConnectionsAreClosed checks that without free descriptors only silent connections are closed.
func TestSilentConnectionsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session, first := net.Pipe()
		l := &fewDescriptors{scriptedListener: newScripted(first)}
		for range 1000 {
			silent, server := net.Pipe()
			defer silent.Close()
			l.results = append(l.results, server)
		}
		client, last := net.Pipe()
		l.results = append(l.results, last)
		l.left.Store(200)
		s := zkserver.New(zkserver.Options{})
		defer s.Close()
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		begin := time.Now()
		old := connectRaw(t, session, wire.ConnectRequest{Timeout: 60_000})
		connectRaw(t, client, wire.ConnectRequest{})
		if waited := time.Since(begin); waited >= 5*time.Second {
			t.Errorf("a new client waited for %v, want less than 5s", waited)
		}
		old.must(wire.OpPing, nil, nil)
		s.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

func TestServeEnds(t *testing.T) {
	permanent := errors.New("the network has failed")
	synctest.Test(t, func(t *testing.T) {
		s := zkserver.New(zkserver.Options{})
		defer s.Close()
		l := newScripted(errFull, permanent)
		if err := s.Serve(l); !errors.Is(err, permanent) {
			t.Errorf("Serve: got %v, want the error of Accept", err)
		}
		select {
		case <-l.closed:
		default:
			t.Error("the listener is not closed")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := zkserver.New(zkserver.Options{})
		served := make(chan error, 1)
		go func() { served <- s.Serve(newScripted(slices.Repeat([]any{errFull}, 100)...)) }()
		time.Sleep(10*time.Second + 500*time.Millisecond) // within a pause of one second
		began := time.Now()
		s.Close()
		if err := <-served; err != nil || time.Since(began) > 0 {
			t.Errorf("Serve: got error %v, %v after Close; want nil immediately", err, time.Since(began))
		}
	})
}

func TestInvalidInputClosesConnection(t *testing.T) {
	s, addr := zkserver.Start(t, zkserver.Options{})
	handshake := string(wire.AppendFrame(nil, &wire.ConnectRequest{Timeout: 60_000, Passwd: make([]byte, 16)}))
	for name, first := range map[string]string{
		"http":             "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"tls":              "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"ssh":              "SSH-2.0-OpenSSH_9.2\r\n",
		"2 GB":             "\x7f\xff\xff\xff",
		"negative":         "\xff\xff\xff\xff",
		"unknown word":     "abcd",
		"unsupported word": "gtmk",
		"empty handshake":  "\x00\x00\x00\x00",
		"short handshake":  "\x00\x00\x00\x04\x00\x00\x00\x00",
		"long handshake":   "\x00\x00\x10\x00" + strings.Repeat("x", 0x1000),
		"long password":    "\x00\x00\x00\x1c" + strings.Repeat("\x00", 24) + "\x7f\xff\xff\xff",
		"2 GB afterwards":  handshake + "\x7f\xff\xff\xff",
		"1 MB afterwards":  handshake + "\x00\x10\x00\x00",
		"negative length":  handshake + "\x80\x00\x00\x00",
		"empty request":    handshake + "\x00\x00\x00\x00",
		"half a header":    handshake + "\x00\x00\x00\x04\x00\x00\x00\x01",
		"word afterwards":  handshake + "stat",
		"handshake again":  handshake + handshake + "\x7f\xff\xff\xff",
		"length cut off":   handshake + "\x7f",
	} {
		nc := dialTCP(t, addr)
		nc.SetDeadline(time.Now().Add(9 * time.Second)) // before the server's handshake timeout
		io.WriteString(nc, first)
		if name == "length cut off" {
			nc.(*net.TCPConn).CloseWrite()
		}
		if _, err := io.Copy(io.Discard, nc); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the connection is not closed", name)
		}
		nc.Close()
	}
	dialRaw(t, addr).must(wire.OpPing, nil, nil)
	if n := s.Counters().Panics; n > 0 {
		t.Errorf("got %d panics, want none", n)
	}
}

func TestLargestFrame(t *testing.T) {
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := dialRaw(t, addr)
	c.create("/big", 0)
	empty := wire.AppendFrame(nil, &wire.RequestHeader{}, &wire.MultiOp{Op: wire.OpSetData, Path: "/big", Data: []byte{}})
	room := wire.MaxFrame - (len(empty) - 4)
	data := bytes.Repeat([]byte("x"), room)
	c.must(wire.OpSetData, &wire.MultiOp{Op: wire.OpSetData, Path: "/big", Data: data, Version: -1}, &wire.Stat{})
	var got wire.DataResponse
	c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/big"}, &got)
	if !bytes.Equal(got.Data, data) {
		t.Errorf("read %d bytes of data, want the %d bytes written", len(got.Data), len(data))
	}
	c.nc.Write(wire.AppendFrame(nil, &wire.RequestHeader{}, &wire.MultiOp{Op: wire.OpSetData, Path: "/big", Data: append(data, 'x')}))
	if err := c.awaitClosed(); err != nil {
		t.Errorf("after a frame beyond the limit: %v", err)
	}
}

func TestSlowReaderIsCutOff(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		slow := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		writer := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		path := writer.create("/"+strings.Repeat("long", 5000), 0)
		slow.must(wire.OpAddWatch, &wire.AddWatchRequest{Path: path}, &wire.ErrorResponse{})
		events := 0
		for ; s.Counters().CutOff == 0; events++ {
			if events > 10_000 {
				t.Fatal("the slow client was not cut off after 10,000 events")
			}
			writer.must(wire.OpSetData, &wire.MultiOp{Op: wire.OpSetData, Path: path, Version: -1}, &wire.Stat{})
		}
		if queued := events * len(path); queued > 6<<20 {
			t.Errorf("the slow client was cut off after %d bytes, want at most 6 MiB", queued)
		}
		slow.nc.SetDeadline(time.Now().Add(patience))
		if _, err := io.Copy(io.Discard, slow.nc); err != nil {
			t.Errorf("end of the slow connection: %v", err)
		}
		again := pipeRaw(t, s, wire.ConnectRequest{SessionID: slow.handshake.SessionID, Passwd: slow.handshake.Passwd})
		again.must(wire.OpPing, nil, nil)
	})
}

func TestMaxHeldBoundsAllConnections(t *testing.T) {
	const many = 60
	big := bytes.Repeat([]byte("d"), 900_000)
	for name, hold := range map[string]func(t *testing.T, s *zkserver.Server, writer *rawClient, slow []*rawClient) (all, each int){
		"events not read": func(t *testing.T, s *zkserver.Server, writer *rawClient, slow []*rawClient) (all, each int) {
			path := writer.create("/"+strings.Repeat("long", 5000), 0)
			for _, c := range slow {
				c.must(wire.OpAddWatch, &wire.AddWatchRequest{Path: path}, &wire.ErrorResponse{})
			}
			for ; each < 3<<20; each += len(path) {
				writer.must(wire.OpSetData, &wire.MultiOp{Op: wire.OpSetData, Path: path, Version: -1}, &wire.Stat{})
			}
			return many * each, each
		},
		"replies held": func(t *testing.T, s *zkserver.Server, writer *rawClient, slow []*rawClient) (all, each int) {
			writer.must(wire.OpCreate, &wire.CreateRequest{Path: "/d", Data: big, ACL: world(31)}, &wire.PathResponse{})
			s.SetPace(steps)
			for _, c := range slow {
				for range 3 {
					c.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/d"})
				}
			}
			return many * 3 * len(big), 3 * len(big)
		},
		"incomplete requests": func(t *testing.T, s *zkserver.Server, writer *rawClient, slow []*rawClient) (all, each int) {
			for range 3 * many {
				c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
				c.nc.Write(append([]byte("\x00\x0f\xff\xff"), big...))
			}
			return 3 * many * len(big), len(big)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "events not read" {
				zktest.SecondTier(t) // this case queues thousands of events
			}
			bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
				writer := observerRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
				fair := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
				var slow []*rawClient
				for range many {
					slow = append(slow, pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000}))
				}
				fair.nc.Write([]byte("\x00\x00")) // the first bytes of a request
				all, each := hold(t, s, writer, slow)
				writer.must(wire.OpPing, nil, nil)
				synctest.Wait()
				n := int(s.Counters().CutOff)
				if rest := all - n*each; rest > zkserver.MaxHeld*5/4 || rest < zkserver.MaxHeld*3/4 {
					t.Errorf("%d connections dropped, the others hold %d of %d MiB, want about %d MiB", n, rest>>20, all>>20, zkserver.MaxHeld>>20)
				}
				s.SetPace(zkserver.Pace{})
				fair.nc.Write([]byte("\x00\x08\xff\xff\xff\xfe\x00\x00\x00\x0b"))
				if h, err := fair.receive(nil); err != nil || h.Xid != wire.XidPing {
					t.Errorf("ping on a connection that holds little: got %+v, %v; want a reply", h, err)
				}
			})
		})
	}
}

type writeHook struct {
	net.Conn
	after func()
}

func (c *writeHook) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if f := c.after; f != nil {
		c.after = nil
		f()
	}
	return n, err
}

func TestUnreadEventDoesNotStopReading(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		writer := pipeRaw(t, s, wire.ConnectRequest{})
		writer.create("/n", 0)
		client, server := net.Pipe()
		hook := &writeHook{Conn: server}
		go s.ServeConn(hook)
		c := connectRaw(t, client, wire.ConnectRequest{})
		synctest.Wait() // so that the server does not read hook.after during the assignment
		events := 0
		c.onEvent = func(wire.WatcherEvent) { events++ }
		hook.after = func() {
			writer.must(wire.OpSetData, &wire.MultiOp{Op: wire.OpSetData, Path: "/n", Version: -1}, &wire.Stat{})
		}
		c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/n", Watch: true}, &wire.DataResponse{})
		synctest.Wait()
		c.must(wire.OpPing, nil, nil)
		if events != 1 {
			t.Errorf("got %d events, want 1", events)
		}
	})
}

func TestBackPressure(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		c.must(wire.OpCreate, &wire.CreateRequest{Path: "/d", Data: make([]byte, 100<<10), ACL: world(31)}, &wire.PathResponse{})
		sent := 0
		request := &wire.PathWatchRequest{Path: "/d"}
		for ; sent < 1000; sent++ {
			c.nc.SetWriteDeadline(time.Now().Add(time.Second))
			_, err := c.nc.Write(wire.AppendFrame(nil, &wire.RequestHeader{Xid: c.xid + 1, Op: wire.OpGetData}, request))
			if errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
			try(t, err)
			c.xid++
		}
		if sent == 1000 {
			t.Fatal("the server read 1000 requests although the client read no reply")
		}
		c.nc.SetDeadline(time.Now().Add(patience))
		for i := range sent {
			h, err := c.receive(&wire.DataResponse{})
			if want := c.xid - int32(sent-1-i); err != nil || h.Xid != want {
				t.Fatalf("reply %d of %d: got xid %d, error %v; want xid %d", i, sent, h.Xid, err, want)
			}
		}
	})
}

func TestEventBeforeReply(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	setup := dialRaw(t, addr)
	setup.create("/n", 0)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 3 {
		c := dialRaw(t, addr)
		path := fmt.Sprintf("/n/%d", w)
		createAndDelete := wire.AppendFrame(nil, &wire.RequestHeader{Xid: 1, Op: wire.OpCreate}, &wire.CreateRequest{Path: path, ACL: world(31)})
		remove := op(wire.OpDelete, path, -1)
		createAndDelete = wire.AppendFrame(createAndDelete, &wire.RequestHeader{Xid: 2, Op: wire.OpDelete}, &remove)
		writers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				c.nc.SetDeadline(time.Now().Add(patience))
				if _, err := c.nc.Write(createAndDelete); err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				for range 2 {
					if _, err := wire.ReadFrame(c.in, 1<<20); err != nil {
						t.Errorf("writer %d: %v", w, err)
						return
					}
				}
			}
		})
	}
	defer writers.Wait()
	defer close(stop)
	r := dialRaw(t, addr)
	fired := false
	r.onEvent = func(wire.WatcherEvent) { fired = true }
	changes := 0
	for range 3000 {
		var armed, now wire.Children2Response
		fired = false
		r.must(wire.OpGetChildren2, &wire.PathWatchRequest{Path: "/n", Watch: true}, &armed)
		for range 3 {
			r.must(wire.OpGetChildren2, &wire.PathWatchRequest{Path: "/n"}, &now)
			if changed := now.Stat.Cversion != armed.Stat.Cversion; changed != fired {
				t.Fatalf("cversion %d, then %d: got an event: %t, want %t", armed.Stat.Cversion, now.Stat.Cversion, fired, changed)
			}
			if fired {
				changes++
				break
			}
		}
		if !fired {
			h := r.call(wire.OpRemoveWatches, &wire.WatcherTypeRequest{Path: "/n", Type: wire.WatcherChildren}, nil)
			if gone := h.Err == wire.NoWatcher; gone != fired {
				t.Fatalf("removeWatches: got %v, event %t; want NoWatcher after an event, otherwise OK", h.Err, fired)
			}
		}
	}
	if changes == 0 {
		t.Error("no reply showed a change")
	}
}

func TestManySessions(t *testing.T) {
	const n = 2000
	synctest.Test(t, func(t *testing.T) {
		s := zkserver.New(zkserver.Options{})
		defer s.Close()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var conns []net.Conn
		frame := make([]byte, 4<<10)
		exchange := func(nc net.Conn, request []byte) *wire.Coder {
			if _, err := nc.Write(request); err != nil {
				t.Fatal(err)
			}
			rsp, err := wire.ReadFrameInto(nc, frame, 1<<20)
			try(t, err)
			return wire.NewDecoder(rsp)
		}
		handshake := wire.AppendFrame(nil, &wire.ConnectRequest{Timeout: 60_000, Passwd: make([]byte, 16)})
		watch := wire.AppendFrame(nil, &wire.RequestHeader{Xid: 1, Op: wire.OpExists}, &wire.PathWatchRequest{Path: "/leader", Watch: true})
		for range n {
			nc, err := s.Dial()
			try(t, err)
			defer nc.Close()
			conns = append(conns, nc)
			var rsp wire.ConnectResponse
			if rsp.Fields(exchange(nc, handshake)); rsp.SessionID == 0 {
				t.Fatal("no session")
			}
			var h wire.ReplyHeader
			if h.Fields(exchange(nc, watch)); h.Err != wire.NoNode {
				t.Fatalf("exists: %v", h.Err)
			}
		}
		synctest.Wait()
		runtime.GC()
		runtime.ReadMemStats(&after)
		each := (int64(after.HeapAlloc+after.StackInuse) - int64(before.HeapAlloc+before.StackInuse)) / n
		t.Logf("%d bytes for each idle session with a watch", each)
		if each > 32<<10 {
			t.Errorf("got %d bytes for each idle session, want at most 32 KiB", each)
		}
		writer := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		writer.create("/leader", 0)
		for i, nc := range conns {
			rsp, err := wire.ReadFrameInto(nc, frame, 1<<20)
			try(t, err)
			var h wire.ReplyHeader
			var ev wire.WatcherEvent
			d := wire.NewDecoder(rsp)
			h.Fields(d)
			if ev.Fields(d); h.Xid != wire.XidWatch || ev.Type != wire.EventNodeCreated || ev.Path != "/leader" {
				t.Fatalf("session %d: got %+v %+v, want the creation of /leader", i, h, ev)
			}
		}
		if got := s.Counters().Notifications; got != n {
			t.Errorf("got %d notifications, want %d", got, n)
		}
		time.Sleep(61 * time.Second)
		if got := s.Counters().Expired; got != n+1 {
			t.Errorf("got %d expired sessions, want %d", got, n+1)
		}
	})
}

func TestCloseUnderLoad(t *testing.T) {
	s := zkserver.New(zkserver.Options{})
	var clients sync.WaitGroup
	for i := range 20 {
		nc, err := s.Dial()
		try(t, err)
		connectRaw(t, nc, wire.ConnectRequest{})
		clients.Go(func() {
			go io.Copy(io.Discard, nc)
			for j := range int32(1 << 30) {
				nc.SetDeadline(time.Now().Add(patience))
				_, err := nc.Write(wire.AppendFrame(nil, &wire.RequestHeader{Xid: j, Op: wire.OpCreate},
					&wire.CreateRequest{Path: fmt.Sprintf("/c%d_", i), ACL: world(31), Flags: eph | seq}))
				if err != nil {
					return
				}
			}
		})
	}
	zktest.Await(t, "500 creates have arrived", func() bool { return s.Counters().Requests[wire.OpCreate] > 500 })
	s.Close()
	clients.Wait()
	if n := s.Counters().Panics; n > 0 {
		t.Errorf("got %d panics, want none", n)
	}
}

func TestMaxClientCnxns(t *testing.T) {
	s, addr := zkserver.Start(t, zkserver.Options{MaxClientCnxns: 2, LoopbackUnbounded: true})
	for range 4 {
		dialRaw(t, addr)
	}
	connect := func() *rawClient {
		client, server := net.Pipe()
		go s.ServeConn(fromHost{server, "10.0.0.7"})
		t.Cleanup(func() { client.Close() })
		c := &rawClient{t: t, nc: client, in: bufio.NewReader(client)}
		client.SetDeadline(time.Now().Add(patience))
		if _, err := client.Write(wire.AppendFrame(nil, &wire.ConnectRequest{Passwd: make([]byte, 16)})); err != nil {
			return nil
		}
		if _, err := wire.ReadFrame(c.in, 1<<10); err != nil {
			return nil
		}
		return c
	}
	first := connect()
	if connect() == nil || connect() != nil || s.Counters().Rejected != 1 {
		t.Errorf("three connections from another host: got %d rejected, want only the last", s.Counters().Rejected)
	}
	first.must(wire.OpCloseSession, nil, nil)
	first.nc.Close()
	zktest.Await(t, "another connection is accepted", func() bool { return connect() != nil })
}

type fromHost struct {
	net.Conn
	host string
}

func (c fromHost) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(c.host), Port: 5} }

type noLog struct{}

func (noLog) Printf(string, ...any) {}

func waitState(t testing.TB, events <-chan zk.Event, want zk.State) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		select {
		case ev, ok := <-events:
			if !ok {
				t.Fatalf("the events ended before the state %v", want)
			}
			if ev.Type == zk.EventSession && ev.State == want {
				return
			}
		case <-ctx.Done():
			t.Fatalf("no state %v within %v", want, patience)
		}
	}
}

func TestRefuseAndClose(t *testing.T) {
	s, addr := zkserver.Start(t, zkserver.Options{})
	dialRaw(t, addr)
	s.Refuse(true)
	if _, err := s.Dial(); !errors.Is(err, zkserver.ErrRefused) {
		t.Errorf("Dial while refusing: got %v, want ErrRefused", err)
	}
	nc := dialTCP(t, addr)
	nc.SetDeadline(time.Now().Add(9 * time.Second)) // before the server's handshake timeout
	if n, err := nc.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read while refusing: got %d bytes, error %v; want a closed connection", n, err)
	}
	s.Refuse(false)
	dialRaw(t, addr).must(wire.OpPing, nil, nil)
	s.Close()
	if _, err := s.Dial(); !errors.Is(err, zkserver.ErrClosed) {
		t.Errorf("Dial after Close: got %v, want ErrClosed", err)
	}
	if err := zkserver.New(zkserver.Options{}).ExpireSession(7); err == nil || !strings.Contains(err.Error(), "0x7: no such session") {
		t.Errorf("ExpireSession of an unknown session: got %v, want no such session", err)
	}
	if err := s.ExpireSession(1); !errors.Is(err, zkserver.ErrClosed) {
		t.Errorf("ExpireSession after Close: got %v, want ErrClosed", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestStartInATestThatEndsImmediately(t *testing.T) {
	for range 200 {
		brief := &testingT{} // panics in Fatalf
		zkserver.Start(brief, zkserver.Options{})
		brief.end()
	}
}
