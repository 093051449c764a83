package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func samples() []Record {
	stat := Stat{
		Czxid: 1, Mzxid: 0x100000002, Ctime: 3, Mtime: 4, Version: 5, Cversion: math.MinInt32, Aversion: -1,
		EphemeralOwner: 0x100abcdef000001, DataLength: 9, NumChildren: 10, Pzxid: 11,
	}
	acl := []ACL{{Perms: PermAll, ID: ID{"world", "anyone"}}, {Perms: PermRead, ID: ID{"digest", "u:x"}}}
	create := CreateRequest{Path: "/a", Data: []byte("data"), ACL: acl, Flags: FlagEphemeral | FlagSequential}
	set := SetWatchesRequest{RelativeZxid: 7, Data: []string{"/d"}, Exist: nil, Child: []string{"/c", "", "/ä"}}
	return []Record{
		&stat, &Stat{},
		&ConnectRequest{LastZxidSeen: 9, Timeout: 4000, SessionID: -1, Passwd: make([]byte, 16)},
		&ConnectRequest{Timeout: 4000, Passwd: []byte{}, ReadOnly: true, HasReadOnly: true},
		&ConnectResponse{Timeout: 4000, SessionID: 0x100abcdef000001, Passwd: make([]byte, 16)},
		&ConnectResponse{HasReadOnly: true},
		&RequestHeader{Xid: XidPing, Op: OpPing},
		&ReplyHeader{Xid: XidWatch, Zxid: -1, Err: NoNode},
		&WatcherEvent{Type: EventNodeDeleted, State: StateConnected, Path: "/a"},
		&PathRequest{"/a"}, &PathRequest{}, &PathWatchRequest{"/a", true},
		&create, &CreateRequest{Path: "/null"},
		&SetACLRequest{"/a", acl, 3}, &WatcherTypeRequest{"/a", WatcherAny}, &AddWatchRequest{"/a", WatchPersistentRecursive},
		&set, &SetWatches2Request{set, []string{"/p"}, []string{"/r"}},
		&GetEphemeralsRequest{"/"}, &AuthRequest{0, "digest", []byte("u:p")},
		&PathResponse{"/a"}, &CreateResponse{"/a", stat}, &DataResponse{[]byte("x"), stat}, &DataResponse{},
		&SASLToken{[]byte("t")}, &SASLToken{}, &StringsResponse{[]string{"a", "b"}}, &Children2Response{[]string{"a"}, stat}, &ACLResponse{acl, stat},
		&CountResponse{7}, &ErrorResponse{NoAuth}, &WhoAmIResponse{[]ID{{"ip", "127.0.0.1"}}},
		&MultiRequest{}, &MultiRequest{[]MultiOp{
			{Op: OpCreate, Create: create}, {Op: OpCreate2, Create: create}, {Op: OpCreateContainer, Create: create},
			{Op: OpCreateTTL, Create: create, TTL: 5}, {Op: OpDelete, Path: "/a", Version: 1}, {Op: OpCheck, Path: "/a", Version: 2},
			{Op: OpSetData, Path: "/a", Data: []byte("x"), Version: 3}, {Op: OpDelete, NoPath: true},
		}},
		&MultiRequest{[]MultiOp{{Op: OpGetData, Path: "/a", Watch: true}, {Op: OpGetChildren, Path: "/a"}, {Op: OpGetData, NoPath: true}}},
		&CreateRequest{NoPath: true},
		&MultiResponse{}, &MultiResponse{[]MultiResult{
			{Op: OpCreate, Path: "/a"}, {Op: OpCreate2, Path: "/a", Stat: stat}, {Op: OpDelete}, {Op: OpCheck}, {Op: OpSetData, Stat: stat},
			{Op: OpGetData, Data: []byte("x"), Stat: stat}, {Op: OpGetChildren, Children: []string{"a"}}, {Op: OpError, Err: RuntimeInconsistency},
		}},
	}
}

func fresh(r Record) Record { return reflect.New(reflect.TypeOf(r).Elem()).Interface().(Record) }

func TestRoundTrip(t *testing.T) {
	for _, want := range samples() {
		b := Append(nil, want)
		got := fresh(want)
		d := NewDecoder(b)
		got.Fields(d)
		if d.Err() != nil || len(d.Rest()) != 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%T: error %v, %d bytes left\n got %+v\nwant %+v", want, d.Err(), len(d.Rest()), got, want)
		}
	}
}

func TestTruncatedRecordsAreMalformed(t *testing.T) {
	for _, whole := range samples() {
		b := Append(nil, whole)
		for n := range b {
			d := NewDecoder(b[:n:n])
			got := fresh(whole)
			got.Fields(d)
			if d.Err() == nil {
				switch whole.(type) {
				case *ConnectRequest, *ConnectResponse: // ReadOnly, the last byte, may be absent
					if n == len(b)-1 {
						continue
					}
				}
				t.Errorf("%T cut to %d of %d bytes decodes to %+v, want an error", whole, n, len(b), got)
			} else if !errors.Is(d.Err(), ErrMalformed) {
				t.Errorf("%T: error %v is not ErrMalformed", whole, d.Err())
			}
		}
	}
}

func TestLayout(t *testing.T) {
	for _, tt := range []struct {
		r    Record
		want string
	}{
		{&ConnectRequest{LastZxidSeen: 1, Timeout: 2, SessionID: 3, Passwd: []byte{4}, HasReadOnly: true},
			"\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x01" + "\x00\x00\x00\x02" + "\x00\x00\x00\x00\x00\x00\x00\x03" + "\x00\x00\x00\x01\x04" + "\x00"},
		{&ConnectResponse{Timeout: 2, SessionID: 3}, "\x00\x00\x00\x00" + "\x00\x00\x00\x02" + "\x00\x00\x00\x00\x00\x00\x00\x03" + "\xff\xff\xff\xff"},
		{&RequestHeader{Xid: XidPing, Op: OpPing}, "\xff\xff\xff\xfe\x00\x00\x00\x0b"},
		{&ReplyHeader{Xid: 1, Zxid: 2, Err: NoNode}, "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02\xff\xff\xff\x9b"},
		{&WatcherEvent{Type: 2, State: 3, Path: "/a"}, "\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x02/a"},
		{&StringsResponse{}, "\x00\x00\x00\x00"},
		{&MultiRequest{}, "\xff\xff\xff\xff\x01\xff\xff\xff\xff"},
		{&MultiResponse{[]MultiResult{{Op: OpError, Err: -2}}}, "\xff\xff\xff\xff\x00\xff\xff\xff\xfe\xff\xff\xff\xfe" + "\xff\xff\xff\xff\x01\xff\xff\xff\xff"},
	} {
		if got := string(Append(nil, tt.r)); got != tt.want {
			t.Errorf("%T: got %q, want %q", tt.r, got, tt.want)
		}
	}
	if n := len(Append(nil, &Stat{})); n != 68 {
		t.Errorf("Stat has %d bytes, want 68", n)
	}
}

func TestReadUnusualValues(t *testing.T) {
	text := func(d *Coder) any { var v string; d.String(&v); return v }
	path := func(d *Coder) any { var v string; d.Path(&v); return v }
	buffer := func(d *Coder) any { var v []byte; d.Buffer(&v); return v == nil }
	list := func(d *Coder) any { var v []string; d.Strings(&v); return len(v) }
	paths := func(d *Coder) any { var v []string; d.Paths(&v); return len(v) }
	for name, tt := range map[string]struct {
		in   string
		read func(*Coder) any
		want any
		bad  bool
	}{
		"null string":       {"\xff\xff\xff\xff", text, "", false},
		"null path":         {"\xff\xff\xff\xff", path, "", true},
		"null buffer":       {"\xff\xff\xff\xff", buffer, true, false},
		"empty buffer":      {"\x00\x00\x00\x00", buffer, false, false},
		"null vector":       {"\xff\xff\xff\xff", list, 0, false},
		"length -2":         {"\xff\xff\xff\xfe", text, "", true},
		"count -2":          {"\xff\xff\xff\xfe", list, 0, false},
		"null paths":        {"\xff\xff\xff\xff", paths, 0, true},
		"null in paths":     {"\x00\x00\x00\x01\xff\xff\xff\xff", paths, 0, true},
		"empty in paths":    {"\x00\x00\x00\x01\x00\x00\x00\x00", paths, 1, false},
		"huge buffer":       {"\x7f\xff\xff\xffabc", buffer, true, true},
		"huge vector":       {"\x7f\xff\xff\xff\x00\x00\x00\x00", list, 0, true},
		"vector too short":  {"\x00\x00\x00\x02\x00\x00\x00\x01a", list, 0, true},
		"huge ACL vector":   {"\x10\x00\x00\x00" + strings.Repeat("\x00", 24), func(d *Coder) any { var v []ACL; d.acls(&v); return len(v) }, 0, true},
		"bool of byte 0x7f": {"\x7f", func(d *Coder) any { var v bool; d.Bool(&v); return v }, true, false},
		"after a failure":   {"\x00\x00\x00\x09a\x00\x00\x00\x05", func(d *Coder) any { text(d); n := int32(7); d.Int32(&n); return n }, int32(0), true},
	} {
		d := NewDecoder([]byte(tt.in))
		if got := tt.read(d); got != tt.want || (d.Err() != nil) != tt.bad {
			t.Errorf("%s: got %v, error %v; want %v, error %t", name, got, d.Err(), tt.want, tt.bad)
		}
	}
}

func TestReadFrame(t *testing.T) {
	big := bytes.Repeat([]byte("0123456789"), 10_000)
	frame := AppendFrame(nil, &DataResponse{Data: big})
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader, "bytes": iotest.OneByteReader, "EOF with data": iotest.DataErrReader,
	} {
		got, err := ReadFrame(wrap(bytes.NewReader(frame)), MaxFrame)
		if err != nil || !bytes.Equal(got, frame[4:]) {
			t.Errorf("%s: read %d bytes, %v; want %d bytes", name, len(got), err, len(frame)-4)
		}
	}
	buf := make([]byte, 0, 1000)
	small := AppendFrame(nil, &CountResponse{5})
	got, err := ReadFrameInto(bytes.NewReader(small), buf, 4)
	if err != nil || &got[0] != &buf[:1][0] {
		t.Errorf("ReadFrameInto: %v; want a frame in the given buffer", err)
	}
	if got, err := ReadFrame(strings.NewReader("\x00\x00\x00\x00"), 0); err != nil || len(got) != 0 {
		t.Errorf("empty frame: got %q, %v; want no bytes", got, err)
	}
	for in, want := range map[string]error{
		"": io.EOF, "\x00\x00": io.ErrUnexpectedEOF, "\x00\x00\x00\x05": io.ErrUnexpectedEOF, "\x00\x00\x00\x05abc": io.ErrUnexpectedEOF,
	} {
		if _, err := ReadFrame(strings.NewReader(in), 100); err != want {
			t.Errorf("%q: got error %v, want %v", in, err, want)
		}
	}
	for in, size := range map[string]int32{"\x00\x00\x00\x65": 101, "\x7f\xff\xff\xff": math.MaxInt32, "\xff\xff\xff\xff": -1} {
		var e *FrameSizeError
		if _, err := ReadFrame(strings.NewReader(in), 100); !errors.As(err, &e) || e.Size != size || e.Max != 100 {
			t.Errorf("%q: got %v, want a FrameSizeError of %d bytes", in, err, size)
		}
	}
}

func TestLengthPrefixAloneAllocatesLittle(t *testing.T) {
	const times = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		ReadFrame(strings.NewReader("\x00\x0f\xff\xff"), MaxFrame)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 4*firstChunk {
		t.Errorf("%d bytes allocated for a length prefix alone, want at most %d", each, 4*firstChunk)
	}
}

func TestNamesOfCodesAndOperations(t *testing.T) {
	if s := NoNode.Error(); s != "zookeeper: NoNode (-101)" {
		t.Errorf("NoNode: got %q, want its name and number", s)
	}
	if s := Code(-9999).Error(); s != "zookeeper: Unknown (-9999)" {
		t.Errorf("code -9999: got %q, want Unknown and the number", s)
	}
	if OpSetWatches2.String() != "setWatches2" || Op(77).String() != "op 77" {
		t.Errorf("got names %q and %q, want setWatches2 and op 77", OpSetWatches2, Op(77))
	}
	seen := make(map[string]Op)
	for op := Op(-11); op <= 107; op++ {
		name := op.String()
		if other, dup := seen[name]; dup {
			t.Errorf("operations %d and %d are both named %q", other, op, name)
		}
		seen[name] = op
	}
}

func FuzzDecode(f *testing.F) {
	kinds := samples()
	for i, r := range kinds {
		f.Add(uint8(i), Append(nil, r))
	}
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		sample := kinds[int(kind)%len(kinds)]
		first, second := fresh(sample), fresh(sample)
		d := NewDecoder(data)
		if first.Fields(d); d.Err() != nil {
			if len(d.Rest()) > 0 {
				t.Errorf("%T: bytes left after an error", sample)
			}
			return
		}
		b := Append(nil, first)
		if len(b) > len(data)+64 {
			t.Errorf("%T: got %d encoded bytes of a record decoded from %d bytes, want at most 64 more", sample, len(b), len(data))
		}
		d = NewDecoder(b)
		if second.Fields(d); d.Err() != nil || len(d.Rest()) > 0 {
			t.Fatalf("%T encoded and decoded again: error %v, %d bytes left", sample, d.Err(), len(d.Rest()))
		}
		if !reflect.DeepEqual(first, second) {
			t.Errorf("%T:\n1st %+v\n2nd %+v", sample, first, second)
		}
	})
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x02bc"), uint16(16))
	f.Add(AppendFrame(nil, samples()[0]), uint16(100))
	f.Add([]byte("GET / HTTP/1.1"), uint16(5))
	f.Fuzz(func(t *testing.T, data []byte, max uint16) {
		r := bytes.NewReader(data)
		var buf, frames []byte
		for {
			var err error
			if buf, err = ReadFrameInto(r, buf, int(max)); err != nil {
				break
			}
			if len(buf) > int(max) {
				t.Fatalf("frame of %d bytes, limit %d", len(buf), max)
			}
			frames = append(binary.BigEndian.AppendUint32(frames, uint32(len(buf))), buf...)
		}
		if !bytes.HasPrefix(data, frames) {
			t.Errorf("got frames %q, want a prefix of %q", frames, data)
		}
	})
}
