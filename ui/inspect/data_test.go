package inspect

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"electop/model/znode"
)

func TestDataText(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"", ""}, {"amber\n", "amber"}, {"a\tb", `a\tb`}, {"{\"a\":1}\n{}", `{"a":1}\n{}`},
		{"\x00\x01", "00000000  00 01                                             |..|"},
	} {
		if got := dataText(znode.NewData([]byte(c.data))); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.data, got, c.want)
		}
	}
	if got := dataText(znode.NewData(bytes.Repeat([]byte{0x1b}, 10000))); strings.Count(got, "\n") != 8 || strings.ContainsFunc(strings.ReplaceAll(got, "\n", ""), unicode.IsControl) {
		t.Errorf("much binary data: %q", got)
	}
}
