package check

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"

	"electop/model"
	"electop/model/znode"
	"electop/ui/cli/command"
	"electop/zkwatch/fault"
	"electop/zkwatch/wire"
)

type instance struct {
	w    *world
	id   string
	link *fault.Link
	cmd  *exec.Cmd     // nil before launch
	done chan struct{} // closed when the process has ended
	how  string        // how it ended; set before done is closed

	mu        sync.Mutex
	now       facts
	log       []*message
	onRequest func(*message) // if set, it is called before a request reaches the server
}

type facts struct {
	tail      []string  // the last lines of the output, safe for a terminal
	session   int64     // the last of sessions, 0: none yet
	sessions  []int64   // a reconnect adds the same session again
	sessionAt time.Time // when a connection last got a session
	pings     int
	renewals  int       // multis of a single check operation, which can renew a lease
	loses     bool      // lose the reply to the next successful sequential create
	losesList bool      // after that, lose the reply to the next getChildren
	lost      time.Time // when the last of these replies was lost; zero: none yet
	fault     model.Fault
	recorded  string // last state in the recording
}

func (in *instance) facts() facts {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.now
}

// A message is a request or a notification. instance.log has no pings, no renewals, and no requests with a
// path outside Path.
type message struct {
	at      time.Time
	op      wire.Op // wire.OpNotification for a notification
	path    string  // "": none
	watch   bool
	flags   int32  // of a create
	created string // path of the created znode
}

const (
	tailMax = 3    // lines
	lineMax = 4096 // bytes
)

func (in *instance) launch() error {
	servers := in.link.Addr + "," + in.link.Addr // with one server, a Java client waits 1 s before it reconnects
	replace := strings.NewReplacer("{servers}", servers, "{path}", Path, "{id}", in.id)
	var args []string
	for _, a := range in.w.p.Args {
		args = append(args, replace.Replace(a))
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(slices.Clone(in.w.p.Env), "ELECTOP_SERVERS="+servers, "ELECTOP_PATH="+Path, "ELECTOP_ID="+in.id, "PYTHONUNBUFFERED=1")
	output, write := io.Pipe()
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = write, write, command.OwnGroup()
	cmd.WaitDelay = time.Second // for processes that hold the output open
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", znode.Safe(args[0], 0), err)
	}
	in.cmd = cmd
	read := make(chan struct{}) // closed at the end of the output
	in.w.running.Go(func() {
		defer close(read)
		in.readLines(output)
	})
	in.w.running.Go(func() {
		in.how = "exit code 0"
		if err := cmd.Wait(); err != nil {
			in.how = err.Error()
		}
		write.Close()
		<-read // no line may change the belief after the end
		in.w.setBelief(in, false)
		close(in.done)
		in.w.record(in)
	})
	in.w.record(in)
	return nil
}

// readLines reads the output. A line longer than lineMax counts as several lines.
func (in *instance) readLines(output io.Reader) {
	for lines := bufio.NewReaderSize(output, lineMax); ; {
		b, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		line := ansi.Strip(string(b))
		in.mu.Lock()
		in.now.tail = append(in.now.tail[max(0, len(in.now.tail)-tailMax+1):], znode.Safe(line, 0))
		in.mu.Unlock()
		leads, own := in.matches(in.w.p.Leading, line)
		switch follows, ownFollows := in.matches(in.w.p.Following, line); {
		case follows && ownFollows:
			in.w.setBelief(in, false)
		case leads:
			in.w.setBelief(in, own) // if another instance leads, this one follows
		}
	}
}

func (in *instance) matches(re *regexp.Regexp, line string) (matches, own bool) {
	if re == nil {
		return false, false
	}
	groups := re.FindStringSubmatch(line)
	return groups != nil, !slices.ContainsFunc(in.w.all(), func(x *instance) bool { return x != in && slices.Contains(groups, x.id) })
}

func (in *instance) ended() bool {
	select {
	case <-in.done:
		return true
	default:
		return false
	}
}

func (in *instance) terminate() { in.signal(model.NoFault, syscall.SIGTERM) }
func (in *instance) kill()      { in.signal(model.Killed, syscall.SIGKILL) }

func (in *instance) signal(f model.Fault, sig syscall.Signal) {
	if in.cmd != nil && !in.ended() {
		command.Signal(in.cmd.Process.Pid, sig)
	}
	in.setFault(f)
}

func (in *instance) cut() { in.link.Cut(); in.setFault(model.Partitioned) }

func (in *instance) isolate() { in.link.Hold(); in.setFault(model.Partitioned) }
func (in *instance) heal()    { in.link.Heal(); in.setFault(model.NoFault) }

func (in *instance) setFault(f model.Fault) {
	in.mu.Lock()
	in.now.fault = f
	in.mu.Unlock()
	in.w.record(in)
}

func (in *instance) messages(from time.Time) (out []message) {
	in.mu.Lock()
	defer in.mu.Unlock()
	i, _ := slices.BinarySearchFunc(in.log, from, func(m *message, t time.Time) int { return m.at.Compare(t) })
	for _, m := range in.log[i:] {
		out = append(out, *m)
	}
	return out
}

func (in *instance) created(path string) []message {
	return slices.DeleteFunc(in.messages(time.Time{}), func(m message) bool {
		plain := m.flags == 0 || m.flags > wire.FlagEphemeral|wire.FlagSequential // persistent, container, TTL, or no create
		return plain || path != "" && m.created != path || !atOrBelowPath(m.created)
	})
}

func atOrBelowPath(path string) bool { return strings.HasPrefix(path+"/", Path+"/") }

func (in *instance) lastOutput() (out string) {
	if in.ended() {
		out = "ended (" + in.how + "), "
	}
	return out + "last output: \"" + strings.Join(in.facts().tail, " / ") + "\""
}

// A stream reads one direction of a connection between an instance and the server.
type stream struct {
	in      *instance
	waiting map[int32]*message // requests by xid, shared by both directions; guarded by in.mu
	began   bool               // the handshake was relayed
	raw     bool               // a four-letter word or its answer, not ZooKeeper's client protocol
}

func (in *instance) open() [2]func(io.Reader) ([]byte, error) {
	waiting := make(map[int32]*message)
	requests, replies := &stream{in: in, waiting: waiting}, &stream{in: in, waiting: waiting}
	return [2]func(io.Reader) ([]byte, error){
		fault.ToServer:   func(r io.Reader) ([]byte, error) { return requests.read(r, requests.request) },
		fault.FromServer: func(r io.Reader) ([]byte, error) { return replies.read(r, replies.reply) },
	}
}

// frameMax is less than the frame size that any four-letter word decodes to.
const frameMax = 16 << 20

func (s *stream) read(r io.Reader, take func(*wire.Coder) error) ([]byte, error) {
	if s.raw {
		return fault.ReadOnce(r)
	}
	content, err := wire.ReadFrame(r, frameMax)
	var word *wire.FrameSizeError
	if s.raw = errors.As(err, &word); s.raw {
		return binary.BigEndian.AppendUint32(nil, uint32(word.Size)), nil
	}
	if err == nil {
		err = take(wire.NewDecoder(content))
	}
	if err != nil {
		return nil, err
	}
	s.in.w.record(s.in)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), content...), nil
}

func (s *stream) request(d *wire.Coder) error {
	if !s.began {
		s.began = true
		return nil
	}
	var h wire.RequestHeader
	h.Fields(d)
	m := &message{op: h.Op}
	renewal := false
	switch m.op {
	case wire.OpCreate, wire.OpCreate2:
		var req wire.CreateRequest
		req.Fields(d)
		m.path, m.flags = req.Path, req.Flags
	case wire.OpExists, wire.OpGetData, wire.OpGetChildren, wire.OpGetChildren2:
		var req wire.PathWatchRequest
		req.Fields(d)
		m.path, m.watch = req.Path, req.Watch
	case wire.OpMulti:
		var req wire.MultiRequest
		req.Fields(d)
		renewal = len(req.Ops) == 1 && req.Ops[0].Op == wire.OpCheck
		for _, op := range req.Ops {
			if op.Create.Path != "" {
				m.path, m.flags = op.Create.Path, op.Create.Flags
			}
			m.path = cmp.Or(m.path, op.Path)
		}
	case wire.OpPing, wire.OpCloseSession, wire.OpAuth, wire.OpSetWatches, wire.OpSetWatches2:
	default:
		d.Path(&m.path)
	}
	s.in.mu.Lock()
	m.at = time.Now() // after Lock, because the log is in the order of time
	hook := s.in.onRequest
	switch {
	case m.op == wire.OpPing:
		s.in.now.pings++
	case renewal:
		s.in.now.renewals++
	case m.path == "" || atOrBelowPath(m.path):
		s.in.log = append(s.in.log, m)
		s.waiting[h.Xid] = m
	}
	s.in.mu.Unlock()
	if hook != nil {
		hook(m)
	}
	return nil
}

func (s *stream) reply(d *wire.Coder) error {
	in := s.in
	in.mu.Lock()
	defer in.mu.Unlock()
	if !s.began {
		s.began = true
		var rsp wire.ConnectResponse
		if rsp.Fields(d); rsp.SessionID != 0 {
			in.now.sessionAt, in.now.session, in.now.sessions = time.Now(), rsp.SessionID, append(in.now.sessions, rsp.SessionID)
		}
		return nil
	}
	var h wire.ReplyHeader
	h.Fields(d)
	m := s.waiting[h.Xid]
	delete(s.waiting, h.Xid)
	switch {
	case h.Xid == wire.XidWatch:
		var e wire.WatcherEvent
		e.Fields(d)
		in.log = append(in.log, &message{at: time.Now(), op: wire.OpNotification, path: e.Path})
	case m != nil && h.Err == wire.OK && (m.op == wire.OpCreate || m.op == wire.OpCreate2):
		d.String(&m.created)
		if in.now.loses && m.flags&wire.FlagSequential != 0 {
			in.now.loses = false
			return in.loseReply()
		}
	case m != nil && h.Err == wire.OK && m.op == wire.OpMulti:
		var rsp wire.MultiResponse
		rsp.Fields(d)
		for _, result := range rsp.Results {
			m.created = cmp.Or(result.Path, m.created)
		}
	case m != nil && in.now.losesList && !in.now.loses && (m.op == wire.OpGetChildren || m.op == wire.OpGetChildren2):
		in.now.losesList = false
		return in.loseReply()
	}
	return nil
}

// loseReply requires that the caller holds in.mu.
func (in *instance) loseReply() error {
	in.now.lost = time.Now()
	in.link.Cut()
	in.link.Heal()
	return io.ErrUnexpectedEOF
}
