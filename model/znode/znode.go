// Package znode has the parts of znodes as plain values: names and their sequence numbers, stats,
// data of bounded length, and the text forms of zxids and session ids.
//
// Clients choose names and data, so these may be hostile. [Safe] makes a text safe for a terminal, a
// log or a message. [SafeJSON] does it for a line of JSON.
package znode

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// DataMax bounds [Data.Bytes]. A znode may have a megabyte of data.
const DataMax = 4096

// Data is the content of a znode.
type Data struct {
	Bytes  []byte `json:"bytes,omitempty"`  // the first bytes, at most DataMax
	Length int    `json:"length"`           // of the uncut data, in bytes
	Denied bool   `json:"denied,omitempty"` // the data cannot be read: the ACL forbids it, or the path is invalid
}

// NewData copies at most [DataMax] bytes of b.
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

// Truncated reports whether Bytes is shorter than Length.
func (d Data) Truncated() bool { return len(d.Bytes) < d.Length }

// Znode is a child of an election, or a single znode. Times are according to the servers' clock.
type Znode struct {
	Name    string    `json:"name"`    // of a child: without the parent's path
	Session uint64    `json:"session"` // ephemeral owner; 0: not ephemeral
	Czxid   int64     `json:"czxid"`
	Ctime   time.Time `json:"ctime"`
	Mtime   time.Time `json:"mtime,omitzero"` // zero: the data never changed
	Data    Data      `json:"data"`
	// Unread means that only Name is known.
	Unread bool `json:"unread,omitempty"`
}

// Parent has fields from the stat of an election's parent.
type Parent struct {
	Czxid    int64     `json:"czxid"`
	Ctime    time.Time `json:"ctime"`
	Cversion int32     `json:"cversion"` // 2*creates - children: DataNode.copyStat
	Children int32     `json:"children"`
	Pzxid    int64     `json:"pzxid"`
}

// sequenceMax is the largest sequence number: the counter is a signed 32-bit integer. ZooKeeper (since
// 3.6, ZOOKEEPER-3249) stops counting there. Later sequential creates can get this number again, and then
// fail if that name exists.
const sequenceMax = 1<<31 - 1

// Creates returns how many children were ever created under this parent. This is also the next sequence
// number. ok is false at sequenceMax. If the number has wrapped (before 3.6), n is too small by 2^31.
func (p Parent) Creates() (n uint32, ok bool) {
	n = (uint32(p.Cversion) + uint32(p.Children)) >> 1
	return n, n < sequenceMax
}

// Since counts the creates and deletes since the earlier stat old. ok is false if they cannot be counted.
func (p Parent) Since(old Parent) (creates, deletes int, ok bool) {
	if p == old {
		return 0, 0, true // also after the server has stopped counting
	}
	if _, counted := p.Creates(); !counted || p.Czxid != old.Czxid {
		return 0, 0, false
	}
	// Integer overflow is correct here: cversion becomes negative after about 2^30 creates.
	dcv, dn := p.Cversion-old.Cversion, p.Children-old.Children
	c, d := dcv+dn, dcv-dn // twice the creates and deletes
	return int(c / 2), int(d / 2), c >= 0 && d >= 0 && c%2 == 0
}

// NameMax is the bound of [Safe] for a name, in runes.
const NameMax = 64

// Zxid formats a zxid as zkCli does: 0x10000002a.
func Zxid(z int64) string { return Hex(uint64(z)) }

// Hex formats a session id or a zxid as zkCli does.
func Hex(v uint64) string {
	var room [18]byte
	return string(AppendHex(room[:0], v))
}

// AppendHex appends v as [Hex] formats it.
func AppendHex(to []byte, v uint64) []byte { return strconv.AppendUint(append(to, "0x"...), v, 16) }

// Join returns the full path of a child. A name that is a full path is returned unchanged.
func Join(parent, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	if parent == "/" {
		return "/" + name
	}
	return parent + "/" + name
}

// Dir returns the path of a znode's parent. The parent of / is /.
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

// Sequence returns the sequence number at the end of a znode's name: the last ten digits. ok is false
// if there is none. A number that is no signed 32-bit integer does not count: it may be the end of a time stamp.
//
// A "-" before the digits may be a separator, as in "latch-0000000001". It may be a sign, as in
// "n_-2147483648", because ZooKeeper before 3.6 wrapped to negative numbers. Ten digits below 1000000000
// have no sign: "%010d" counts the sign as one of ten characters, and writes -1 with nine digits.
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
	if at >= 1 && name[at-1] == '-' && (seq > sequenceMax || seq >= 1000000000 && at >= 2 && separator(name[at-2])) {
		seq = -seq
	}
	if seq < -sequenceMax-1 || seq > sequenceMax {
		return 0, false
	}
	return seq, true
}

func separator(c byte) bool {
	return c < utf8.RuneSelf && !unicode.IsLetter(rune(c)) && !unicode.IsDigit(rune(c))
}
