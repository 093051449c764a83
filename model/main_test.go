package model_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// More histories than rapid's 100: they are short. The command line wins.
	if err := flag.Set("rapid.checks", "250"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
