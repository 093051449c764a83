package election_test

import (
	"testing"

	"electop/demo/zktest"
)

func TestMain(m *testing.M) { zktest.Main(m) }
