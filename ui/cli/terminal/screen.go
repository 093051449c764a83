package terminal

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"electop/ui/cli/task"
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

// Open returns the terminal of a dashboard. Keys come from in, or, if it is something
// else, from the terminal of this process. It is read from the first [Screen.Input] read
// on. When ctx has ended, a terminal that is not read is given up.
func Open(ctx context.Context, in io.Reader, out *os.File) (*Screen, error) {
	s := &Screen{ctx: ctx, out: out}
	from, ok := Of(in)
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
