package zktest

import (
	"os"
	"strconv"
	"testing"
	"time"
)

const longEnv = "ELECTOP_TEST_LONG"

// Long returns the duration of a test under random faults, and whether the second tier is on.
func Long(t testing.TB) (time.Duration, bool) {
	t.Helper()
	text := os.Getenv(longEnv)
	if text == "" {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		t.Fatalf("%s=%q: want a duration such as 30m", longEnv, text)
	}
	return d, true
}

// SecondTier skips the test if the second tier is off.
func SecondTier(t testing.TB) {
	t.Helper()
	if _, ok := Long(t); !ok {
		t.Skip("the second tier is off; " + longEnv + "=1s turns it on")
	}
}

// Seed returns and logs ELECTOP_TEST_SEED. The default is 1; in the second tier, it is the current time.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(1)
	if text := os.Getenv("ELECTOP_TEST_SEED"); text != "" {
		seed = Must(strconv.ParseUint(text, 10, 64))
	} else if _, long := Long(t); long {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("ELECTOP_TEST_SEED=%d", seed)
	return seed
}
