package admin

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

// No reply that is within the bounds takes more memory than a few times the
// largest honest one: [1,1,1,... was 0.94 GB for 16 MiB.
func TestDenseReplies(t *testing.T) {
	table := large
	l := limit{table.bytes / 8, table.entries / 8, table.values / 8} // quicker
	const most = 560 << 20 / 8                                       // all garbage included; less than half of it at a time
	heads := map[string][3]string{
		"connections":     {"admin-connections", `{"command":"connections","error":null,"connections":[`, `]}`},
		"secure":          {"admin-connections", `{"command":"connections","error":null,"connections":[],"secure_connections":[`, `]}`},
		"other letters":   {"admin-connections", `{"command":"connections","error":null,"CONNECTIONS":[`, `]}`},
		"expiry":          {"admin-dump", `{"command":"dump","error":null,"session_id_to_ephemeral_paths":{},"expiry_time_to_session_ids":{"1":[`, `]}}`},
		"ephemerals":      {"admin-dump", `{"command":"dump","error":null,"expiry_time_to_session_ids":{},"session_id_to_ephemeral_paths":{"1":[`, `]}}`},
		"watches_by_path": {"admin-watches_by_path", `{"command":"watches_by_path","error":null,"path_to_session_ids":{"/a":[`, `]}}`},
	}
	for name, h := range heads {
		for _, element := range []string{"1", "{}", "[]", "null", `"1"`, `"/"`} {
			n := min(l.bytes/(len(element)+1), l.values) - 100
			if element == "{}" || element == "[]" {
				n = min(n, l.entries-100)
			}
			reply := h[1] + strings.Repeat(element+",", n) + element + h[2]
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			b, err := l.read(strings.NewReader(reply))
			if err != nil {
				t.Fatalf("%s of %d %s: %v", name, n, element, err)
			}
			_ = parsers[h[0]](b)
			runtime.ReadMemStats(&after)
			took := after.TotalAlloc - before.TotalAlloc
			if took > most {
				t.Errorf("%s of %d %s: %d bytes for %d", name, n, element, took, len(reply))
			}
		}
	}
	// The largest that is taken: session ids as short as they are.
	const session = "72057594037927936,"
	if _, err := table.read(strings.NewReader(strings.Repeat(session, table.bytes/len(session)))); err != nil {
		t.Errorf("session ids alone: %v", err)
	}
	reply := "[" + strings.Repeat("1,", table.bytes/2-2) + "1]"
	if _, err := table.read(strings.NewReader(reply)); !errors.Is(err, errTooLarge) {
		t.Errorf("16 MiB of [1,1,1: %v", err)
	}
}
