package terminal

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/muesli/cancelreader"
)

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
