package terminal

import (
	"bytes"
	"io"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/muesli/cancelreader"
)

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
