package process

import (
	"bytes"
	"encoding/base64"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/muesli/cancelreader"
	"pgregory.net/rapid"
)

func TestToClipboard(t *testing.T) {
	text := strings.Repeat("/election/n_0000000012 ", 100)
	plain := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	for name, want := range map[string]string{
		"":     plain,
		"TMUX": plain + "\x1bPtmux;\x1b" + plain + "\x1b\\",
	} {
		if got := toClipboard(text, func(have string) string { return map[bool]string{have == name: "1"}[true] }); got != want {
			t.Errorf("%s: sequence %q, want %q", name, got, want)
		}
	}
	got := toClipboard(text, func(have string) string { return map[string]string{"STY": "1"}[have] })
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(got, "\x1bP"), "\x1b\\"), "\x1b\\\x1bP")
	if strings.Join(parts, "") != plain || slices.ContainsFunc(parts, func(p string) bool { return len(p) > screenPart }) {
		t.Errorf("STY: sequence %q, want %q in parts of at most %d bytes", got, plain, screenPart)
	}
}

func TestScreenDoesNotMixWrites(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &Screen{ctx: t.Context(), out: w}
	t.Setenv("TMUX", "")
	t.Setenv("STY", "")
	out := s.Output()
	var writers sync.WaitGroup
	writers.Go(func() {
		io.WriteString(out, "\x1b[?1049h")
		for range 100 {
			io.WriteString(out, "frame\r\n"+strings.Repeat("x", 5000)+"end")
		}
	})
	for range 2 {
		writers.Go(func() {
			for range 50 {
				s.Copy("some text")
			}
		})
	}
	go func() {
		writers.Wait()
		w.Close()
	}()
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	rest := bytes.ReplaceAll(got, []byte(toClipboard("some text", func(string) string { return "" })), nil)
	rest = bytes.ReplaceAll(rest, []byte("frame\r\n"+strings.Repeat("x", 5000)+"end"), []byte("F"))
	if want := "\x1b[?1049h" + strings.Repeat("F", 100); string(rest) != want {
		t.Errorf("the output, with F for a frame and without copies, is %q, want %q", rest, want)
	}
}

func TestUnfinished(t *testing.T) {
	keys := []string{"a", "\r", "\x1b[A", "\x1bOA", "\x1b[1;5C", "\x1b[[A", "\x1b[7$", "\x1b[<0;10;5M", "\x1b[M !!", "\x1bx", "\x1b[200~a\x1b[201~", "家", "é", "\x03"}
	for _, key := range keys {
		if unfinished([]byte(key)) {
			t.Errorf("unfinished(%q) is true, want false: it is a whole key", key)
		}
	}
	for _, cut := range []string{"\x1b", "\x1b[", "\x1bO", "\x1b[1;5", "\x1b[[", "\x1b[<0;1", "\x1b[M ", "\xe5", "a\xe5\xae", "j\x1b[<0"} {
		if !unfinished([]byte(cut)) {
			t.Errorf("unfinished(%q) is false, want true: it ends within a key", cut)
		}
	}
}

func TestReadWaitsForTheRestOfAKey(t *testing.T) {
	for pause, want := range map[time.Duration]string{keyHeld - 1: "\x1b[A", keyHeld + 1: "\x1b"} {
		synctest.Test(t, func(t *testing.T) {
			k, p := newKeys(nil), make([]byte, 9)
			k.reader, k.err = struct{ cancelreader.CancelReader }{}, io.EOF // the goroutine below sends the bytes
			go func() {
				k.bytes <- []byte("\x1b")
				time.Sleep(pause)
				k.bytes <- []byte("[A")
				close(k.bytes)
			}()
			if n, err := k.Read(p); string(p[:n]) != want || err != nil {
				t.Errorf("a key with a pause of %v: read %q, error %v, want %q", pause, p[:n], err, want)
			}
			io.Copy(io.Discard, k)
		})
	}
}

func TestInterruptEndsOnlyAWaitingRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, p := newKeys(nil), make([]byte, 9)
		k.reader = struct{ cancelreader.CancelReader }{}
		k.Interrupt() // no Read waits, as while Bubbletea's read loop waits to deliver a key
		go func() { k.bytes <- []byte("q") }()
		if n, err := k.Read(p); string(p[:n]) != "q" || err != nil {
			t.Errorf("after an old interrupt: read %q, error %v, want q", p[:n], err)
		}
		go k.Interrupt()
		if _, err := k.Read(p); err != io.EOF {
			t.Errorf("interrupted: got error %v, want EOF", err)
		}
	})
}

func TestReadReturnsAllBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		k := newKeys(r)
		defer func() { k.end(); r.Close() }()
		pieces := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 400), 1, 5).Draw(t, "pieces")
		go func() {
			defer w.Close()
			for _, p := range pieces {
				w.Write(p)
			}
		}()
		want, got := bytes.Join(pieces, nil), make([]byte, 0, 2000)
		for p := make([]byte, 256); len(got) < len(want); {
			n, err := k.Read(p)
			if err != nil {
				t.Fatalf("after %d of %d bytes: %v", len(got), len(want), err)
			}
			got = append(got, p[:n]...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("read %q, want %q", got, want)
		}
		if _, err := k.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("at the end: error %v, want EOF", err)
		}
	})
}
