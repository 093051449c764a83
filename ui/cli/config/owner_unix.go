//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByOther matters because an owner can change the mode and then the file.
func ownedByOther(info fs.FileInfo) (owner uint32, yes bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return stat.Uid, stat.Uid != 0 && int(stat.Uid) != os.Geteuid()
}
