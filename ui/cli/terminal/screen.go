package terminal

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"electop/ui/cli/task"
)

// lastAnswer is how long after a question the end of the program waits for its answer,
// which would else be typed at the shell's prompt.
const lastAnswer = 300 * time.Millisecond

// lastWrite is how long a write may take once the program is to end: a terminal that is not
// read, as with a dead connection behind it, takes no more.
const lastWrite = 2 * time.Second

// Screen is the terminal that a dashboard is on: the keys that come from it, what is
// written to it, and what it answers.
type Screen struct {
	ctx   context.Context // of the program
	keys  keys
	out   *os.File
	own   *os.File // the terminal that was opened for the keys, nil: none was
	light chan bool

	mu       sync.Mutex // held while something is written
	lost     bool       // a write took too long: nothing more is written
	toAsk    string     // what follows the first frame, "" for nothing or nothing more
	askedAt  time.Time
	answered chan struct{}
	once     sync.Once // closes answered
}

// Open returns the terminal of a dashboard. Keys come from in, or, if it is something
// else, from the terminal of this process. It is read from the first [Screen.Input] read
// on. When ctx has ended, a terminal that is not read is given up.
func Open(ctx context.Context, in io.Reader, out *os.File) (*Screen, error) {
	s := &Screen{ctx: ctx, out: out, light: make(chan bool, 1), answered: make(chan struct{})}
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
	n, err := s.put(p)
	if err != nil || s.toAsk == "" || !bytes.ContainsRune(p, '\n') {
		return n, err
	}
	s.askedAt = time.Now()
	s.keys.ask(s.askedAt)
	if _, err := s.put([]byte(s.toAsk)); err != nil {
		return n, err
	}
	s.toAsk = ""
	return n, nil
}

// put writes text. The caller holds the lock.
func (s *Screen) put(text []byte) (int, error) {
	if s.lost {
		return 0, os.ErrDeadlineExceeded
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(s.ctx, func() { time.AfterFunc(lastWrite, cancel) })()
	text = bytes.Clone(text) // a write that is given up has it for ever
	n, err := task.Await(ctx, func() (int, error) { return s.out.Write(text) })
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
