package feed_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"electop/model"
	"electop/zkwatch/feed"
)

func TestCancelWhileReadingAFIFO(t *testing.T) {
	text, err := os.ReadFile(recordMinutes(t, 4)) // small enough for the buffer of a FIFO
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(ctx context.Context, fifo string) error{
		"events": func(ctx context.Context, fifo string) error {
			r, err := feed.OpenRecording(fifo)
			if err != nil {
				return err
			}
			defer r.Close()
			return r.Each(ctx, func([]model.Event) error { return nil }, nil)
		},
		"playback": func(ctx context.Context, fifo string) error {
			p, err := feed.OpenPlayback(fifo, 0)
			if err != nil {
				return err
			}
			return p.Run(ctx, func(string) {})
		},
	} {
		t.Run(name, func(t *testing.T) {
			fifo := filepath.Join(t.TempDir(), "fifo")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			writer, err := os.OpenFile(fifo, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Close()
			if _, err := writer.Write(text); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer time.AfterFunc(100*time.Millisecond, cancel).Stop() // by then, a read waits for more data
			if err := read(ctx, fifo); !errors.Is(err, context.Canceled) {
				t.Errorf("got error %v, want %v", err, context.Canceled)
			}
		})
	}
}
