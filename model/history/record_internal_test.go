package history

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"electop/model"
	"electop/model/session"
	"electop/model/znode"
)

func lineOf(t rapid.TB, o model.Observation) []byte {
	var b bytes.Buffer
	if err := (&Encoder{&b}).Encode(o); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func decoded(line []byte) (model.Observation, error) {
	return (&Decoder{r: bufio.NewReader(bytes.NewReader(append(line, '\n'))), max: lineMax}).Decode()
}

func vary(t *rapid.T, v reflect.Value) {
	if x, ok := v.Addr().Interface().(*time.Time); ok {
		*x = time.Unix(rapid.Int64Range(-1<<33, 1<<33).Draw(t, "seconds"), rapid.SampledFrom([]int64{0, 1, 500e6, 123456789, 999999999}).Draw(t, "ns")).UTC()
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Filter(func(n int64) bool { return n != 0 }).Draw(t, "int"))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Byte().Draw(t, "byte")))
	case reflect.Int32:
		v.SetInt(int64(rapid.Int32().Draw(t, "int")))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64Min(1).Draw(t, "uint"))
	case reflect.String:
		v.SetString(rapid.SampledFrom([]string{"a", "n_0000000001", "C := {12, … 3 more}", "日本", "~"}).Draw(t, "string"))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			vary(t, v.Index(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		vary(t, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			vary(t, v.Field(i))
		}
	default:
		t.Fatalf("vary has no value for a %s", v.Type())
	}
}

func TestRecordingKeepsEveryField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := reflect.TypeFor[entry]()
		for i := range entries.NumField() {
			o := reflect.New(entries.Field(i).Type.Elem())
			vary(t, o.Elem())
			line := lineOf(t, o.Interface().(model.Observation))
			got, err := decoded(line)
			if diff := cmp.Diff(o.Interface(), got); err != nil || diff != "" {
				t.Fatalf("decoding %s: error %v; want (-) and got (+):\n%s", line, err, diff)
			}
		}
	})
}

func TestOlderStepsAreDecoded(t *testing.T) {
	for _, c := range []struct {
		step model.Step
		text string
		want model.Member
	}{
		{model.StepCreate, "1f2e3d4c…-n_", model.Member{StepOn: model.StepOn{Name: "1f2e3d4c…-n_"}}},
		{model.StepCreate, "found by its name", model.Member{StepOn: model.StepOn{Found: true}}},
		{model.StepList, "C := {1, 2, hello}", model.Member{StepOn: model.StepOn{Children: []string{"1", "2", "hello"}}}},
		{model.StepLowest, "C := {1, 2, 3, 4, 5, 6, 7, 8, … 201 more}", model.Member{StepOn: model.StepOn{Children: strings.Fields("1 2 3 4 5 6 7 8"), More: 201}}},
		{model.StepWatch, "12", model.Member{StepOn: model.StepOn{Name: "12"}}},
		{model.StepAcknowledge, "election-leader", model.Member{StepOn: model.StepOn{Name: "election-leader"}}},
		{model.StepNone, "session expired", model.Member{Reason: "session expired"}},
		{model.StepLead, "", model.Member{}},
	} {
		line := fmt.Sprintf(`{"cast":{"at":"2026-01-02T03:04:05Z","member":{"id":"a","name":"amber","step":%d,"detail":%q}}}`, c.step, c.text)
		o, err := decoded([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		m := o.(*model.Cast).Member
		if !m.StepOn.Equal(c.want.StepOn) || m.Reason != c.want.Reason || m.Step != c.step || m.Name != "amber" {
			t.Errorf("%q of step %d is decoded as %+v, want StepOn %+v, Reason %q", c.text, c.step, m, c.want.StepOn, c.want.Reason)
		}
	}
}

func TestOlderDeadlinesAreDecoded(t *testing.T) {
	o, err := decoded([]byte(`{"deadlines":{"at":"2026-01-02T03:04:05Z","sessions":[{"session":1,"expires":"2026-01-02T03:04:09Z"}]}}`))
	if a, ok := o.(*model.Advance); !ok || err != nil || a.At.Second() != 5 {
		t.Errorf("decoded as %T %+v, error %v; want an Advance at 03:04:05", o, o, err)
	}
}

type endless struct{ n int }

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	e.n += len(b)
	return len(b), nil
}

func TestOnlyTooLongLinesAreRefused(t *testing.T) {
	const bound = 1 << 20
	var b bytes.Buffer
	if _, err := NewEncoder(&b, NewHeader(model.Config{Path: "/e"}, time.Unix(0, 0).UTC())); err != nil {
		t.Fatal(err)
	}
	header := b.String()
	line := string(lineOf(t, &model.Connection{Link: model.Connected, Server: "127.0.0.1:2181"})) + "\n"
	e := &endless{}
	dec, _, err := newDecoder(io.MultiReader(strings.NewReader(header), e), bound)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := dec.Decode(); err == nil || !strings.Contains(err.Error(), "line 2 is over") {
			t.Errorf("Decode = %v, want an error for line 2", err)
		}
	}
	if e.n > 2*bound {
		t.Errorf("%d bytes read, want at most %d", e.n, 2*bound)
	}
	if _, _, err := newDecoder(&endless{}, bound); err == nil {
		t.Error("newDecoder accepted an endless header")
	}
	long := strings.Replace(line, "127.0.0.1:2181", strings.Repeat("y", bound/2), 1)
	d, _, err := NewDecoder(iotest.HalfReader(strings.NewReader(header + long + long)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, err := d.Decode(); i < 2 && err != nil || i == 2 && err != io.EOF {
			t.Errorf("Decode %d of two long lines: error %v, want none, none and EOF", i, err)
		}
	}
}

func TestHostileLinesNeedLittleMemory(t *testing.T) {
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
			// The limit includes the garbage of growing slices.
			if took, _ := decode(list(4000)); took > 20<<20 {
				t.Errorf("%s%s…: %d bytes of memory for 4,000 elements, want at most %d", around[0], element, took, 20<<20)
			}
			line := list(itemsMax)
			took, err := decode(line)
			if err == nil || !strings.Contains(err.Error(), " items: this version of electop reads at most ") || took > uint64(8*len(line)) {
				t.Errorf("%s%s…: a line of %d bytes took %d bytes of memory, error %v; want at most %d, an error", around[0], element, len(line), took, err, 8*len(line))
			}
		}
	}
}

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
	if err := (&Encoder{io.Discard}).Encode(&model.Read{Gone: make([]string, itemsMax)}); err == nil {
		t.Error("Encode wrote a line with too many items, want an error")
	}
}
