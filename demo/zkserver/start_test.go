package zkserver_test

import (
	"testing"

	"electop/demo/zkserver"
)

// TestStartAndEnd: tests that end at once, before the server accepts.
func TestStartAndEnd(t *testing.T) {
	for range 200 {
		brief := &testingT{} // panics in Fatalf
		zkserver.Start(brief, zkserver.Options{})
		brief.end()
	}
}
