package model

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

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

// Every field that there is can be read back.
func TestRecordingKeepsEveryField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := reflect.TypeFor[entry]()
		for i := range entries.NumField() {
			o := reflect.New(entries.Field(i).Type.Elem())
			vary(t, o.Elem(), true)
			line := lineOf(t, o.Interface().(Observation))
			got, err := (Line{text: line}).Decode()
			if diff := cmp.Diff(o.Interface(), got); err != nil || diff != "" {
				t.Fatalf("%s\nis read as (+), %v:\n%s", line, err, diff)
			}
		}
	})
}
