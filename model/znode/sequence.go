package znode

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
