package model

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// slowly decodes a line as it is without the scanner.
func slowly(line []byte) (Observation, error) {
	var l entry
	if err := json.Unmarshal(line, &l); err != nil {
		return nil, err
	}
	if l.Cast != nil {
		return l.Cast, nil
	}
	if l.Table != nil {
		return l.Table, nil
	}
	return nil, nil
}

func lineOf(t rapid.TB, o Observation) []byte {
	var b bytes.Buffer
	if err := (&Encoder{&b}).Encode(o); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// vary gives every field a value, or some none.
func vary(t *rapid.T, v reflect.Value, all bool) {
	if !all && rapid.IntRange(0, 4).Draw(t, "nothing") == 0 {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
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
		words := []string{"a", "n_0000000001", "C := {12, … 3 more}", "日本", "~"}
		if !all && rapid.IntRange(0, 19).Draw(t, "odd") == 0 {
			words = append(words, "", `"`, `\`, "\x1b[2J", "\u202e", "\xff", "é\u0301", "\n")
		}
		v.SetString(rapid.SampledFrom(words).Draw(t, "string"))
	case reflect.Slice:
		n := 2
		if !all {
			n = rapid.IntRange(0, 3).Draw(t, "elements")
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			vary(t, v.Index(i), all)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			vary(t, v.Field(i), all)
		}
	default:
		t.Fatalf("teach vary what to put into a %s", v.Type())
	}
}

// The scanner knows every field that there is; one that is added and not told
// to it makes large recordings slow to open.
func TestScannerKnowsAllFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, o := range []Observation{&Cast{}, &ServerTable{}} {
			vary(t, reflect.ValueOf(o).Elem(), true)
			line := lineOf(t, o)
			if got := scanLine(line); got == nil || !cmp.Equal(o, got) {
				t.Fatalf("%s\nis scanned as %+v (see scanned.go)", line, got)
			}
		}
	})
}

// What the scanner takes for its own it reads as encoding/json does.
func TestScannerIsRight(t *testing.T) {
	scanned := 0
	rapid.Check(t, func(t *rapid.T) {
		for _, o := range []Observation{&Cast{}, &ServerTable{}} {
			vary(t, reflect.ValueOf(o).Elem(), false)
			line := lineOf(t, o)
			if rapid.Bool().Draw(t, "damaged") && len(line) > 0 {
				i := rapid.IntRange(0, len(line)-1).Draw(t, "where")
				switch rapid.IntRange(0, 2).Draw(t, "how") {
				case 0:
					line[i] = rapid.SampledFrom([]byte(`0195-"\,:{}[]etnZT. x`)).Draw(t, "byte")
				case 1:
					line = line[:i]
				default: // a piece twice
					line = append(line[:i:i], line[max(0, i-rapid.IntRange(1, 30).Draw(t, "bytes")):]...)
				}
			}
			got := scanLine(line)
			if got == nil {
				continue
			}
			scanned++
			want, err := slowly(line)
			if err != nil || !reflect.DeepEqual(want, got) {
				t.Fatalf("%s\nis %+v, %v\nand is scanned as %+v", line, want, err, got)
			}
		}
	})
	if scanned < 50 {
		t.Errorf("only %d lines were scanned: the test shows little", scanned)
	}
}

func FuzzScanner(f *testing.F) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for _, o := range []Observation{
		&Cast{At: at, Member: Member{ID: "a", Name: "b", You: true, Session: 1 << 63, Step: 3, StepAt: at, Fence: -1, Timeout: time.Second}, Gone: true},
		&ServerTable{At: at, End: at, Whole: true, Servers: []Server{{
			Addr: "a:1", Basic: Answer{State: Answered, At: at}, Clients: []ServerConn{{Session: 1, Addr: "b", Established: at}},
			Deadlines: []Deadline{{Session: 1, At: 5, Wall: true}}, Ephemerals: []Ephemeral{{1, "/e/x"}}, Watched: []Watch{{"/e/x", []uint64{1, 2}}},
		}}, Anchors: []Anchor{{Session: 9, Sent: at, Answered: at}}},
	} {
		line := lineOf(f, o)
		f.Add(line)
		f.Add([]byte(strings.Replace(string(line), "2026-01-02", "2026-02-30", 1)))
		f.Add([]byte(strings.Replace(string(line), "true", "false", 1)))
		f.Add([]byte(strings.Replace(string(line), ":1", ":01", 1)))
		f.Add([]byte(strings.Replace(string(line), "{", "{ ", 1)))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got := scanLine(line)
		if got == nil {
			return
		}
		want, err := slowly(line)
		if err != nil || !reflect.DeepEqual(want, got) {
			t.Fatalf("%s\nis %+v, %v\nand is scanned as %+v", line, want, err, got)
		}
	})
}
