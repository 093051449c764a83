// Package datafile keeps records in a file so that a crash loses none that
// somebody waited for. [Open] reads what there is, [Log.Append] adds a record in
// memory, [Log.Wait] returns when it is on disk: those who wait at the same time
// share one write and one fsync. [Log.Rewrite] replaces the file by one with
// fewer records that come to the same. What a record means is the caller's
// business.
package datafile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// dataMagic is the first line of a data file.
const dataMagic = "electop data 1\n"

// A data file is rewritten, as what it comes to, when it has this size and is
// several times as large as that was.
const (
	rewriteSize  = 64 << 20
	rewriteTimes = 4
)

var errInUse = errors.New("another server uses it")

// checksum makes its table when it is first called: at the start of the program it
// would cost those who keep no data.
func checksum(record []byte) uint32 {
	return crc32.Checksum(record, crc32.MakeTable(crc32.Castagnoli))
}

// A Log is an append-only file of records, each with its length and a
// checksum. What is appended is in memory until somebody waits for it to be
// durable; those who wait at the same time share one write and one fsync.
type Log struct {
	path string
	// Large is the size from which on Append asks for the file to be rewritten. It
	// is not to be changed while others use the Log.
	Large int64

	mu       sync.Mutex
	turn     sync.Cond // syncing became false
	f        *os.File
	buf      []byte // appended, not written yet
	spare    []byte
	appended int64 // bytes
	durable  int64
	size     int64 // of the file
	base     int64 // its size when it was rewritten last
	syncing  bool
	err      error // the first failure: nothing is durable after it
}

// Open reads the records of a file, which need not exist, and returns a
// log that is to be rewritten before anything is appended. torn is how many bytes
// at the end are the beginning of a record that was never completed.
func Open(path string) (l *Log, records [][]byte, torn int, err error) {
	l = &Log{path: path, Large: rewriteSize}
	l.turn.L = &l.mu
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() { // and opening it might block
			return nil, nil, 0, errors.New("not a regular file")
		}
		if l.path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, nil, 0, err
		}
	}
	if l.f, err = os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, nil, 0, err
	}
	var b []byte
	if err = l.lock(); err == nil {
		b, err = io.ReadAll(l.f)
	}
	if err == nil {
		records, torn, err = splitRecords(b)
	}
	if err != nil {
		l.f.Close()
		return nil, nil, 0, err
	}
	return l, records, torn, nil
}

// lock keeps a second server from using the file. One that was replaced before
// the lock was had is that of another server.
func (l *Log) lock() error {
	if err := lockFile(l.f); err != nil {
		return err
	}
	ours, err := l.f.Stat()
	if err != nil {
		return err
	}
	theirs, err := os.Stat(l.path)
	if err != nil {
		return err
	}
	if !os.SameFile(ours, theirs) {
		return errInUse
	}
	return nil
}

// splitRecords takes the contents of a file apart. Only at the end may there be
// less than a record: anything else is damage, behind which acknowledged writes
// would be lost.
func splitRecords(b []byte) (records [][]byte, torn int, err error) {
	if len(b) == 0 {
		return nil, 0, nil
	}
	rest, ok := bytes.CutPrefix(b, []byte(dataMagic))
	if !ok {
		return nil, 0, errors.New("not a data file of electop")
	}
	for len(rest) > 0 {
		if len(rest) < 8 {
			return records, len(rest), nil
		}
		n := int64(binary.BigEndian.Uint32(rest))
		end := 8 + n
		if end > int64(len(rest)) || len(bytes.TrimLeft(rest, "\x00")) == 0 {
			return records, len(rest), nil
		}
		record := rest[8:end:end]
		if checksum(record) != binary.BigEndian.Uint32(rest[4:]) {
			if end == int64(len(rest)) {
				return records, len(rest), nil
			}
			return nil, 0, fmt.Errorf("damaged at byte %d of %d", len(b)-len(rest), len(b))
		}
		records = append(records, record)
		rest = rest[end:]
	}
	return records, 0, nil
}

// appendRecord frames a record.
func appendRecord(b, record []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(record)))
	b = binary.BigEndian.AppendUint32(b, checksum(record))
	return append(b, record...)
}

// Append adds a record and reports whether the file should be rewritten. It
// does not block.
func (l *Log) Append(record []byte) (large bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := len(l.buf)
	l.buf = appendRecord(l.buf, record)
	added := int64(len(l.buf) - before)
	l.appended += added
	l.size += added
	return l.size > l.Large && l.size > rewriteTimes*l.base
}

// Position is what [Log.Wait] takes for all that was appended until now.
func (l *Log) Position() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.appended
}

// Wait returns when everything up to a position is on disk.
func (l *Log) Wait(position int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.err == nil && l.durable < position {
		if l.syncing {
			l.turn.Wait()
			continue
		}
		l.syncing = true
		p, upTo, f := l.buf, l.appended, l.f
		l.buf, l.spare = l.spare[:0], nil
		l.mu.Unlock()
		_, err := f.Write(p)
		if err == nil {
			err = f.Sync()
		}
		if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) {
			err = fmt.Errorf("%s: %w", l.path, wrong.Err) // it was made under another name
		}
		l.mu.Lock()
		l.syncing = false
		if cap(p) <= 1<<20 {
			l.spare = p
		}
		if l.durable, l.err = upTo, err; err != nil {
			l.durable = -1
		}
		l.turn.Broadcast()
	}
	if l.durable >= position {
		return nil
	}
	return l.err
}

// Rewrite replaces the file, whole or not at all, by one with these records,
// which include all that was appended.
func (l *Log) Rewrite(records [][]byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.syncing {
		l.turn.Wait()
	}
	if l.err != nil {
		return l.err
	}
	b := []byte(dataMagic)
	for _, r := range records {
		b = appendRecord(b, r)
	}
	dir := filepath.Dir(l.path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(l.path)+".*") // nobody else's to read
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	for _, step := range []func() error{f.Sync, func() error { return lockFile(f) }, func() error { return os.Rename(f.Name(), l.path) }} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		l.base = l.size // not again at once
		return err
	}
	l.f.Close()
	l.f, l.buf, l.durable = f, nil, l.appended
	l.size = int64(len(b))
	l.base = l.size
	if err := syncDir(dir); err != nil { // which file a crash leaves is not known
		l.err, l.durable = err, -1
		return err
	}
	return nil
}

// syncDir makes the names in a directory durable, where that can be asked for.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}

// Base returns the size that the file had when it was rewritten last.
func (l *Log) Base() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.base
}

// Close writes what is left.
func (l *Log) Close() error {
	return errors.Join(l.Wait(l.Position()), l.f.Close())
}
