package model

import "slices"

// deletionLog has the deletions that [Wake] observations reported, by their zxids:
// the last deletionsMax, and up to a chunk more. A value is never written: what add
// returns shares all but one chunk with it.
type deletionLog struct {
	chunks [][]deletion // oldest first; all but the last are full
	// floor is the zxid up to which deletions may be missing: that of the last
	// forgotten one, or of the first read of the election.
	floor int64
}

type deletion struct {
	name string // of the child
	zxid int64
}

const (
	deletionsMax   = 4096
	deletionsChunk = 64
)

func (e deletionLog) add(name string, zxid int64) deletionLog {
	n := len(e.chunks)
	if n == 0 || len(e.chunks[n-1]) == deletionsChunk {
		if n > deletionsMax/deletionsChunk {
			e.floor = e.chunks[0][deletionsChunk-1].zxid
			e.chunks = e.chunks[1:]
		}
		e.chunks = append(slices.Clip(e.chunks), []deletion{{name, zxid}})
		return e
	}
	e.chunks = slices.Clone(e.chunks)
	last := &e.chunks[len(e.chunks)-1]
	*last = append(slices.Clip(*last), deletion{name, zxid})
	return e
}

// of returns when the child of that name was deleted that was created at czxid,
// 0 if that was not reported. A name may be used again.
func (e deletionLog) of(name string, czxid int64) (zxid int64) {
	for i := len(e.chunks) - 1; i >= 0; i-- {
		chunk := e.chunks[i]
		for k := len(chunk) - 1; k >= 0; k-- {
			if chunk[k].zxid <= czxid {
				return zxid
			}
			if chunk[k].name == name {
				zxid = chunk[k].zxid
			}
		}
	}
	return zxid
}

// after returns those after a zxid.
func (e deletionLog) after(zxid int64) (out []deletion) {
	for i := len(e.chunks) - 1; i >= 0; i-- {
		chunk := e.chunks[i]
		for k := len(chunk) - 1; k >= 0; k-- {
			if chunk[k].zxid <= zxid {
				return out
			}
			out = append(out, chunk[k])
		}
	}
	return out
}

// newest returns the zxid of the last one, 0 for none.
func (e deletionLog) newest() int64 {
	n := len(e.chunks)
	if n == 0 {
		return 0
	}
	last := e.chunks[n-1]
	return last[len(last)-1].zxid
}
