package modeltest

import (
	"encoding/json"
	"reflect"
	"runtime"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"electop/model/dialect"
	"electop/model/doctor"
)

var sameState = cmp.Options{
	cmp.Exporter(func(t reflect.Type) bool { return strings.HasPrefix(t.PkgPath(), "electop/") }),
	cmp.Comparer(func(a, b dialect.Recipe) bool { return a.Name() == b.Name() }),
	cmp.Comparer(func(a, b *dialect.Dialect) bool { return a == b }),
	cmpopts.EquateEmpty(),
}

// Diff returns the difference, "" for none. It tries reflect.DeepEqual first, because cmp is slow.
func Diff(a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b, sameState)
}

func ID(c *dialect.Candidate) dialect.ID {
	if c == nil {
		return dialect.ID{}
	}
	return c.ID()
}

func Text(t rapid.TB, s *doctor.State) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func Heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// UUID1 and UUID2 are guids with dashes. Hex1 and Hex2 are guids without dashes.
const (
	UUID1 = "d17cae02-6c55-4f9f-b5d5-b82402ee572e"
	UUID2 = "381f220e-fef5-487f-ae4f-04ac14aaed1f"
	Hex1  = "7e04f85f07c84e2385b74d425234927c"
	Hex2  = "9cb226cb23864645aa23c5ee664203de"
)

func DialectID(d *dialect.Dialect) string {
	if d == nil {
		return "not recognised"
	}
	return d.ID
}
