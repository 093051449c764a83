// Package znode has what znodes are made of, as plain values: names and the
// sequence numbers in them, stats, data of bounded length, zxids and session ids
// as people and machines read them.
//
// Anybody who can write to the cluster chooses names and data. [Safe] makes
// them fit for a terminal, a log or a message, and [SafeJSON] for a line of JSON;
// nothing else may.
package znode

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// DataMax is how many bytes of a znode's data are kept. Names of hosts fit;
// a megabyte from a stranger does not get far.
const DataMax = 4096

// Data is the content of a znode, cut to [DataMax] bytes.
type Data struct {
	Bytes  []byte `json:"bytes,omitempty"`
	Length int    `json:"length"`           // of the whole, in bytes
	Denied bool   `json:"denied,omitempty"` // the ACL forbids reading it
}

// NewData keeps at most [DataMax] bytes of b, and copies them.
func NewData(b []byte) Data {
	d := Data{Length: len(b)}
	if len(b) > DataMax {
		cut := DataMax
		for cut > DataMax-utf8.UTFMax && !utf8.RuneStart(b[cut]) {
			cut-- // text stays text when it is cut
		}
		b = b[:cut]
	}
	d.Bytes = append([]byte(nil), b...)
	return d
}

// Truncated reports whether Bytes is less than the znode holds.
func (d Data) Truncated() bool { return len(d.Bytes) < d.Length }

// Znode is one child of an election as it was read.
type Znode struct {
	Name    string    `json:"name"`    // without the parent's path
	Session uint64    `json:"session"` // ephemeral owner; 0: not ephemeral
	Czxid   int64     `json:"czxid"`
	Ctime   time.Time `json:"ctime"` // by the server's clock, in whole milliseconds
	Data    Data      `json:"data"`
	// Unread is true for a child that was listed and gone before it could be
	// read: only its name is known.
	Unread bool `json:"unread,omitempty"`
}

// Parent has what matters of the stat of an election's parent.
type Parent struct {
	Czxid    int64     `json:"czxid"`
	Ctime    time.Time `json:"ctime"`
	Cversion int32     `json:"cversion"` // as clients see it: 2*creates - children
	Children int32     `json:"children"`
	Pzxid    int64     `json:"pzxid"`
}

// jam is the number of creates after which ZooKeeper (3.6 on, since
// ZOOKEEPER-3249) stops counting them and refuses sequential ones.
const jam = 1<<31 - 1

// Creates returns how many children were ever created under this parent,
// which is also the next sequence number; false once the counter has jammed.
// DataNode.copyStat shows clients 2*creates - children as cversion.
func (p Parent) Creates() (n uint32, ok bool) {
	n = (uint32(p.Cversion) + uint32(p.Children)) >> 1
	return n, n < jam
}

// Since returns how many creates and deletes happened after old was read,
// for two reads of the same parent (same Czxid); false if it cannot be known.
func (p Parent) Since(old Parent) (creates, deletes int, ok bool) {
	if p == old {
		return 0, 0, true // even if the counter has stopped
	}
	if _, counted := p.Creates(); !counted || p.Czxid != old.Czxid {
		return 0, 0, false
	}
	// Wrapping 32-bit differences: the visible cversion turns negative after
	// about 2^30 creates.
	dcv, dn := p.Cversion-old.Cversion, p.Children-old.Children
	c, d := dcv+dn, dcv-dn // twice what we want
	return int(c / 2), int(d / 2), c >= 0 && d >= 0 && c%2 == 0
}

// NameMax bounds a name on the screen, and what can be typed to find one, in runes.
const NameMax = 64

// Zxid formats a zxid as zkCli and JSON do ("0x10000002a"), so that what is on
// the screen can be searched for elsewhere.
func Zxid(z int64) string { return Hex(uint64(z)) }

// Hex formats a session id or zxid as machines read it.
func Hex(v uint64) string {
	var room [18]byte
	return string(AppendHex(room[:0], v))
}

// AppendHex appends a [Hex].
func AppendHex(to []byte, v uint64) []byte { return strconv.AppendUint(append(to, "0x"...), v, 16) }

// Join returns the full path of the child called name. A name that is a path,
// as in an election of a single znode, is the full path already.
func Join(parent, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	if parent == "/" {
		return "/" + name
	}
	return parent + "/" + name
}

// Dir returns the path of a znode's parent, the root for the root.
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

// SequenceDigits is the width ZooKeeper prints a sequence with ("%010d",
// PrepRequestProcessor), so it is the last ten digits of a name.
const SequenceDigits = 10

// SequenceMax is the largest sequence number: the counter has 32 bits.
const SequenceMax = 1<<31 - 1

// Sequence returns the sequence number at the end of a znode's name, and
// whether there is one.
//
// It is the last ten digits. ZooKeeper before 3.6 wrapped to negative numbers
// after 2147483647, so "-" before the digits may be a sign, or a separator as
// in "latch-0000000001". It is a sign only when the digits are at least
// 1000000000 (the sign takes no room from ten digits that start with a zero)
// and the "-" itself follows a separator, as in "n_-2147483648", or when the
// number would be too large without it.
//
// A number above [SequenceMax] was never given by ZooKeeper, so it is no
// sequence: the end of a time stamp, as in HBase's region servers.
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
	switch {
	case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= 0x80:
		return false
	}
	return true
}
