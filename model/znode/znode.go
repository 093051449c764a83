// Package znode has the parts of znodes as plain values: names and their sequence numbers, stats,
// data of bounded length, and the text forms of zxids and session ids.
//
// Every client with write access can choose names and data. Only [Safe] makes them safe for a
// terminal, a log or a message, and only [SafeJSON] for a line of JSON.
package znode

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// DataMax bounds the bytes kept of a znode's data, which may be a megabyte.
const DataMax = 4096

// Data is the content of a znode, cut to [DataMax] bytes.
type Data struct {
	Bytes  []byte `json:"bytes,omitempty"`
	Length int    `json:"length"`           // of the uncut data, in bytes
	Denied bool   `json:"denied,omitempty"` // the ACL forbids reading the data
}

// NewData returns a copy of at most [DataMax] bytes of b.
func NewData(b []byte) Data {
	d := Data{Length: len(b)}
	if len(b) > DataMax {
		cut := DataMax
		for cut > DataMax-utf8.UTFMax && !utf8.RuneStart(b[cut]) {
			cut-- // do not cut a code point
		}
		b = b[:cut]
	}
	d.Bytes = append([]byte(nil), b...)
	return d
}

// Truncated reports whether Bytes is shorter than the znode's data.
func (d Data) Truncated() bool { return len(d.Bytes) < d.Length }

// Znode is one child of an election, as read.
type Znode struct {
	Name    string    `json:"name"`    // without the parent's path
	Session uint64    `json:"session"` // ephemeral owner; 0: not ephemeral
	Czxid   int64     `json:"czxid"`
	Ctime   time.Time `json:"ctime"` // according to the server's clock, in whole milliseconds
	// Mtime is when the data changed last, according to the server's clock; zero for never.
	Mtime time.Time `json:"mtime,omitzero"`
	Data  Data      `json:"data"`
	// Unread reports whether the child was deleted before it was read; only Name is then known.
	Unread bool `json:"unread,omitempty"`
}

// Parent has the relevant fields of the stat of an election's parent.
type Parent struct {
	Czxid    int64     `json:"czxid"`
	Ctime    time.Time `json:"ctime"`
	Cversion int32     `json:"cversion"` // as clients see it: 2*creates - children
	Children int32     `json:"children"`
	Pzxid    int64     `json:"pzxid"`
}

// createsMax is the number of creates at which ZooKeeper (since 3.6, ZOOKEEPER-3249) stops counting. Every
// later sequential create gets this number, and fails if that name exists.
const createsMax = 1<<31 - 1

// Creates returns how many children were ever created under this parent, which is also the next
// sequence number. ok is false if the server has stopped counting. Clients see 2*creates - children as
// cversion (DataNode.copyStat).
func (p Parent) Creates() (n uint32, ok bool) {
	n = (uint32(p.Cversion) + uint32(p.Children)) >> 1
	return n, n < createsMax
}

// Since counts the creates and deletes since old, an earlier stat of the same parent. ok is false if
// they cannot be counted.
func (p Parent) Since(old Parent) (creates, deletes int, ok bool) {
	if p == old {
		return 0, 0, true // even if the server has stopped counting
	}
	if _, counted := p.Creates(); !counted || p.Czxid != old.Czxid {
		return 0, 0, false
	}
	// The differences wrap, because cversion turns negative after about 2^30 creates.
	dcv, dn := p.Cversion-old.Cversion, p.Children-old.Children
	c, d := dcv+dn, dcv-dn // twice the creates and deletes
	return int(c / 2), int(d / 2), c >= 0 && d >= 0 && c%2 == 0
}

// NameMax bounds a name on the screen and the text of a search, in runes.
const NameMax = 64

// Zxid formats a zxid like zkCli: 0x10000002a.
func Zxid(z int64) string { return Hex(uint64(z)) }

// Hex formats a session id or a zxid like zkCli.
func Hex(v uint64) string {
	var room [18]byte
	return string(AppendHex(room[:0], v))
}

// AppendHex appends v as [Hex] formats it.
func AppendHex(to []byte, v uint64) []byte { return strconv.AppendUint(append(to, "0x"...), v, 16) }

// Join returns the full path of a child, or name if that is a full path, as for a single znode.
func Join(parent, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	if parent == "/" {
		return "/" + name
	}
	return parent + "/" + name
}

// Dir returns the path of a znode's parent. The parent of the root is the root.
func Dir(path string) string {
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		return path[:i]
	}
	return "/"
}

// Base returns the last element of a path.
func Base(path string) string {
	return path[strings.LastIndexByte(path, '/')+1:]
}

// SequenceDigits is the number of digits of a sequence number: "%010d" in PrepRequestProcessor.
const SequenceDigits = 10

// SequenceMax is the largest sequence number: the counter has 32 bits.
const SequenceMax = 1<<31 - 1

// Sequence returns the sequence number at the end of a znode's name: the last ten digits. ok is false
// if there is none. A number above [SequenceMax] is no sequence number, but for example a time stamp.
//
// A "-" before the digits may be a separator, as in "latch-0000000001". It may be a sign, as in
// "n_-2147483648", because ZooKeeper before 3.6 wrapped to negative numbers. The "-" is a sign if
// the digits are above [SequenceMax]. It is also a sign if another separator is before it and the
// digits are at least 1000000000. "%010d" counts the sign, so negative numbers above -1000000000 have
// at most nine digits.
func Sequence(name string) (seq int64, ok bool) {
	at := len(name) - SequenceDigits
	if at < 0 {
		return 0, false
	}
	for i := at; i < len(name); i++ {
		if name[i] < '0' || name[i] > '9' {
			return 0, false
		}
		seq = seq*10 + int64(name[i]-'0')
	}
	if at >= 1 && name[at-1] == '-' && (seq > SequenceMax || seq >= 1000000000 && at >= 2 && separator(name[at-2])) {
		seq = -seq
	}
	if seq < -SequenceMax-1 || seq > SequenceMax {
		return 0, false
	}
	return seq, true
}

func separator(c byte) bool {
	return c < utf8.RuneSelf && !unicode.IsLetter(rune(c)) && !unicode.IsDigit(rune(c))
}
