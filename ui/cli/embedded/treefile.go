package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"electop/demo/zkserver"
)

// treeFile is the file of --tree, which keeps the embedded server's znodes between two
// runs; nil without that flag.
type treeFile struct {
	name   string      // as given
	path   string      // the file itself, symbolic links followed
	mode   fs.FileMode // to save with
	loaded string      // the result of loading, for people
}

// loadTree loads the tree into a server that is not serving yet. It also tests that
// the file can be saved: at the end it would be too late.
func loadTree(server *zkserver.Server, name string) (*treeFile, error) {
	if name == "" {
		return nil, nil
	}
	// ACLs hold the hashes of passwords: nobody else may read a new file.
	t := &treeFile{name: name, path: name, mode: 0o600}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.loaded = fmt.Sprintf("%s does not exist yet: the tree is empty.", name)
	case err != nil:
		return nil, fmt.Errorf("--tree %w", err)
	case !info.Mode().IsRegular(): // and opening it might block
		return nil, fmt.Errorf("--tree %s: not a regular file", name)
	default:
		t.mode = info.Mode().Perm()
		if t.path, err = filepath.EvalSymlinks(name); err != nil {
			return nil, fmt.Errorf("--tree %w", err)
		}
		if err := t.load(server); err != nil {
			return nil, fmt.Errorf("--tree %s: %w", name, err)
		}
		t.loaded = fmt.Sprintf("Tree loaded from %s.", name)
	}
	probe, err := t.temporary()
	if err != nil {
		return nil, fmt.Errorf("--tree %s could not be saved: %w", name, err)
	}
	probe.Close()
	os.Remove(probe.Name())
	return t, nil
}

func (t *treeFile) load(server *zkserver.Server) error {
	f, err := os.Open(t.path)
	if err != nil {
		return err
	}
	defer f.Close()
	err = server.LoadTree(f)
	if cause := errors.Unwrap(err); cause != nil {
		return cause // without the server's name: there is only one
	}
	return err
}

// temporary makes a file in the same directory.
func (t *treeFile) temporary() (*os.File, error) {
	return os.CreateTemp(filepath.Dir(t.path), "."+filepath.Base(t.path)+".*")
}

// save replaces the file by the server's tree, all of it or nothing.
func (t *treeFile) save(server *zkserver.Server) (err error) {
	if t == nil {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("--tree %s is not saved: %w", t.name, err)
		}
	}()
	f, err := t.temporary()
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
	if err = errors.Join(server.SaveTree(f), f.Chmod(t.mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), t.path)
}
