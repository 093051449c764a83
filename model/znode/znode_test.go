package znode_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"electop/model/internal/modeltest"
	"electop/model/znode"
)

func TestParentCreates(t *testing.T) {
	for _, creates := range []uint32{0, 1, 12, 1<<30 - 1, 1 << 30, 1<<30 + 1, 3 << 29, 1<<31 - 2} {
		for _, children := range []int32{0, 1, 10000} {
			p := modeltest.Stat(1, creates, children)
			if n, ok := p.Creates(); n != creates || !ok {
				t.Errorf("%d creates, %d children: Creates = %d, %v; want %d, true", creates, children, n, ok, creates)
			}
		}
	}
	if p := modeltest.Stat(1, 1<<30, 0); p.Cversion >= 0 {
		t.Errorf("cversion of 2^30 creates = %d, want it negative", p.Cversion)
	}
	if n, ok := modeltest.Stat(1, 1<<31-1, 3).Creates(); ok {
		t.Errorf("after 2147483647 creates: Creates = %d, true; want false", n)
	}
}

func TestParentSince(t *testing.T) {
	const most = 1<<31 - 1
	for _, c := range []struct {
		name             string
		old, new         znode.Parent
		creates, deletes int
		ok               bool
	}{
		{"nothing", modeltest.Stat(1, 5, 3), modeltest.Stat(1, 5, 3), 0, 0, true},
		{"one create", modeltest.Stat(1, 5, 3), modeltest.Stat(1, 6, 4), 1, 0, true},
		{"one delete", modeltest.Stat(1, 5, 3), modeltest.Stat(1, 5, 2), 0, 1, true},
		{"creates and deletes", modeltest.Stat(1, 5, 3), modeltest.Stat(1, 9, 4), 4, 3, true},
		{"over 2^30", modeltest.Stat(1, 1<<30-3, 2), modeltest.Stat(1, 1<<30+4, 7), 7, 2, true},
		{"below the maximum", modeltest.Stat(1, most-5, 2), modeltest.Stat(1, most-1, 2), 4, 4, true},
		{"to the maximum", modeltest.Stat(1, most-5, 2), modeltest.Stat(1, most, 2), 0, 0, false},
		{"at the maximum, another child", modeltest.Stat(1, most, 2), modeltest.Stat(1, most, 3), 0, 0, false},
		{"at the maximum, no change", modeltest.Stat(1, most, 2), modeltest.Stat(1, most, 2), 0, 0, true},
		{"another parent", modeltest.Stat(1, 5, 3), modeltest.Stat(2, 6, 4), 0, 0, false},
		{"backwards", modeltest.Stat(1, 6, 4), modeltest.Stat(1, 5, 3), 0, 0, false},
		{"impossible counters", znode.Parent{Cversion: 1}, znode.Parent{Cversion: 2}, 0, 0, false},
	} {
		creates, deletes, ok := c.new.Since(c.old)
		if ok != c.ok || ok && (creates != c.creates || deletes != c.deletes) {
			t.Errorf("%s: Since = %d, %d, %v; want %d, %d, %v", c.name, creates, deletes, ok, c.creates, c.deletes, c.ok)
		}
	}
}

func TestNewData(t *testing.T) {
	b := []byte("host")
	d := znode.NewData(b)
	b[0] = 'g'
	if string(d.Bytes) != "host" || d.Length != 4 || d.Truncated() {
		t.Errorf("NewData = %q, %d, truncated %v; want an uncut copy", d.Bytes, d.Length, d.Truncated())
	}
	for shift := range 3 { // DataMax falls on another byte of 漢 each time
		long := strings.Repeat("x", shift) + strings.Repeat("\u6f22", znode.DataMax)
		d := znode.NewData([]byte(long))
		if !utf8.Valid(d.Bytes) || len(d.Bytes) > znode.DataMax || len(d.Bytes) < znode.DataMax-3 || !strings.HasPrefix(long, string(d.Bytes)) {
			t.Errorf("shift %d: %d bytes, UTF-8 %v; want a UTF-8 prefix of %d to %d", shift, len(d.Bytes), utf8.Valid(d.Bytes), znode.DataMax-3, znode.DataMax)
		}
		if d.Length != len(long) || !d.Truncated() {
			t.Errorf("shift %d: Length %d, want %d; truncated %v, want true", shift, d.Length, len(long), d.Truncated())
		}
	}
	if d := znode.NewData(bytes.Repeat([]byte{0x80}, 2*znode.DataMax)); len(d.Bytes) == 0 || len(d.Bytes) > znode.DataMax {
		t.Errorf("NewData kept %d bytes that are not UTF-8, want 1 to %d", len(d.Bytes), znode.DataMax)
	}
	if d := znode.NewData(bytes.Repeat([]byte{'x'}, znode.DataMax)); d.Truncated() {
		t.Error("NewData cut DataMax bytes, want all of them")
	}
}

func TestJoinBaseZxid(t *testing.T) {
	for _, c := range []struct{ parent, name, path string }{{"/", "n", "/n"}, {"/e", "n", "/e/n"}} {
		if got := znode.Join(c.parent, c.name); got != c.path || znode.Base(got) != c.name {
			t.Errorf("Join(%q, %q) = %q, want %q; its Base is %q, want %q", c.parent, c.name, got, c.path, znode.Base(got), c.name)
		}
	}
	for zxid, want := range map[int64]string{0x10000002a: "0x10000002a", -1: "0xffffffffffffffff"} {
		if got := znode.Zxid(zxid); got != want {
			t.Errorf("Zxid(%d) = %s, want %s", zxid, got, want)
		}
	}
}
