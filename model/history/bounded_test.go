package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/boundedjson"
	"electop/model/session"
	"electop/model/znode"
)

// dense are lines of about n bytes that would be hundreds of times as much in
// memory, and lines with which that was tried in vain.
func dense(n int) map[string]string {
	list := func(head, element, tail string) string {
		k := n / (len(element) + 1)
		return head + strings.Repeat(element+",", k) + element + tail
	}
	lines := make(map[string]string)
	for name, around := range map[string][2]string{
		"servers":                {`{"table":{"servers":[`, `]}}`},
		"anchors":                {`{"table":{"anchors":[`, `]}}`},
		"clients":                {`{"table":{"servers":[{"clients":[`, `]}]}}`},
		"deadlines":              {`{"table":{"servers":[{"deadlines":[`, `]}]}}`},
		"ephemerals":             {`{"table":{"servers":[{"ephemerals":[`, `]}]}}`},
		"watched":                {`{"table":{"servers":[{"watched":[`, `]}]}}`},
		"sessions":               {`{"table":{"servers":[{"watched":[{"sessions":[`, `]}]}]}}`},
		"new":                    {`{"read":{"new":[`, `]}}`},
		"gone":                   {`{"read":{"gone":[`, `]}}`},
		"held":                   {`{"pace":{"held":[`, `]}}`},
		"notified":               {`{"wake":{"notified":[`, `]}}`},
		"other letters":          {`{"TABLE":{"ServerS":[`, `]}}`},
		"the long s":             {`{"table":{"ſervers":[`, `]}}`},
		"escapes":                {`{"t\u0061ble":{"\u0073ervers":[`, `]}}`},
		"spaces":                 {"{ \"table\" :\t{ \"servers\" : [ ", ` ] } }`},
		"behind what is unknown": {`{"x":{"y":["]}",{"z":[[]]}]},"table":{"servers":[`, `]}}`},
		"twice":                  {`{"table":{"servers":[{}]},"table":{"servers":[`, `]}}`},
	} {
		for _, element := range []string{`{}`, `0`, `[]`, `""`, `null`, `[0]`, `{"x":{}}`, "{ }"} {
			lines[name+" of "+element] = list(around[0], element, around[1])
		}
	}
	lines["the same field"] = list(`{"table":{`, `"servers":[{},{},{}]`, `}}`)
	lines["what is unknown"] = list(`{"x":[`, `{"y":[[],{}]}`, `],"advance":{}}`)
	lines["depth"] = `{"table":{"servers":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	lines["servers with servers"] = list(`{"table":{"servers":[`, `{"servers":[],"watched":[{},{}]}`, `]}}`)
	return lines
}

// allocated is what f allocates, garbage included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Whatever a line holds, it takes memory in proportion to its length: what is
// allowed, ten times, as lists are copied while they grow, and its text.
func TestDenseLines(t *testing.T) {
	const n = 1 << 17
	var header bytes.Buffer
	if _, err := NewEncoder(&header, NewHeader(model.Config{Path: "/e"}, time.Unix(0, 0).UTC())); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for name, line := range dense(n) {
		var err error
		took := allocated(func() {
			var dec *Decoder
			if dec, _, err = NewDecoder(io.MultiReader(bytes.NewReader(header.Bytes()), strings.NewReader(line+"\n"))); err == nil {
				_, err = dec.Decode()
			}
		})
		if most := uint64(10*boundedjson.Allowed(len(line)) + 8*len(line)); took > most {
			t.Errorf("%s: %d bytes for a line of %d, more than %d", name, took, len(line), most)
		}
		if errors.Is(err, boundedjson.ErrDense) {
			refused++
			if !strings.Contains(err.Error(), "line 2: too many items for its length: ") || strings.ContainsFunc(err.Error(), znode.Unsafe) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if refused < 60 {
		t.Errorf("%d lines were refused: the test shows little", refused)
	}
	// One that hides beside much else is as one that does not.
	var v entry
	if err := boundedjson.Unmarshal([]byte(`{"connection":{"err":"`+strings.Repeat("x", n)+`"},"table":{"servers":[{},{},{}]}}`), &v); err != nil || len(v.Table.Servers) != 3 {
		t.Errorf("three servers in a long line: %v", err)
	}
}

// What electop writes itself is never refused: not the densest there is either.
func TestWrittenLinesAreNotDense(t *testing.T) {
	const n = 3000
	emptyWatches := func() (all []session.Watch) {
		for range n {
			all = append(all, session.Watch{Sessions: []uint64{}})
		}
		return all
	}
	for _, o := range []model.Observation{
		&session.Table{Servers: make([]session.Server, n)},
		&session.Table{Anchors: make([]session.Anchor, n)},
		&session.Table{Servers: []session.Server{{Clients: make([]session.Client, n)}, {Deadlines: make([]session.Deadline, n)}, {Ephemerals: make([]session.Ephemeral, n)}}},
		&session.Table{Servers: []session.Server{{Watched: make([]session.Watch, n)}, {Watched: emptyWatches()}, {Watched: []session.Watch{{Sessions: make([]uint64, n)}}}}},
		&model.Read{New: make([]znode.Znode, n), Gone: make([]string, n)},
		&model.Pace{Held: make([]model.Message, n)},
		&model.Deadlines{Sessions: make([]model.Deadline, n)},
		&model.Wake{Notified: make([]uint64, n)},
		&model.Directory{Names: make([]string, n), Children: make([]znode.Znode, n)},
	} {
		line := lineOf(t, o)
		if _, err := (Line{text: line}).Decode(); err != nil {
			t.Errorf("%.60s…: %v", line, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for _, o := range []model.Observation{&model.Read{}, &model.Delta{}, &model.Follow{}, &model.Pace{}, &model.Deadlines{}, &model.Wake{}, &session.Table{}, &model.Cast{}, &model.Connection{}, &model.Write{}, &model.Ack{}, &model.Directory{}, &model.Refresh{}} {
			vary(t, reflect.ValueOf(o).Elem(), false)
			if _, err := (Line{text: lineOf(t, o)}).Decode(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// The measure is that of the real thing: what it says of any text is what its
// lists and maps take after decoding.
func FuzzUnmarshal(f *testing.F) {
	for _, line := range dense(40) {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"table":{"servers":[{"watched":[{"path":"/e/x","sessions":[1,2]},{}]},{}],"anchors":[{}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v entry
		_, memory := entryShape().Measure(text)
		if json.Unmarshal(text, &v) != nil {
			return
		}
		if took := itemBytes(reflect.ValueOf(&v)); took > memory {
			t.Errorf("%s\ntakes %d, measured %d", text, took, memory)
		}
	})
}

// itemBytes is what the elements below v take, and what pointers point to.
func itemBytes(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Type().Name() != "Location" {
			n = int(v.Elem().Type().Size()) + itemBytes(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += itemBytes(v.Field(i))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return 0 // counts as a string
		}
		for i := range v.Len() {
			n += int(v.Type().Elem().Size()) + itemBytes(v.Index(i))
		}
	}
	return n
}
