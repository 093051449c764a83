package electiontest

import (
	"os"
	"testing"
	"time"
)

// longEnv asks for the long form of the tests under faults, and says how long
// each may take: 30m.
const longEnv = "ELECTOP_TEST_LONG"

// Long returns how long a test shall run in its long form, false if not in it.
func Long(t *testing.T) (time.Duration, bool) {
	t.Helper()
	text := os.Getenv(longEnv)
	if text == "" {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		t.Fatalf("%s=%q: want a duration as 30m", longEnv, text)
	}
	return d, true
}

// Seed returns the seed of a random test, and logs it: a fixed one, or a random one in
// the long form of the tests.
func Seed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(1)
	if _, long := Long(t); long {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	return seed
}
