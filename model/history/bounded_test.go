package history

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/session"
	"electop/model/znode"
)

// TestDenseLines: a hostile line of any list takes a bounded amount of memory, and one
// with too many items is refused before anything is decoded.
func TestDenseLines(t *testing.T) {
	decode := func(line string) (took uint64, err error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = decoded([]byte(line))
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, err
	}
	for _, around := range [][2]string{
		{`{"table":{"servers":[`, `]}}`},
		{`{"table":{"anchors":[`, `]}}`},
		{`{"table":{"servers":[{"clients":[`, `]}]}}`},
		{`{"table":{"servers":[{"watched":[{"sessions":[`, `]}]}]}}`},
		{`{"read":{"new":[`, `]}}`},
		{`{"pace":{"held":[`, `]}}`},
		{`{"table":{"servers":[{}]},"table":{"ſer\u0076ers":[`, `]}}`},
		{`{"x":{"y":["]}\"",{"z":[[]]}]},"table":{"servers":[`, `]}}`},
	} {
		for _, element := range []string{`{}`, `0`, `[]`, `""`, `null`, `[0]`, `{"x":{}}`, "{ }"} {
			list := func(n int) string { return around[0] + strings.Repeat(element+",", n) + element + around[1] }
			// All garbage of a list that grows to a few thousand elements.
			if took, _ := decode(list(4000)); took > 20<<20 {
				t.Errorf("%s%s…: %d bytes for 4,000", around[0], element, took)
			}
			line := list(itemsMax)
			took, err := decode(line)
			if err == nil || !strings.Contains(err.Error(), " items: this version reads ") || took > uint64(8*len(line)) {
				t.Errorf("%s%s…: %d bytes for a line of %d: %v", around[0], element, took, len(line), err)
			}
		}
	}
}

// TestLargeLines: what electop writes of 20,000 candidates can be read again, and what
// three servers report of 18,000: each of them lists all ephemeral znodes.
func TestLargeLines(t *testing.T) {
	read, server := &model.Read{At: time.Unix(1, 0)}, session.Server{}
	for i := range 20_000 {
		name, id := fmt.Sprintf("guid-n_%010d", i), uint64(0x10000<<40+i)
		read.New = append(read.New, znode.Znode{Name: name, Data: znode.NewData([]byte("10.0.0.1, a"))})
		if i >= 18_000 {
			continue
		}
		server.Clients = append(server.Clients, session.Client{Session: id})
		server.Deadlines = append(server.Deadlines, session.Deadline{Session: id})
		server.Ephemerals = append(server.Ephemerals, session.Ephemeral{Session: id})
		server.Watched = append(server.Watched, session.Watch{Path: "/election/" + name, Sessions: []uint64{id}})
	}
	other := session.Server{Ephemerals: server.Ephemerals}
	for _, o := range []model.Observation{read, &session.Table{Servers: []session.Server{server, other, other}}} {
		if _, err := decoded(lineOf(t, o)); err != nil {
			t.Errorf("%T: %v", o, err)
		}
	}
	if err := (&Encoder{}).Encode(&model.Read{Gone: make([]string, itemsMax)}); err == nil {
		t.Error("a line that cannot be read again was written")
	}
}
