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

// lastWrite is how long a write may take once the program is to end: a terminal that is not
// read, as with a dead connection behind it, takes no more.
const lastWrite = 2 * time.Second

// Screen is the terminal that a dashboard is on: the keys that come from it, and what is
// written to it.
type Screen struct {
	ctx  context.Context // of the program
	keys *keys
	out  *os.File
	own  *os.File // the terminal that was opened for the keys, nil: none was

	mu   sync.Mutex // held while something is written
	lost bool       // a write took too long: nothing more is written
}

// OpenScreen returns the terminal of a dashboard. Keys come from in, or, if it is something
// else, from the terminal of this process. It is read from the first [Screen.Input] read
// on. When ctx has ended, a terminal that is not read is given up.
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

// Input is where the dashboard's keys come from.
func (s *Screen) Input() io.Reader {
	if runtime.GOOS == "windows" {
		return s.keys.from // its keys come as events and not as text
	}
	return s.keys
}

// Output is where the dashboard is written.
func (s *Screen) Output() io.Writer { return output{s} }

// Close ends the reading of keys.
func (s *Screen) Close() error {
	s.keys.Interrupt()
	s.keys.end()
	if s.own != nil {
		return s.own.Close()
	}
	return nil
}

// write writes to the terminal, after what is being written.
func (s *Screen) write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost {
		return 0, os.ErrDeadlineExceeded
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(s.ctx, func() { time.AfterFunc(lastWrite, cancel) })()
	text = bytes.Clone(text) // a write that is given up has it for ever
	n, err := Await(ctx, func() (int, error) { return s.out.Write(text) })
	s.lost = ctx.Err() != nil
	return n, err
}

// output is the terminal as Bubbletea writes to it: a file of which it asks the size.
type output struct{ s *Screen }

func (o output) Write(p []byte) (int, error) { return o.s.write(p) }
func (o output) Read(p []byte) (int, error)  { return o.s.out.Read(p) }
func (o output) Fd() uintptr                 { return o.s.out.Fd() }
func (o output) Close() error                { return nil } // it is its owner's

// Size is how many columns and rows the terminal has now, 0 if it does not say.
func (s *Screen) Size() (width, height int) {
	width, height, _ = term.GetSize(s.out.Fd())
	return width, height
}

// screenPart is how much GNU screen passes on at once.
const screenPart = 76

// Copy sends text to the terminal's clipboard (OSC 52), between two frames. A terminal
// does not say whether it took it.
func (s *Screen) Copy(text string) error {
	_, err := s.write([]byte(toClipboard(text, os.Getenv)))
	return err
}

// toClipboard is what sends text to the clipboard. tmux takes it itself where
// set-clipboard is on, or passes it on where allow-passthrough is; GNU screen only passes
// it on.
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

// keyHeld is how long the beginning of a key waits for its rest, which follows at once,
// even over a slow line.
const keyHeld = 50 * time.Millisecond

// keys is the terminal as Bubbletea reads it: a file that it can set to raw mode. A
// goroutine reads it, because Bubbletea takes the end of a piece for the end of a key, so
// Read waits a moment for the rest of one. It has no Name: Bubbletea would wait for a
// file with a name by its descriptor.
type keys struct {
	from        *os.File
	bytes       chan []byte
	interrupted chan struct{}
	closed      chan struct{} // no more is read
	ended       chan struct{} // the goroutine has ended, or never began
	held        []byte        // read, and not yet returned

	mu     sync.Mutex
	reader cancelreader.CancelReader // nil: not begun
	over   bool                      // no reader is begun any more
	err    error                     // of the reader, once bytes is closed
}

func newKeys(from *os.File) *keys {
	return &keys{from: from, bytes: make(chan []byte), interrupted: make(chan struct{}, 1), closed: make(chan struct{}), ended: make(chan struct{})}
}

func (k *keys) Write(p []byte) (int, error) { return k.from.Write(p) }
func (k *keys) Fd() uintptr                 { return k.from.Fd() }
func (k *keys) Close() error                { return nil } // end does it

// Interrupt ends the present Read, or the next one, with [io.EOF]. The program calls it
// before it gives the terminal to somebody else.
func (k *keys) Interrupt() {
	select {
	case k.interrupted <- struct{}{}:
	default:
	}
}

// Read returns whole keys, or what came of a key whose rest does not follow.
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

// unfinished reports whether b ends within a character or an escape sequence, or with an
// escape character, which is the key Esc unless more follows.
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
	// sequenceMax is longer than any key or mouse event.
	sequenceMax = 64
)

// begin begins to read, once.
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

// read sends what comes, until the reader is cancelled or fails.
func (k *keys) read() {
	defer close(k.ended)
	for {
		b := make([]byte, 256)
		n, err := k.reader.Read(b)
		if err != nil {
			k.err = err
			close(k.bytes)
			return
		}
		select {
		case k.bytes <- b[:n]:
		case <-k.closed:
			k.err = io.EOF
			close(k.bytes)
			return
		}
	}
}

// end ends the reading.
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

// Terminal returns stream as a terminal, false if it is not one.
func Terminal(stream any) (*os.File, bool) {
	f, ok := stream.(*os.File)
	return f, ok && term.IsTerminal(f.Fd())
}

// ReadLine reads one line, or returns when ctx ends.
func ReadLine(ctx context.Context, in io.Reader) (string, error) {
	return Await(ctx, func() (string, error) {
		line, err := bufio.NewReader(in).ReadString('\n')
		if err == io.EOF {
			err = nil
		}
		return line, err
	})
}
