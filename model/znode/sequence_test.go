package znode_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"electop/model/znode"
)

const (
	uuid = "7f0c9a52-6b1e-4c3d-9e8f-0123456789ab"
	hex  = "0123456789abcdef0123456789abcdef"
)

var sequenceNames = []struct {
	name string
	want int64
	ok   bool
}{
	{"n_0000000012", 12, true},
	{"guid-n_0000000012", 12, true},
	{"candidate-9007199254740993_0000000012", 12, true},
	{"_c_" + uuid + "-latch-0000000001", 1, true},
	{"_c_" + uuid + "-latch-1000000000", 1000000000, true},
	{"_c_" + uuid + "-lock-0000000007", 7, true},
	{"_c_" + uuid + "-__READ__0000000003", 3, true},
	{"_c_" + uuid + "-__WRIT__0000000004", 4, true},
	{"_c_" + uuid + "-lease-0000000005", 5, true},
	{hex + "__lock__0000000009", 9, true},
	{hex + "__rlock__0000000010", 10, true},
	{"x-72057594037927936-0000000002", 2, true},
	{"_c_" + hex + "-lock-0000000011", 11, true},
	{"_c_" + hex + "-p_0000000013", 13, true},
	{"le_0000000014", 14, true},
	{"DONE", 0, false},
	{"72057594037927936-core_node1-n_0000000015", 15, true},
	{"json.info_0000000016", 16, true},
	{"log_replicas", 0, false},
	{"member_0000000017", 17, true},
	{"leader_election-0000000018", 18, true},
	{"lock-0000000019", 19, true},
	{"read-0000000020", 20, true},
	{"write-0000000021", 21, true},
	{"ex0000000001", 1, true},
	{"controller", 0, false},
	{"ActiveStandbyElectorLock", 0, false},
	{"ActiveBreadCrumb", 0, false},

	{"n_2147483647", 2147483647, true},
	{"n_-2147483648", -2147483648, true},
	{"lock--2147483648", -2147483648, true},
	{"n_-1000000000", -1000000000, true},
	{"latch-2147483648", -2147483648, true}, // too large without the sign
	{"latch-2147483647", 2147483647, true},  // fits without the sign
	{"latch-2147483649", 0, false},          // too large with and without the sign
	{"job-1795187631811", 0, false},         // the end of a time stamp
	{"n_-0000000001", 1, true},              // no sign: -1 is written with nine digits
	{"n_-0999999999", 999999999, true},
	{"x1-2000000000", 2000000000, true},
	{"\u00e9-2000000000", 2000000000, true},
	{"-2147483648", -2147483648, true},
	{"0000000000", 0, true},
	{"n_00000000123", 123, true}, // the last ten digits count
	{"n_10000000001", 1, true},
	{"n_000000001", 0, false},
	{"", 0, false},
	{"n_000000000a", 0, false},
	{"n_\u0660\u0660\u0660\u0660\u0660", 0, false},
}

func TestSequence(t *testing.T) {
	for _, c := range sequenceNames {
		if got, ok := znode.Sequence(c.name); got != c.want || ok != c.ok {
			t.Errorf("Sequence(%q) = %d, %v; want %d, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

func FuzzSequence(f *testing.F) {
	for _, c := range sequenceNames {
		f.Add(c.name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		seq, ok := znode.Sequence(name)
		if !ok {
			if seq != 0 {
				t.Fatalf("Sequence(%q) = %d, false; want 0", name, seq)
			}
			tail := name[max(0, len(name)-znode.SequenceDigits):]
			if len(tail) == znode.SequenceDigits && strings.Trim(tail, "0123456789") == "" && tail <= "2147483647" {
				t.Fatalf("Sequence(%q) found no number, want %s", name, tail)
			}
			return
		}
		abs, err := strconv.ParseInt(name[len(name)-znode.SequenceDigits:], 10, 64)
		if err != nil || seq != abs && seq != -abs {
			t.Fatalf("Sequence(%q) = %d; the digits are %d, %v", name, seq, abs, err)
		}
		if seq < 0 && (abs < 1000000000 || name[len(name)-11] != '-') {
			t.Fatalf("Sequence(%q) = %d, want it negative only at -1000000000 or below, after a \"-\"", name, seq)
		}
		n := abs & 0x7fffffff
		if got, ok := znode.Sequence(name + fmt.Sprintf("_%010d", n)); !ok || got != n {
			t.Fatalf("Sequence(%q + _%010d) = %d, %v; want the number", name, n, got, ok)
		}
	})
}
