package demo_test

import (
	"sync"
	"testing"

	"pgregory.net/rapid"

	"electop/demo"
)

func TestTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r demo.Tokens
		highest := int64(0)
		for _, token := range rapid.SliceOf(rapid.Int64Range(1, 20)).Draw(t, "tokens") {
			accepted, now, _ := r.Take(token, "somebody")
			if want := token >= highest; accepted != want {
				t.Fatalf("token %d after %d: accepted is %v", token, highest, accepted)
			}
			highest = max(highest, token)
			if now != highest {
				t.Fatalf("the highest is said to be %d, it is %d", now, highest)
			}
		}
	})
}

func TestTokensNamesTheHolder(t *testing.T) {
	var r demo.Tokens
	r.Take(7, "birch")
	if ok, highest, holder := r.Take(6, "amber"); ok || highest != 7 || holder != "birch" {
		t.Errorf("Take(6) after birch's 7: %v, %d, %q", ok, highest, holder)
	}
	if ok, _, _ := r.Take(7, "birch"); !ok {
		t.Error("the same token again is refused")
	}
}

// TestTokensAtOnce: of many at once, none is accepted after a higher one was.
func TestTokensAtOnce(t *testing.T) {
	var r demo.Tokens
	var wg sync.WaitGroup
	for i := range int64(8) {
		wg.Go(func() {
			for n := range int64(200) {
				_, seen, _ := r.Take(n*8+i, "somebody")
				if ok, highest, _ := r.Take(seen-1, "late"); ok || highest < seen {
					t.Errorf("%d was accepted after %d", seen-1, seen)
				}
			}
		})
	}
	wg.Wait()
}
