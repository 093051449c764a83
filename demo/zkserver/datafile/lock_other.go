//go:build !unix

package datafile

import "os"

// lockFile has no counterpart here: two servers must not be given one file.
func lockFile(*os.File) error { return nil }
