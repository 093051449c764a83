package zkserver_test

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

// word sends a four-letter word and returns the answer.
func word(t testing.TB, addr, w string) string {
	t.Helper()
	nc := dialTCP(t, addr)
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(nc, w); err != nil {
		t.Fatalf("%s: %v", w, err)
	}
	answer, err := io.ReadAll(nc)
	if err != nil {
		t.Fatalf("%s: %v after %q", w, err, answer)
	}
	return string(answer)
}

var shapes = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?m)^Zookeeper version: 3\.8\.0-[^,]+, built on \S+ \S+ UTC`), "VERSION"},
	{regexp.MustCompile(`\w{3} \w{3} \d{2} \d\d:\d\d:\d\d \w+ \d{4}`), "DATE"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "ADDR"},
	{regexp.MustCompile(`0x[0-9a-f]{12,}`), "SESSION"},
	{regexp.MustCompile(`0x[0-9a-f]+`), "HEX"},
	{regexp.MustCompile(`\d+\.\d+`), "FLOAT"},
	{regexp.MustCompile(`(?m)^(data(Log)?(Dir|Size|DirSize))=.*`), "$1="},
	{regexp.MustCompile(`Outstanding: -\d+`), "Outstanding: N"}, // Apache counts without a lock
	{regexp.MustCompile(`\b\d+\b`), "N"},
}

// shape replaces what differs from run to run.
func shape(s string) string {
	for _, r := range shapes {
		s = r.re.ReplaceAllString(s, r.with)
	}
	return s
}

// TestFourLetterLayout compares the layout of every word with Apache's, in the
// same situation.
func TestFourLetterLayout(t *testing.T) {
	situation := func(addr string) map[string]string {
		a, b := dialRaw(t, addr), dialRaw(t, addr)
		defer a.must(wire.OpCloseSession, nil, nil)
		defer b.must(wire.OpCloseSession, nil, nil)
		a.create("/w", 0)
		defer a.must(wire.OpDelete, &wire.PathVersionRequest{Path: "/w", Version: -1}, nil)
		a.create("/w/e", wire.FlagEphemeral)
		a.create("/w/f", wire.FlagEphemeral)
		defer a.must(wire.OpDelete, &wire.PathVersionRequest{Path: "/w/e", Version: -1}, nil)
		defer a.must(wire.OpDelete, &wire.PathVersionRequest{Path: "/w/f", Version: -1}, nil)
		b.create("/w/g", wire.FlagEphemeral)
		defer b.must(wire.OpDelete, &wire.PathVersionRequest{Path: "/w/g", Version: -1}, nil)
		b.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/w/e", Watch: true}, &wire.DataResponse{})
		b.call(wire.OpExists, &wire.PathWatchRequest{Path: "/absent", Watch: true}, nil)
		b.must(wire.OpGetChildren, &wire.PathWatchRequest{Path: "/w", Watch: true}, &wire.StringsResponse{})
		answers := make(map[string]string)
		for _, w := range []string{"ruok", "srvr", "cons", "dump", "wchs", "wchp", "conf", "mntr"} {
			answers[w] = word(t, addr, w)
		}
		return answers
	}
	_, addr := zkserver.Start(t, zkserver.Options{})
	ours := situation(addr)
	theirs := situation(zktest.Apache(t).Addr)
	for w, want := range theirs {
		want, got := shape(want), shape(ours[w])
		switch w {
		case "mntr": // a part of Apache's lines, in its order
			var kept []string
			for line := range strings.Lines(want) {
				if key, _, _ := strings.Cut(line, "\t"); strings.Contains(got, key+"\t") {
					kept = append(kept, key)
				}
			}
			var keys []string
			for line := range strings.Lines(got) {
				key, _, _ := strings.Cut(line, "\t")
				keys = append(keys, key)
			}
			slices.Sort(kept)
			slices.Sort(keys)
			if diff := cmp.Diff(kept, keys); diff != "" {
				t.Errorf("mntr has keys that Apache has not (-apache +embedded):\n%s", diff)
			}
			for _, key := range []string{"zk_watch_count", "zk_ephemerals_count", "zk_server_state", "zk_approximate_data_size"} {
				if a, b := line(theirs[w], key), line(ours[w], key); a != b {
					t.Errorf("mntr: %q, Apache says %q", b, a)
				}
			}
		case "dump", "wchp", "cons": // sets in any order, deadlines grouped by chance
			want, _, _ = strings.Cut(want, "Connections dump:\n") // nobody reads it
			if diff := cmp.Diff(setOfLines(want), setOfLines(got)); diff != "" {
				t.Errorf("%s (-apache +embedded):\n%s\nraw:\n%s\nApache:\n%s", w, diff, ours[w], theirs[w])
			}
		default:
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-apache +embedded):\n%s", w, diff)
			}
		}
	}
}

func line(text, key string) string {
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, key+"\t") {
			return l
		}
	}
	return ""
}

func setOfLines(text string) []string {
	lines := strings.Split(text, "\n")
	// [0] and [1] depend on whether a reply is on its way.
	for i, l := range lines {
		lines[i] = regexp.MustCompile(`\[N\]\(queued=N,recved=N,sent=N`).ReplaceAllString(l, "[N](")
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func TestFourLetterValues(t *testing.T) {
	s, addr := zkserver.Start(t, zkserver.Options{MaxSessionTimeout: 30 * time.Second})
	a := dialRaw(t, addr)
	a.create("/n", 0)
	a.create("/n/e", wire.FlagEphemeral)
	a.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/n/e", Watch: true}, &wire.DataResponse{})
	id := sessionHex(a)
	for w, want := range map[string][]string{
		"ruok": {"imok"},
		"srvr": {"Mode: standalone\n", "Node count: 7\n", "Zxid: 0x3\n"},
		"wchs": {"1 connections watching 1 paths\nTotal watches:1\n"},
		"wchp": {"/n/e\n\t" + id + "\n"},
		"dump": {"Session Sets (1)/(1):\n1 expire at ", "\t" + id + "\n", "Sessions with Ephemerals (1):\n" + id + ":\n\t/n/e\n"},
		"cons": {",sid=" + id + ",lop=GETD,", ",to=10000,lcxid=0x3,lzxid=0x3,"},
		"conf": {"tickTime=100\n", "maxSessionTimeout=30000\n", "clientPort=" + addr[strings.LastIndex(addr, ":")+1:] + "\n"},
		"envi": {"zookeeper.version=3.8.0"},
	} {
		got := word(t, addr, w)
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s lacks %q:\n%s", w, part, got)
			}
		}
	}
	// A line ending may follow, as telnet and echo send it.
	for _, w := range []string{"ruok\n", "ruok\r\n"} {
		if got := word(t, addr, w); got != "imok" {
			t.Errorf("%q answers %q", w, got)
		}
	}
	if n := s.Counters().Panics; n > 0 {
		t.Errorf("%d panics", n)
	}
}
