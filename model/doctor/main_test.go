package doctor_test

import (
	"testing"

	"electop/model/internal/modeltest"
)

func TestMain(m *testing.M) { modeltest.Main(m) }
