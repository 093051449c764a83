package grid

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"electop/ui/term"
)

func TestShortNames(t *testing.T) {
	for _, c := range []struct {
		names []string
		w     int
		want  []string // nil: they cannot be told apart
	}{
		{[]string{"amber", "pine", "amber-2", "zephyr-12"}, 4, []string{"ambe", "pine", "am2", "ze12"}},
		{[]string{"pine", "amber-2", "zephyr-12"}, 4, []string{"pine", "am2", "ze12"}},
		{[]string{"student-1", "student-30", "student-300"}, 4, []string{"s1", "s30", "s300"}},
		{[]string{"student-1", "student-30", "student-300"}, 3, nil},
		{[]string{"student-1", "student-30"}, 20, []string{"student-1", "student-30"}},
		{[]string{"billing-1:8080", "billing-12:8080", "zoo-1:8080"}, 5, []string{"bil1", "bil12", "zoo1"}},
		{[]string{"worker-a", "worker-b"}, 4, nil},
		{[]string{"same-name", "same-name"}, 4, []string{"same", "same"}}, // they are called the same
		{[]string{"选举候选人", "家族-7"}, 5, []string{"选举", "家族7"}},
		{nil, 4, []string{}},
	} {
		if got := shortNames(c.names, c.w); !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%q in %d cells are %q, want %q", c.names, c.w, got, c.want)
		}
	}
}

// Whatever the names: none is wider than its cell, one that fits is whole, and different
// ones differ.
func TestShortNamesDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprint(rapid.SampledFrom([]string{"a", "ab", "student-", "选举", "n_000", "x.y:", ""}).Draw(t, "stem"), rapid.IntRange(0, 3000).Draw(t, "number"), rapid.SampledFrom([]string{"", ":80", "-n_"}).Draw(t, "end"))
		})
		names := rapid.SliceOfN(name, 0, 60).Draw(t, "names")
		w := rapid.IntRange(leastName, 12).Draw(t, "width")
		of := map[string]string{}
		for i, short := range shortNames(names, w) {
			switch other, ok := of[short]; {
			case term.Width(short) > w:
				t.Fatalf("%q is %q, wider than %d", names[i], short, w)
			case term.Width(names[i]) <= w && short != names[i]:
				t.Fatalf("%q fits and is %q", names[i], short)
			case ok && other != names[i]:
				t.Fatalf("%q and %q are both %q", other, names[i], short)
			}
			of[short] = names[i]
		}
	})
}
