package demo_test

import (
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"electop/demo"
)

func TestTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r demo.Tokens
		highest, holder := int64(0), ""
		for i, token := range rapid.SliceOf(rapid.Int64Range(1, 20)).Draw(t, "tokens") {
			who := fmt.Sprint(i)
			if token >= highest {
				highest, holder = token, who
			}
			if accepted, now, by := r.Take(token, who); accepted != (holder == who) || now != highest || by != holder {
				t.Fatalf("token %d: got accepted %v, highest token %d of %s; want %v, %d of %s", token, accepted, now, by, holder == who, highest, holder)
			}
		}
	})
}

func TestConcurrentTokens(t *testing.T) {
	var r demo.Tokens
	var wg sync.WaitGroup
	for i := range int64(8) {
		wg.Go(func() {
			for n := range int64(200) {
				_, seen, _ := r.Take(n*8+i, "somebody")
				if ok, highest, _ := r.Take(seen-1, "late"); ok || highest < seen {
					t.Errorf("token %d after token %d: got accepted %v, highest token %d; want refused", seen-1, seen, ok, highest)
				}
			}
		})
	}
	wg.Wait()
}
