package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// maxFile bounds the file, in bytes.
const maxFile = 1 << 20

// Place is where the file is: in electop below XDG_CONFIG_HOME, or below the system's
// directory for configuration ([os.UserConfigDir]).
func Place(getenv func(string) string) (string, error) {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the specification says to ignore relative ones
		var err error
		if dir, err = systemDir(getenv); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "electop", "config.toml"), nil
}

// systemDir is [os.UserConfigDir], which fails on a relative XDG_CONFIG_HOME.
func systemDir(getenv func(string) string) (string, error) {
	switch runtime.GOOS {
	case "windows", "darwin", "ios", "plan9":
		return os.UserConfigDir()
	}
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		return "", errors.New("there is no place for a configuration file: neither XDG_CONFIG_HOME nor HOME is an absolute path")
	}
	return filepath.Join(home, ".config"), nil
}

// Read reads the file at path. A file that does not exist is empty. A file that other
// users can write, replace or own is refused, if the system has such permissions (not on
// Windows): they could send this user's credentials elsewhere.
func Read(path, home string) (File, error) {
	none := File{Path: path}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO is refused and not waited for
	if errors.Is(err, fs.ErrNotExist) {
		none.Missing = true
		return none, nil
	}
	if err != nil {
		return none, fmt.Errorf("configuration: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return none, fmt.Errorf("configuration: %w", err)
	}
	if err := trusted(path, info); err != nil {
		return none, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return none, fmt.Errorf("configuration: %w", err)
	case len(text) > maxFile:
		return none, fmt.Errorf("%s: it is larger than %d bytes", path, maxFile)
	}
	f, err := Parse(path, home, text)
	if err != nil && errors.Is(err, errSecret) && info.Mode().Perm()&0o044 != 0 && runtime.GOOS != "windows" {
		err = fmt.Errorf("%w. Other users can read the file (mode %#o): run chmod 600, and change the credential", err, info.Mode().Perm())
	}
	return f, err
}

// trusted refuses a file that the user does not control.
func trusted(path string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return fmt.Errorf("%s: it is a directory", path)
	case !mode.IsRegular():
		return fmt.Errorf("%s: it is not a regular file", path)
	case mode.Perm()&0o022 != 0 && runtime.GOOS != "windows":
		return fmt.Errorf("%s: other users can write it (mode %#o): run chmod go-w", path, mode.Perm())
	}
	if owner, yes := strangersFile(info); yes {
		return fmt.Errorf("%s: it belongs to another user (uid %d), who can change it: use a copy of your own, in your home directory or where XDG_CONFIG_HOME says", path, owner)
	}
	target, _ := filepath.EvalSymlinks(path) // it can be opened
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(target)} {
		if d, err := os.Stat(dir); err == nil && d.Mode()&(0o002|fs.ModeSticky) == 0o002 && runtime.GOOS != "windows" {
			return fmt.Errorf("%s: every user can replace it: run chmod o-w %s", path, dir)
		}
	}
	return nil
}
