package model_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
)

func TestWave(t *testing.T) {
	j := doctor.NewJournal(model.Config{Path: "/e"})
	at := modeltest.Start
	ms := func(n int) time.Time { return at.Add(time.Duration(n) * time.Millisecond) }
	step := func(n int, session uint64, step model.Step) {
		j.Apply(&model.Cast{At: ms(n + 1), Member: model.Member{ID: string(rune('a' + session)), Session: session, Step: step, StepAt: ms(n)}})
	}
	report := func(n, requests int, settled bool) {
		w := model.DeletionReport{At: ms(n), Deleted: at, Znode: "n_1", Zxid: 7, Notified: []uint64{4, 2, 3}, BytesIn: 10, BytesOut: 20}
		w.Requests, w.Settled = requests, settled
		j.Apply(&w)
	}
	step(-5, 2, model.StepListAgain) // before the deletion
	report(0, 0, false)
	step(3, 2, model.StepListAgain)
	step(4, 9, model.StepListAgain) // not notified
	var before kept
	before.add(t, j.State())
	report(5, 2, false)
	step(6, 2, model.StepWatchAgain)
	step(8, 3, model.StepLowest)
	step(9, 2, model.StepListAgain) // after the reaction
	report(400, 4, true)
	before.unchanged(t)
	w := j.State().Waves[0]
	want := []model.Reaction{{Session: 2, Read: 3e6, Done: 6e6}, {Session: 3, Read: 8e6, Done: 8e6}, {Session: 4}}
	if !slices.Equal(w.Reactions, want) || w.Settled != 400*time.Millisecond || w.Notified() != 3 {
		t.Errorf("the wave is %+v, want the reactions %v, settled after 400ms", w, want)
	}
	counts := []model.WaveCount{{0, 0, 30}, {5e6, 2, 30}, {4e8, 4, 30}}
	if !slices.Equal(w.Counts, counts) {
		t.Errorf("counts %v, want %v", w.Counts, counts)
	}
	if i, ok := w.Find(3); !ok || i != 1 {
		t.Errorf("Find(3) = %d, %v; want 1, true", i, ok)
	}
	if _, ok := w.Find(9); ok {
		t.Error("session 9 is found, but was not notified")
	}
	if s := j.State(); s.Notified(2) != 1 || s.Notified(9) != 0 {
		t.Errorf("sessions 2 and 9 were notified %d and %d times, want 1 and 0", s.Notified(2), s.Notified(9))
	}
}

func TestWavesMax(t *testing.T) {
	j := doctor.NewJournal(model.Config{Path: "/e"})
	at := modeltest.Start
	var all []uint64
	for i := range model.ReactionsMax + 70 {
		all = append(all, uint64(i+1))
	}
	for i := range model.WavesMax + 3 {
		for n := range 3 * model.CountsMax {
			j.Apply(&model.DeletionReport{At: at, Deleted: at, Znode: "n", Zxid: int64(i + 1), Notified: all, Requests: n})
		}
		all = slices.Clone(all)
		for n := range all {
			all[n] += uint64(len(all)) // other sessions for the next wave
		}
	}
	s := j.State()
	if len(s.Waves) != model.WavesMax || s.Waves[0].Zxid != 4 {
		t.Fatalf("%d waves from zxid %d on, want the last %d", len(s.Waves), s.Waves[0].Zxid, model.WavesMax)
	}
	w := s.Waves[model.WavesMax-1]
	if len(w.Reactions) != model.ReactionsMax || w.More != 70 || len(w.Counts) != model.CountsMax || w.Counts[model.CountsMax-1].Requests != 3*model.CountsMax-1 {
		t.Errorf("%d reactions, %d more, %d counts, the last %+v; want %d, 70, %d, the newest", len(w.Reactions), w.More, len(w.Counts), w.Counts[len(w.Counts)-1],
			model.ReactionsMax, model.CountsMax)
	}
	known := 0
	for id := range uint64(model.WavesMax+4) * uint64(len(all)) {
		if s.Notified(id) > 0 {
			known++
		}
	}
	if known > 3*len(all) {
		t.Errorf("notifications of %d sessions are counted, want at most %d", known, 3*len(all))
	}
}

func TestSwitchKeepsTheCostsOfTheOtherRecipe(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		crowd := rapid.SampledFrom([]int{3, 40}).Draw(rt, "crowd")
		s := modeltest.NewScript(t, model.Config{})
		l := newRecordedTree(s.Tree, s.W)
		next := uint64(0)
		join := func() string { next++; return l.create("n_", true, next) }
		var queue []string
		for range crowd {
			queue = append(queue, join())
		}
		s.Read()
		replaceLeader := func(notified []uint64) {
			l.remove(queue[0])
			w := *l.reports[len(l.reports)-1]
			w.Notified, w.Settled = notified, true
			s.Apply(&w)
			queue = append(queue[1:], join())
			s.Read()
		}
		sessions := func(n int) (all []uint64) {
			for i := range n {
				all = append(all, uint64(1000+i))
			}
			return all
		}
		var chain, herd []int64
		for range rapid.IntRange(1, 4).Draw(rt, "switches of the recipe") {
			for _, recipe := range []string{"election", "herd"} {
				s.Apply(&model.Switch{At: s.Tree.Now, Recipe: recipe})
				for range crowd {
					replaceLeader(nil)
				}
				for range rapid.IntRange(0, 3).Draw(rt, "handoffs") {
					list, n := &chain, 1
					if recipe == "herd" {
						list, n = &herd, crowd-1
					}
					replaceLeader(sessions(n))
					*list = append(*list, l.reports[len(l.reports)-1].Zxid)
				}
			}
		}
		got := s.J.State().Costs(time.Time{})
		for _, c := range []struct {
			name string
			got  []*model.ReportedDeletion
			want []int64
		}{{"chain", got.Chain, chain}, {"herd", got.Herd, herd}} {
			var zxids []int64
			for _, w := range slices.Backward(c.got) {
				zxids = append(zxids, w.Zxid)
			}
			if want := c.want[max(0, len(c.want)-model.CostsMax):]; !slices.Equal(zxids, want) {
				rt.Errorf("the costs of the %s with %d candidates have the zxids %v, want %v", c.name, crowd, zxids, want)
			}
		}
	})
}
