package process

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"
)

// lastWrite bounds a write after the end of Screen.ctx, because a terminal can block a write for ever.
const lastWrite = 2 * time.Second

// Screen reads a dashboard's keys from the terminal, and writes the dashboard's frames to it.
type Screen struct {
	ctx  context.Context
	keys *keys
	out  *os.File
	own  *os.File // the terminal that OpenScreen opened, or nil

	mu   sync.Mutex // held during a write
	lost bool       // a write was abandoned; later writes fail
}

// OpenScreen returns a Screen that reads keys from in, or from /dev/tty if in is not a terminal. After the end of ctx,
// a write that blocks for 2 s fails. All later writes fail, too.
func OpenScreen(ctx context.Context, in io.Reader, out *os.File) (*Screen, error) {
	s := &Screen{ctx: ctx, out: out}
	from, ok := Terminal(in)
	if !ok {
		var err error
		if from, err = os.Open("/dev/tty"); err != nil {
			return nil, err
		}
		s.own = from
	}
	s.keys = newKeys(from)
	return s, nil
}

// Input returns the reader of the dashboard's keys.
func (s *Screen) Input() io.Reader {
	if runtime.GOOS == "windows" {
		return s.keys.from // Windows delivers keys as events, not as text
	}
	return s.keys
}

// Output returns the writer of the dashboard's frames.
func (s *Screen) Output() io.Writer { return output{s} }

// Close stops reading keys. It closes neither in nor out of [OpenScreen].
func (s *Screen) Close() error {
	s.keys.Interrupt()
	s.keys.end()
	if s.own != nil {
		return s.own.Close()
	}
	return nil
}

func (s *Screen) write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost {
		return 0, os.ErrDeadlineExceeded
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(s.ctx, func() { time.AfterFunc(lastWrite, cancel) })()
	text = bytes.Clone(text) // an abandoned write still uses text
	n, err := Await(ctx, func() (int, error) { return s.out.Write(text) })
	s.lost = ctx.Err() != nil
	return n, err
}

// output has the methods of a file, because Bubbletea needs the terminal's size.
type output struct{ s *Screen }

func (o output) Write(p []byte) (int, error) { return o.s.write(p) }
func (o output) Read(p []byte) (int, error)  { return o.s.out.Read(p) }
func (o output) Fd() uintptr                 { return o.s.out.Fd() }
func (o output) Close() error                { return nil } // out belongs to the caller of OpenScreen

// Size returns the terminal's columns and rows, 0 if unknown.
func (s *Screen) Size() (width, height int) {
	width, height, _ = term.GetSize(s.out.Fd())
	return width, height
}

// screenPart is shorter than GNU screen's limit for one string, which is 768 bytes since 2014.
const screenPart = 76

// Copy sends text to the terminal's clipboard (OSC 52). If the terminal ignores text, Copy returns no error.
func (s *Screen) Copy(text string) error {
	_, err := s.write([]byte(toClipboard(text, os.Getenv)))
	return err
}

// toClipboard returns OSC 52. For tmux, OSC 52 is plain (option set-clipboard) and wrapped (option allow-passthrough).
func toClipboard(text string, getenv func(string) string) string {
	seq := ansi.SetSystemClipboard(text)
	switch {
	case getenv("TMUX") != "":
		return seq + ansi.TmuxPassthrough(seq)
	case getenv("STY") != "":
		return ansi.ScreenPassthrough(seq, screenPart)
	}
	return seq
}

const keyHeld = 50 * time.Millisecond

// keys reads whole keys, because Bubbletea takes the end of a Read for the end of a key. keys must not
// have a method Name: with it, Bubbletea would call Read only when the file descriptor is readable.
type keys struct {
	from        *os.File
	bytes       chan []byte
	interrupted chan struct{}
	closed      chan struct{}
	ended       chan struct{} // closed when the reading goroutine has ended
	held        []byte        // read but not yet returned

	mu     sync.Mutex
	reader cancelreader.CancelReader // nil before begin
	over   bool                      // end was called
	err    error                     // set before bytes is closed
}

func newKeys(from *os.File) *keys {
	return &keys{from: from, bytes: make(chan []byte), interrupted: make(chan struct{}), closed: make(chan struct{}), ended: make(chan struct{})}
}

func (k *keys) Write(p []byte) (int, error) { return k.from.Write(p) }
func (k *keys) Fd() uintptr                 { return k.from.Fd() }
func (k *keys) Close() error                { return nil } // end closes the reader

// interruptWait is shorter than the 500 ms for which Bubbletea waits for the end of its read loop.
const interruptWait = 400 * time.Millisecond

// Interrupt makes Read return [io.EOF]. It waits at most interruptWait for a Read, because after that
// the next Read may be the first of a new read loop, which must not end.
func (k *keys) Interrupt() {
	k.mu.Lock()
	began := k.reader != nil
	k.mu.Unlock()
	if !began {
		return
	}
	select {
	case k.interrupted <- struct{}{}:
	case <-k.ended:
	case <-time.After(interruptWait):
	}
}

// Read returns part of a key only if p is full or no byte follows within keyHeld.
func (k *keys) Read(p []byte) (int, error) {
	if err := k.begin(); err != nil {
		return 0, err
	}
	for late := false; len(k.held) == 0 || unfinished(k.held) && !late; {
		var rest <-chan time.Time
		if len(k.held) > 0 {
			t := time.NewTimer(keyHeld)
			defer t.Stop()
			rest = t.C
		}
		select {
		case b, more := <-k.bytes:
			if !more && len(k.held) == 0 {
				return 0, k.err
			}
			k.held, late = append(k.held, b...), !more
		case <-k.interrupted:
			return 0, io.EOF
		case <-rest:
			late = true
		}
	}
	n := copy(p, k.held)
	k.held = k.held[n:]
	return n, nil
}

// unfinished reports whether b ends within a key. A final escape counts: it can begin a sequence.
func unfinished(b []byte) bool {
	if i := bytes.LastIndexByte(b, esc); i >= 0 && len(b)-i <= sequenceMax {
		switch s := b[i+1:]; {
		case len(s) == 0, len(s) == 1 && (s[0] == '[' || s[0] == 'O'):
			return true
		case s[0] == '[' && s[1] == 'M': // a mouse event with three bytes
			return len(s) < 5
		case s[0] == '[' && s[1] == '[': // a function key of the Linux console
			return len(s) < 3
		case s[0] == '[':
			return bytes.IndexFunc(s[1:], func(r rune) bool { return r >= '@' && r <= '~' || r == '$' }) < 0
		}
	}
	for i := 1; i <= min(len(b), utf8.UTFMax); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			return c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:])
		}
	}
	return false
}

const (
	esc = '\x1b'
	// No key and no mouse event has more than sequenceMax bytes.
	sequenceMax = 64
)

func (k *keys) begin() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return io.EOF
	}
	if k.reader != nil {
		return nil
	}
	r, err := cancelreader.NewReader(k.from)
	if err != nil {
		return err
	}
	k.reader = r
	go k.read()
	return nil
}

func (k *keys) read() {
	defer close(k.ended)
	defer close(k.bytes)
	for {
		b := make([]byte, 256)
		n, err := k.reader.Read(b)
		if err != nil {
			k.err = err
			return
		}
		select {
		case k.bytes <- b[:n]:
		case <-k.closed:
			k.err = io.EOF
			return
		}
	}
}

func (k *keys) end() {
	k.mu.Lock()
	k.over = true
	r := k.reader
	k.mu.Unlock()
	if r == nil {
		return
	}
	close(k.closed)
	if r.Cancel() {
		<-k.ended
	}
	r.Close()
}

// Terminal returns stream as a file if stream is a terminal.
func Terminal(stream any) (*os.File, bool) {
	f, ok := stream.(*os.File)
	return f, ok && term.IsTerminal(f.Fd())
}

// ReadLine reads one line. If ctx ends first, ReadLine returns the cause, and the read of in continues.
func ReadLine(ctx context.Context, in io.Reader) (string, error) {
	return Await(ctx, func() (string, error) {
		line, err := bufio.NewReader(in).ReadString('\n')
		if err == io.EOF {
			err = nil
		}
		return line, err
	})
}
