package process

import (
	"bytes"
	"io"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// A key that comes in pieces is read as one, and nothing is lost or changed, whatever
// comes and in whatever pieces.
func TestKeysAreWhole(t *testing.T) {
	keys := []string{"a", "\r", "\x1b[A", "\x1bOA", "\x1b[1;5C", "\x1b[[A", "\x1b[7$", "\x1b[<0;10;5M", "\x1b[M !!", "\x1bx", "\x1b[200~a\x1b[201~", "家", "é", "\x03"}
	for _, key := range keys {
		if unfinished([]byte(key)) {
			t.Errorf("%q waits for more", key)
		}
	}
	for _, cut := range []string{"\x1b", "\x1b[", "\x1bO", "\x1b[1;5", "\x1b[[", "\x1b[<0;1", "\x1b[M ", "\xe5", "a\xe5\xae", "j\x1b[<0"} {
		if !unfinished([]byte(cut)) {
			t.Errorf("%q is read without its rest", cut)
		}
	}
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
			t.Errorf("at the end %v", err)
		}
	})
}
