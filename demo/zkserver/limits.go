package zkserver

import (
	"net/netip"
	"time"
)

// What one connection may cost.
const (
	// maxHandshake bounds a connection's first frame: 45 bytes with the usual password.
	maxHandshake = 1 << 10
	// lastWrite is how long a last message may take to be written, and
	// lingerTimeout how long the peer may take to close after it.
	lastWrite     = 10 * time.Second
	lingerTimeout = time.Second
	// lingerBytes bounds what is thrown away meanwhile.
	lingerBytes = 64 << 10
)

// loopback reports whether a host is this one, by its address.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
