//go:build !unix

package config

import "io/fs"

func strangersFile(fs.FileInfo) (owner uint32, yes bool) { return 0, false }
