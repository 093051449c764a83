package process

import (
	"bytes"
	"encoding/base64"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
)

// Text reaches the terminal outside of tmux and GNU screen too.
func TestToClipboard(t *testing.T) {
	text := strings.Repeat("/election/n_0000000012 ", 100)
	plain := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	for name, want := range map[string]string{
		"":     plain,
		"TMUX": plain + "\x1bPtmux;\x1b" + plain + "\x1b\\",
	} {
		if got := toClipboard(text, func(have string) string { return map[bool]string{have == name: "1"}[true] }); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	got := toClipboard(text, func(have string) string { return map[string]string{"STY": "1"}[have] })
	if joined := strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(got, "\x1b\\\x1bP", ""), "\x1bP"), "\x1b\\"); joined != plain {
		t.Errorf("in GNU screen: %q", got)
	}
}

// Text goes between two frames.
func TestScreenWritesOneAfterTheOther(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &Screen{ctx: t.Context(), out: w}
	t.Setenv("TMUX", "")
	t.Setenv("STY", "")
	out := s.Output()
	var wrote sync.WaitGroup
	wrote.Go(func() {
		io.WriteString(out, "\x1b[?1049h")
		for range 100 {
			io.WriteString(out, "frame\r\n"+strings.Repeat("x", 5000)+"end")
		}
	})
	for range 2 {
		wrote.Go(func() {
			for range 50 {
				s.Copy("some text")
			}
		})
	}
	go func() {
		wrote.Wait()
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
		t.Errorf("written is %q", rest)
	}
}
