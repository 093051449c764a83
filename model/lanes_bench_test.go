package model_test

import (
	"fmt"
	"testing"
	"time"

	"electop/model"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

// The lanes of a class of 300 in which there was a herd's storm at each of the last
// handoffs, and everybody changed often.
func BenchmarkLanes(b *testing.B) {
	now := modeltest.Start
	j := model.NewJournal(model.Config{})
	var sessions []uint64
	var all []znode.Znode
	for i := range 300 {
		sessions = append(sessions, uint64(i+1))
		all = append(all, znode.Znode{Name: fmt.Sprintf("n_%010d", i), Session: uint64(i + 1), Czxid: int64(i + 1)})
	}
	j.Apply(&model.Read{At: now, Presence: model.Present, Full: true, New: all, Parent: modeltest.Stat(1, 300, 300)})
	for i := range 6000 {
		now = now.Add(10 * time.Millisecond)
		belief := []model.Belief{model.Waiting, model.Suspended}[i/300%2]
		j.Apply(&model.Cast{At: now, Member: model.Member{ID: fmt.Sprint("m", i%300), Name: "m", Session: uint64(i%300 + 1), Belief: belief}})
	}
	for i := range 500 {
		j.Apply(&model.Wake{At: now, Deleted: now, Znode: fmt.Sprint("n_", i), Zxid: int64(1<<20 + i), Notified: sessions})
	}
	st := j.State()
	b.ReportAllocs()
	for b.Loop() {
		if n := len(st.Lanes(40).All); n != 300 {
			b.Fatal(n, "lanes")
		}
	}
}
