package terminal

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"
)

// lastAnswer is how long after a question the end of the program waits for its answer,
// which would else be typed at the shell's prompt.
const lastAnswer = 300 * time.Millisecond

// Screen is the terminal that a dashboard is on: the keys that come from it, what is
// written to it, and what it answers.
type Screen struct {
	keys  keys
	out   *os.File
	own   *os.File // the terminal that was opened for the keys, nil: none was
	light chan bool

	mu       sync.Mutex // held while something is written
	toAsk    string     // what follows the first frame, "" for nothing or nothing more
	askedAt  time.Time
	answered chan struct{}
	once     sync.Once // closes answered
}

// Open returns the terminal of a dashboard. Keys come from in, or, if it is something
// else, from the terminal of this process. It is read from the first [Screen.Input] read
// on.
func Open(in io.Reader, out *os.File) (*Screen, error) {
	s := &Screen{out: out, light: make(chan bool, 1), answered: make(chan struct{})}
	from, ok := Of(in)
	if !ok {
		var err error
		if from, err = os.Open("/dev/tty"); err != nil {
			return nil, err
		}
		s.own = from
	}
	s.keys = keys{
		from: from, bytes: make(chan []byte), interrupted: make(chan struct{}, 1), closed: make(chan struct{}), ended: make(chan struct{}),
		split: splitter{answer: s.take},
	}
	return s, nil
}

// AskBackground has the terminal asked for its background as soon as the first frame was
// written. A terminal need not answer.
func (s *Screen) AskBackground() {
	switch {
	case os.Getenv("TERM") == "linux": // the console shows what it does not know
	case runtime.GOOS == "windows": // an answer would come as keys: see Input
	default:
		s.toAsk = askBackground
	}
}

// Background receives whether the background is light, once the terminal has said so.
func (s *Screen) Background() <-chan bool { return s.light }

// Input is where the dashboard's keys come from.
func (s *Screen) Input() io.Reader {
	if runtime.GOOS == "windows" {
		return s.keys.from // its keys come as events and not as text
	}
	return &s.keys
}

// Output is where the dashboard is written.
func (s *Screen) Output() io.Writer { return output{s} }

// Close ends the reading of keys. An answer that may be on its way is waited for.
func (s *Screen) Close() error {
	s.mu.Lock()
	asked := s.askedAt
	s.mu.Unlock()
	s.keys.Interrupt()
	if left := lastAnswer - time.Since(asked); !asked.IsZero() && left > 0 {
		s.await(left)
	}
	s.keys.end()
	if s.own != nil {
		return s.own.Close()
	}
	return nil
}

// await waits for the answer, without an echo of it on the terminal.
func (s *Screen) await(left time.Duration) {
	select {
	case <-s.answered:
		return
	default:
	}
	if before, err := term.MakeRaw(s.keys.from.Fd()); err == nil {
		defer term.Restore(s.keys.from.Fd(), before)
	}
	over := time.NewTimer(left)
	defer over.Stop()
	for {
		select {
		case <-s.answered:
			return
		case <-over.C:
			return
		case b, more := <-s.keys.bytes:
			if !more {
				return
			}
			s.keys.feed(b)
		}
	}
}

// take takes an answer of the terminal.
func (s *Screen) take(answer string) {
	light, ok := lightAnswer(answer)
	if !ok {
		return
	}
	s.once.Do(func() {
		close(s.answered)
		s.light <- light
	})
}

// write writes to the terminal, after what is being written. A frame has lines, and
// nothing that is written before the first one has: a question follows it.
func (s *Screen) write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.out.Write(p)
	if err != nil || s.toAsk == "" || !bytes.ContainsRune(p, '\n') {
		return n, err
	}
	s.askedAt = time.Now()
	s.keys.ask(s.askedAt)
	if _, err := io.WriteString(s.out, s.toAsk); err != nil {
		return n, err
	}
	s.toAsk = ""
	return n, nil
}

// output is the terminal as Bubbletea writes to it: a file of which it asks the size.
type output struct{ s *Screen }

func (o output) Write(p []byte) (int, error) { return o.s.write(p) }
func (o output) Read(p []byte) (int, error)  { return o.s.out.Read(p) }
func (o output) Fd() uintptr                 { return o.s.out.Fd() }
func (o output) Close() error                { return nil } // it is its owner's

// keys is the terminal as Bubbletea reads it: a file that it can set to raw mode. It is
// read by a goroutine of its own, because what is held back is given up after a time. It
// has no Name: one that had would be waited for by its descriptor.
type keys struct {
	from        *os.File
	bytes       chan []byte
	interrupted chan struct{}
	closed      chan struct{} // no more is read
	ended       chan struct{} // the goroutine has ended, or never began

	mu     sync.Mutex
	split  splitter
	reader cancelreader.CancelReader // nil: not begun
	over   bool                      // no reader is begun any more
	err    error                     // of the reader, once bytes is closed
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

func (k *keys) ask(now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.split.ask(now)
}

func (k *keys) feed(b []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.split.feed(b, time.Now())
}

func (k *keys) next() ([]byte, time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.split.next(time.Now())
}

// Read returns whole keys, and no answers. It needs room for chunkMax bytes.
func (k *keys) Read(p []byte) (int, error) {
	if err := k.begin(); err != nil {
		return 0, err
	}
	for {
		select { // what has come is older than the time
		case b, more := <-k.bytes:
			if !more {
				return 0, k.err
			}
			k.feed(b)
			continue
		default:
		}
		b, until := k.next()
		if b != nil {
			return copy(p, b), nil
		}
		if err := k.wait(until); err != nil {
			return 0, err
		}
	}
}

// wait waits until there is more, or until a time; zero: for ever.
func (k *keys) wait(until time.Time) error {
	var over <-chan time.Time
	if !until.IsZero() {
		t := time.NewTimer(time.Until(until))
		defer t.Stop()
		over = t.C
	}
	select {
	case <-over:
	case <-k.interrupted:
		return io.EOF
	case b, more := <-k.bytes:
		if !more {
			return k.err
		}
		k.feed(b)
	}
	return nil
}

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

// read hands on what comes, until the reader is cancelled or fails.
func (k *keys) read() {
	defer close(k.ended)
	for {
		b := make([]byte, chunkMax)
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
