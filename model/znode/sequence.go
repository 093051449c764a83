package znode

// SequenceDigits is the width ZooKeeper prints a sequence with ("%010d",
// PrepRequestProcessor), so it is the last ten digits of a name.
const SequenceDigits = 10

// Sequence returns the sequence number at the end of a znode's name, and
// whether there is one.
//
// It is the last ten digits. ZooKeeper before 3.6 wrapped to negative numbers
// after 2147483647, so "-" before the digits may be a sign, or a separator as
// in "latch-0000000001". It is a sign only when the digits are at least
// 1000000000 (the sign takes no room from ten digits that start with a zero)
// and the "-" itself follows a separator, as in "n_-2147483648".
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
	if seq >= 1000000000 && at >= 2 && name[at-1] == '-' && separator(name[at-2]) {
		seq = -seq
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
