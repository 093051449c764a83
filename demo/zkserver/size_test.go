package zkserver_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

var profileDir = flag.String("size.profile", "", "`DIRECTORY` for profiles of the embedded server, by phase")

// BenchmarkSize has the embedded server and Apache ZooKeeper carry a load as of a
// class or a load test, by turns, each in a process of its own: 5,000 sessions,
// 100,000 znodes and 50,000 watches. For each phase it reports the time of the
// embedded server over that of Apache, the same of the CPU time that the process of the
// server takes, and of the 99th percentile of the latency that a client in a third
// process has meanwhile, which reads one znode at a time; at the end the same of the
// largest resident memory of the two processes. Below 1 the embedded server is better.
// The phases are in the variable phases.
//
// The clients share the machine with the server. What they take is in the time of a
// phase, which brings its ratio nearer to 1: in the herd they take more than half of
// what the embedded server takes. The CPU time is the server's alone, but says nothing
// of how long anybody waits, or of work that two processors share.
//
// Apache runs as in [BenchmarkVersusApache], with a heap of at most 512 MB, and never
// writes a snapshot. Both are warmed up with the same load at a tenth of the size.
//
//	go test -run '^$' -bench Size ./demo/zkserver
func BenchmarkSize(b *testing.B) {
	small, full := size{500, 10_000, 5_000}, size{5_000, 100_000, 50_000}
	servers := []*sized{
		newSized(b, "embedded", func() (string, measured, *zktest.Program) {
			p := zktest.Run(b, os.Args[0], "serve")
			return p.Line(b, "serving "), p, p
		}),
		newSized(b, "apache", func() (string, measured, *zktest.Program) {
			s := zktest.NewApache(b, zktest.ForSpeed(), zktest.WithProperty("zookeeper.snapCount", "100000000"))
			return s.Addr, s, nil
		}),
	}
	for _, s := range servers {
		s.fresh = s.process.Memory(b)
		s.begin(b, small)
	}
	runs := 0
	for b.Loop() {
		for n, size := range []size{small, full} {
			for _, s := range servers {
				s.results = nil
				s.begin(b, size)
			}
			for i, p := range phases {
				for j := range servers {
					s := servers[(i+j)%2] // neither is always the first
					s.run(b, p, n == 1)
				}
			}
			for _, s := range servers {
				s.end(b)
			}
		}
		runs++
	}
	report(b, servers[0], servers[1])
	b.ReportMetric(0, "ns/op") // of all on both; says nothing
}

// A size says how much there is of everything.
type size struct{ sessions, znodes, watches int }

// A sized is a server with a load.
type sized struct {
	name    string
	addr    string
	process measured
	probe   *zktest.Program
	program *zktest.Program // the embedded one
	fresh   zktest.Memory
	results []result

	size
	dir     string
	paths   []string
	crowd   *crowd
	all     []*attendee
	writers []*attendee
	auditor *attendee
}

type result struct {
	phase     string
	took, cpu time.Duration
	probe     latency
	memory    zktest.Memory
}

// measured is a process that the kernel tells about.
type measured interface {
	Memory(testing.TB) zktest.Memory
	CPU(testing.TB) time.Duration
}

func newSized(b *testing.B, name string, start func() (string, measured, *zktest.Program)) *sized {
	s := &sized{name: name}
	s.addr, s.process, s.program = start()
	s.probe = zktest.Run(b, os.Args[0], "probe", s.addr)
	s.probe.Line(b, "probing")
	return s
}

// writersInLoad is how many sessions write at once.
const writersInLoad = 10

// begin prepares a load: few sessions, one to write and one to look, and few znodes.
func (s *sized) begin(t testing.TB, size size) {
	s.size = size
	s.dir = fmt.Sprintf("/size-%d", time.Now().UnixNano())
	s.crowd = newCrowd(s.addr)
	s.all = nil
	s.writers = s.crowd.join(t, writersInLoad, time.Minute)
	s.auditor = s.crowd.join(t, 1, time.Minute)[0]
	s.paths = make([]string, size.znodes)
	for i := range s.paths {
		s.paths[i] = fmt.Sprintf("%s/d%02d/n%06d", s.dir, i%100, i)
	}
	s.create(t, s.dir)
	s.create(t, s.dir+"/e")
	s.create(t, s.dir+"/herd")
	for i := range 100 {
		s.create(t, fmt.Sprintf("%s/d%02d", s.dir, i))
	}
}

func (s *sized) create(t testing.TB, path string) {
	s.crowd.pipeline(t, "create", s.writers[:1], 1, func(int) (wire.Op, wire.Appender) { return createOf(path, nil, 0) })
}

func createOf(path string, data []byte, flags int32) (wire.Op, wire.Appender) {
	return wire.OpCreate, &wire.CreateRequest{Path: path, Data: data, ACL: world(wire.PermAll), Flags: flags}
}

// end removes what is left.
func (s *sized) end(t testing.TB) {
	var left []string
	for i := range 100 {
		left = append(left, fmt.Sprintf("%s/d%02d", s.dir, i))
	}
	for _, path := range append(left, s.dir+"/e", s.dir+"/herd", s.dir) {
		s.delete(t, []string{path})
	}
	s.crowd.leave(append(s.writers, s.auditor)...)
}

func (s *sized) delete(t testing.TB, paths []string) {
	s.crowd.pipeline(t, "delete", s.writers, len(paths), func(i int) (wire.Op, wire.Appender) {
		return wire.OpDelete, &wire.PathVersionRequest{Path: paths[i], Version: -1}
	})
}

func (s *sized) run(b *testing.B, p phase, profile bool) {
	b.Helper()
	profile = profile && *profileDir != "" && s.program != nil
	if profile {
		s.program.Say(b, filepath.Join(*profileDir, p.name))
		s.program.Line(b, "done")
	}
	s.probe.Say(b, "begin")
	s.probe.Line(b, "latency ")
	before := s.process.CPU(b)
	took := p.run(b, s)
	cpu := s.process.CPU(b) - before
	s.probe.Say(b, "end")
	l, err := parseLatency(s.probe.Line(b, "latency "))
	if err != nil {
		b.Fatal(err)
	}
	if profile {
		s.program.Say(b, "-")
		s.program.Line(b, "done")
	}
	s.results = append(s.results, result{p.name, took, cpu, l, s.process.Memory(b)})
}

// A phase is a part of a load, and returns its time.
type phase struct {
	name string
	run  func(b *testing.B, s *sized) time.Duration
}

// timed is a phase of which all is timed.
func timed(f func(b *testing.B, s *sized)) func(b *testing.B, s *sized) time.Duration {
	return func(b *testing.B, s *sized) time.Duration {
		begin := time.Now()
		f(b, s)
		return time.Since(begin)
	}
}

// herds is how often the znode changes that all sessions watch.
const herds = 5

// silent is the timeout of sessions that expire. All must have been established
// before the first one expires.
func (s size) silent() time.Duration {
	return time.Second + time.Duration(s.sessions)*time.Millisecond
}

// phases are the load, in order.
var phases = []phase{
	// Sessions are established, 32 at a time.
	{"connect", timed(func(b *testing.B, s *sized) { s.all = s.crowd.join(b, s.sessions, time.Minute) })},
	// 10 sessions create the znodes with 100 bytes of data each, 100 requests of each
	// session on their way.
	{"create", timed(func(b *testing.B, s *sized) {
		data := make([]byte, 100)
		s.crowd.pipeline(b, "create", s.writers, s.znodes, func(i int) (wire.Op, wire.Appender) {
			return createOf(s.paths[i], data, 0)
		})
	})},
	// All znodes change, and one session sees each change by one persistent recursive
	// watch.
	{"recursive", func(b *testing.B, s *sized) time.Duration {
		s.crowd.all(b, "addWatch", []*attendee{s.auditor}, 1, func(int, int) (wire.Op, wire.Appender) {
			return wire.OpAddWatch, &wire.AddWatchRequest{Path: s.dir, Mode: wire.WatchPersistentRecursive}
		})
		begin, from := time.Now(), s.crowd.events.n.Load()
		s.set(b, s.paths)
		s.crowd.await(b, "events of a recursive watch", &s.crowd.events, from, s.znodes)
		took := time.Since(begin)
		s.unwatch(b)
		return took
	}},
	// Each session watches znodes of its own.
	{"watch", timed(func(b *testing.B, s *sized) {
		each := s.watches / s.sessions
		s.crowd.all(b, "watch", s.all, each, func(session, i int) (wire.Op, wire.Appender) {
			return wire.OpGetData, &wire.PathWatchRequest{Path: s.paths[session*each+i], Watch: true}
		})
	})},
	// An operator's program asks for the server's tables, one after the other.
	{"tables", timed(func(b *testing.B, s *sized) {
		for _, w := range []string{"mntr", "wchs", "cons", "dump", "wchp"} {
			if answer := word(b, s.addr, w); len(answer) == 0 {
				b.Errorf("%s: no answer to %s", s.name, w)
			}
		}
	})},
	// All watched znodes are changed or deleted: until the last notification.
	{"fire", timed(func(b *testing.B, s *sized) {
		from := s.crowd.events.n.Load()
		s.set(b, s.paths[:s.watches/2])
		s.delete(b, s.paths[s.watches/2:s.watches])
		s.crowd.await(b, "notifications", &s.crowd.events, from, s.watches)
	})},
	// All sessions watch one znode, which changes: until the last notification.
	{"herd", func(b *testing.B, s *sized) (took time.Duration) {
		path := s.dir + "/herd"
		for range herds {
			s.crowd.all(b, "watch", s.all, 1, func(int, int) (wire.Op, wire.Appender) {
				return wire.OpGetData, &wire.PathWatchRequest{Path: path, Watch: true}
			})
			begin, from := time.Now(), s.crowd.events.n.Load()
			s.set(b, []string{path})
			s.crowd.await(b, "notifications of a herd", &s.crowd.events, from, s.sessions)
			took += time.Since(begin)
		}
		return took
	}},
	// Each session creates an ephemeral znode.
	{"ephemeral", timed(func(b *testing.B, s *sized) { s.ephemerals(b) })},
	// All sessions are closed by their clients: until every connection has ended. Their
	// ephemeral znodes are deleted.
	{"close", timed(func(b *testing.B, s *sized) {
		from := s.crowd.ends.n.Load()
		s.crowd.all(b, "closeSession", s.all, 1, func(int, int) (wire.Op, wire.Appender) { return wire.OpCloseSession, nil })
		s.crowd.await(b, "end of connections", &s.crowd.ends, from, s.sessions)
	})},
	// 10 sessions delete the remaining znodes.
	{"delete", timed(func(b *testing.B, s *sized) {
		s.delete(b, append(s.paths[:s.watches/2:s.watches/2], s.paths[s.watches:]...))
	})},
	// New sessions create an ephemeral znode each, send a ping all at the same time and
	// are silent. The time is from the last possible moment of expiry that is not late
	// until the last ephemeral znode was deleted, and so is a tick or less (100 ms) for
	// a server that takes no time.
	{"expire", func(b *testing.B, s *sized) time.Duration {
		silent := s.silent()
		s.all = s.crowd.join(b, s.sessions, silent)
		s.ephemerals(b)
		var last, first atomic.Int64
		seen := func(wire.WatcherEvent) {
			now := time.Now().UnixNano()
			first.CompareAndSwap(0, now)
			last.Store(now)
		}
		s.auditor.onEvent.Store(&seen)
		s.crowd.all(b, "addWatch", []*attendee{s.auditor}, 1, func(int, int) (wire.Op, wire.Appender) {
			return wire.OpAddWatch, &wire.AddWatchRequest{Path: s.dir + "/e", Mode: wire.WatchPersistentRecursive}
		})
		from, ends := s.crowd.events.n.Load(), s.crowd.ends.n.Load()
		s.crowd.all(b, "ping", s.all, 1, func(int, int) (wire.Op, wire.Appender) { return wire.OpPing, nil })
		due := time.Now().Add(silent)
		early := s.all[0].asked
		for _, a := range s.all {
			if a.asked.Before(early) {
				early = a.asked
			}
		}
		s.crowd.await(b, "expiry", &s.crowd.events, from, s.sessions)
		s.crowd.await(b, "end of connections", &s.crowd.ends, ends, s.sessions)
		s.unwatch(b)
		if begun := time.Unix(0, first.Load()); begun.Before(early.Add(silent)) {
			b.Errorf("%s: a session expired %v early", s.name, early.Add(silent).Sub(begun))
		}
		return time.Unix(0, last.Load()).Sub(due)
	}},
}

func (s *sized) set(t testing.TB, paths []string) {
	s.crowd.pipeline(t, "setData", s.writers, len(paths), func(i int) (wire.Op, wire.Appender) {
		return wire.OpSetData, &wire.SetDataRequest{Path: paths[i], Data: []byte("changed"), Version: -1}
	})
}

func (s *sized) ephemerals(t testing.TB) {
	s.crowd.all(t, "create ephemeral", s.all, 1, func(session, _ int) (wire.Op, wire.Appender) {
		return createOf(fmt.Sprintf("%s/e/%05d", s.dir, session), nil, wire.FlagEphemeral)
	})
}

// unwatch removes the auditor's watches, with its session.
func (s *sized) unwatch(t testing.TB) {
	s.crowd.all(t, "closeSession", []*attendee{s.auditor}, 1, func(int, int) (wire.Op, wire.Appender) { return wire.OpCloseSession, nil })
	s.auditor = s.crowd.join(t, 1, time.Minute)[0]
}

// report logs a table and reports the ratios.
func report(b *testing.B, embedded, apache *sized) {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "phase\tembedded\tapache\tratio\tCPU embedded\tapache\tratio\tp99 embedded\tapache\tratio\tlongest\tapache\tMB\tapache\t")
	ms := func(d time.Duration) float64 { return float64(d) / 1e6 }
	for i, e := range embedded.results {
		a := apache.results[i]
		times, cpu, p99 := ms(e.took)/ms(a.took), ms(e.cpu)/ms(a.cpu), ms(e.probe.p99)/ms(a.probe.p99)
		fmt.Fprintf(w, "%s\t%.0f ms\t%.0f ms\t%.2f\t%.0f ms\t%.0f ms\t%.2f\t%.1f ms\t%.1f ms\t%.2f\t%.0f ms\t%.0f ms\t%d\t%d\t\n", e.phase, ms(e.took), ms(a.took), times,
			ms(e.cpu), ms(a.cpu), cpu, ms(e.probe.p99), ms(a.probe.p99), p99, ms(e.probe.longest), ms(a.probe.longest), e.memory.Resident>>20, a.memory.Resident>>20)
		b.ReportMetric(times, e.phase+"-ratio")
		b.ReportMetric(cpu, e.phase+"-cpu-ratio")
		b.ReportMetric(p99, e.phase+"-p99-ratio")
	}
	w.Flush()
	e, a := embedded.process.Memory(b).Peak, apache.process.Memory(b).Peak
	b.ReportMetric(float64(e)/float64(a), "memory-ratio")
	fmt.Printf("%smemory, MB: fresh %d and %d, peak %d and %d\n", table.String(), embedded.fresh.Resident>>20, apache.fresh.Resident>>20, e>>20, a>>20)
}
