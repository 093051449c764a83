package zkserver_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

// programs are what the test binary is in a process of its own, by its first
// argument: a server, and a client whose latency nothing of the benchmark's own
// work changes.
var programs = map[string]func(args []string){"serve": serveAlone, "probe": probeAlone}

// serveAlone serves until its input ends, with the garbage collection of the
// product. Each line of input is a file for a CPU profile, which ends with the next
// line; "-" is none.
func serveAlone([]string) {
	debug.SetGCPercent(100)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	s := zkserver.New(zkserver.Options{})
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	fmt.Println("serving", l.Addr())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		pprof.StopCPUProfile()
		name := in.Text()
		if name == "-" {
			fmt.Println("done")
			continue
		}
		if f, err := os.Create(name + ".heap"); err == nil {
			pprof.Lookup("allocs").WriteTo(f, 0)
			f.Close()
		}
		if f, err := os.Create(name + ".goroutines"); err == nil {
			pprof.Lookup("goroutine").WriteTo(f, 1)
			f.Close()
		}
		f, err := os.Create(name + ".cpu")
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("done")
	}
	s.Close()
	<-served
}

// probeInterval is the time from one request of the probe to the next.
const probeInterval = 500 * time.Microsecond

// probeAlone is a client of the server at args[0]: it reads a znode again and again.
// With each line of input it prints the latencies since the last one: how many, and
// the median, the 99th percentile and the longest, in nanoseconds. A request that is
// late delays those after it, so it counts for these too.
func probeAlone(args []string) {
	nc, err := net.Dial("tcp", args[0])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	c := &rawClient{nc: nc, in: bufio.NewReader(nc)}
	req := wire.ConnectRequest{Timeout: 60_000, Passwd: make([]byte, 16), HasReadOnly: true}
	nc.SetDeadline(time.Now().Add(patience))
	nc.Write(wire.AppendFrame(nil, &req))
	if _, err := wire.ReadFrame(c.in, 1<<10); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			lines <- in.Text()
		}
	}()
	fmt.Println("probing")
	var took []time.Duration
	for {
		begin := time.Now()
		if err := c.exchange(wire.OpGetData, &wire.PathWatchRequest{Path: "/zookeeper"}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		for d := time.Since(begin); d > 0; d -= probeInterval {
			took = append(took, d)
		}
		select {
		case _, ok := <-lines:
			if !ok {
				return
			}
			slices.Sort(took)
			n := len(took)
			fmt.Printf("latency %d %d %d %d\n", n, took[n/2], took[n*99/100], took[n-1])
			took = took[:0]
		case <-time.After(probeInterval - time.Since(begin)):
		}
	}
}

// A latency is what the probe saw in a phase.
type latency struct {
	n                    int
	median, p99, longest time.Duration
}

func parseLatency(line string) (l latency, err error) {
	_, err = fmt.Fscan(strings.NewReader(line), &l.n, &l.median, &l.p99, &l.longest)
	return l, err
}
