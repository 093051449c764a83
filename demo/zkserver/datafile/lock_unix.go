//go:build unix

package datafile

import (
	"errors"
	"os"
	"syscall"
)

// lockFile keeps a second server from writing to the file, until it is closed.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errInUse
	}
	return err
}
