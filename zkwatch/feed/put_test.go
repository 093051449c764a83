package feed_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"electop/model"
	"electop/zkwatch/feed"
)

// TestBehind: a feed is behind for as long as the reader of its events blocks it.
func TestBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		f := feed.New(feed.Config{Election: acking, Events: func([]model.Event) error {
			<-release
			return nil
		}})
		if d := f.Behind(); d != 0 {
			t.Errorf("behind by %v without an observation", d)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- f.Run(ctx) }()
		s := newStory()
		f.Put(s.connected())
		f.Put(s.change(1))
		time.Sleep(time.Minute)
		f.Put(s.pass(time.Minute).change(1))
		if d := f.Behind(); d != time.Minute {
			t.Errorf("behind by %v after a minute", d)
		}
		close(release)
		synctest.Wait()
		if d := f.Behind(); d != 0 {
			t.Errorf("behind by %v with nothing to do", d)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
