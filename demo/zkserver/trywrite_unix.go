//go:build unix

package zkserver

import (
	"errors"
	"net"
	"syscall"
)

// tryWrite writes to a connection what its peer has room for.
func tryWrite(nc *net.TCPConn, p []byte) (n int, err error) {
	raw, err := nc.SyscallConn()
	if err != nil {
		return 0, err
	}
	ended := raw.Write(func(fd uintptr) bool {
		n, err = syscall.Write(int(fd), p)
		return true
	})
	n = max(n, 0)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR) {
		err = nil
	}
	return n, errors.Join(ended, err)
}
